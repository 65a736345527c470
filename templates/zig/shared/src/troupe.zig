//! A binding of `troupe.h`, ABI 1.0. The comments there give the rules.
//!
//! `plugin` writes the manifest and the entry. The registrar makes each signature from the type of the function, so
//! that the two cannot differ. Zig's errors become statuses with a message.
const std = @import("std");

const Status = i32;
const ok: Status = 0;
const failed: Status = 1;

/// The lifetime of an instance: one for each resolve, one for all, or one for each scope, such as each file of
/// `troupe run`.
pub const Lifetime = enum(i32) { transient = 0, singleton = 1, scoped = 2 };

pub const Level = enum(i32) { debug = 0, info = 1, warning = 2, err = 3 };

pub const Error = error{ Failed, OutOfMemory };

const RawValue = extern struct {
    kind: i32,
    reserved: i32 = 0,
    as: extern union { int64: i64, float64: f64, string: ?[*:0]const u8 },
};

const RawMetadata = extern struct { key: [*:0]const u8, value: [*:0]const u8 };

const RawFactory = extern struct {
    struct_size: u32 = @sizeOf(RawFactory),
    lifetime: Lifetime,
    uuid: [*:0]const u8,
    name: [*:0]const u8,
    contract: ?[*:0]const u8,
    signature: [*:0]const u8,
    function: *const anyopaque,
    destroy: ?*const fn (*anyopaque) callconv(.c) void,
    vtable: ?*const anyopaque,
    tags: [*]const [*:0]const u8,
    metadata: [*]const RawMetadata,
    tag_count: u32,
    metadata_count: u32,
};

const RawRegistrar = extern struct {
    struct_size: u32,
    abi_major: u16,
    abi_minor: u16,
    context: *anyopaque,
    host: *const Host,
    resolver: *const Resolver,
    register_factory: *const fn (*const RawRegistrar, *const RawFactory) callconv(.c) Status,
};

const RawQuery = extern struct {
    struct_size: u32 = @sizeOf(RawQuery),
    tag_count: u32,
    contract: [*:0]const u8,
    tags: [*]const [*:0]const u8,
    arguments: ?[*]const RawValue = null,
    argument_count: u32 = 0,
    reserved: u32 = 0,
};

const RawInstance = extern struct {
    object: ?*anyopaque = null,
    vtable: ?*const anyopaque = null,
    handle: ?*anyopaque = null,
};

const RawOutput = extern struct {
    struct_size: u32,
    reserved: u32,
    context: *anyopaque,
    write: *const fn (*const RawOutput, [*]const u8, usize) callconv(.c) Status,
};

const RawTransform = extern struct {
    struct_size: u32 = @sizeOf(RawTransform),
    reserved: u32 = 0,
    feed: *const fn (*anyopaque, [*]const u8, usize, *const RawOutput) callconv(.c) Status,
    finish: *const fn (*anyopaque, *const RawOutput) callconv(.c) Status,
    message: ?*const fn (*anyopaque) callconv(.c) ?[*:0]const u8,
};

/// The services of the host. Each function may be called on any thread.
pub const Host = extern struct {
    struct_size: u32,
    abi_major: u16,
    abi_minor: u16,
    context: *anyopaque,
    raw_log: *const fn (*const Host, Level, [*:0]const u8) callconv(.c) void,
    raw_allocate: *const fn (*const Host, usize) callconv(.c) ?*anyopaque,
    raw_free: *const fn (*const Host, ?*anyopaque) callconv(.c) void,
    raw_configuration: *const fn (*const Host, [*:0]const u8) callconv(.c) ?[*:0]const u8,
    raw_service: *const fn (*const Host, [*:0]const u8) callconv(.c) ?*const anyopaque,
    raw_fail: *const fn (*const Host, [*:0]const u8) callconv(.c) void,
    raw_setting: *const fn (*const Host, [*:0]const u8, *RawValue) callconv(.c) Status,

    /// Writes a line to the host's log, cut to 255 bytes.
    pub fn log(self: *const Host, level: Level, comptime format: []const u8, arguments: anytype) void {
        var line: [255:0]u8 = undefined;
        writeText(&line, format, arguments);
        self.raw_log(self, level, &line);
    }

    /// Sets the reason why a factory or the entry is about to fail.
    pub fn fail(self: *const Host, message: [:0]const u8) Error {
        self.raw_fail(self, message.ptr);
        return error.Failed;
    }

    /// The value of an integer setting or, as 0 or 1, of a Boolean one. Fails for a setting of another kind.
    pub fn integer(self: *const Host, key: [:0]const u8) Error!i64 {
        const found = try self.setting(key);
        return if (found.kind <= 1) found.as.int64 else self.fail("a setting has another kind");
    }

    /// The value of a text or choice setting, valid for as long as the plugin is loaded. Fails for a setting of
    /// another kind.
    pub fn text(self: *const Host, key: [:0]const u8) Error![]const u8 {
        const found = try self.setting(key);
        return if (found.kind == 4) slice(found.as.string) else self.fail("a setting has another kind");
    }

    fn setting(self: *const Host, key: [:0]const u8) Error!RawValue {
        var found = RawValue{ .kind = 0, .as = .{ .int64 = 0 } };
        return if (self.raw_setting(self, key.ptr, &found) == ok) found else self.fail("a setting is not declared");
    }
};

/// The host. Set when the entry begins.
pub var host: *const Host = undefined;

/// The memory of instances and results, which the host releases with `free` of the C library.
pub const allocator = std.heap.c_allocator;

/// Writes a text and a zero behind it; the text is cut to the length of the buffer.
fn writeText(message: anytype, comptime format: []const u8, arguments: anytype) void {
    const end = if (std.fmt.bufPrint(message, format, arguments)) |written| written.len else |_| message.len;
    message[end] = 0;
}

/// The bytes of a C string. NULL is empty.
pub fn slice(address: ?[*:0]const u8) []const u8 {
    return if (address) |start| std.mem.span(start) else "";
}

/// Writes the manifest, and the entry, which calls a function that registers.
pub fn plugin(comptime manifest: [:0]const u8, comptime register: fn (Registrar) Error!void) void {
    const Note = extern struct {
        name_size: u32 = 7,
        content_size: u32 = manifest.len + 1,
        kind: u32 = 1,
        name: [8]u8 = "Troupe\x00\x00".*,
        content: [manifest.len + 1]u8 align(1) = (manifest ++ "\x00").*,
    };
    const Parts = struct {
        const note = Note{};

        fn entry(registrar: *const RawRegistrar) callconv(.c) Status {
            host = registrar.host;
            register(.{ .raw = registrar }) catch return failed;
            return ok;
        }
    };
    @export(&Parts.note, .{ .name = "troupe_plugin_note", .section = ".note.troupe", .visibility = .hidden });
    @export(&Parts.entry, .{ .name = "troupe_plugin_main" });
}

// The parameters and the result of a function, for its signature.

const Parameter = struct { name: []const u8, kind: enum { value, text, buffer, out, resolver }, length: []const u8 = "" };

/// A number, an extern struct, or a pointer to a function.
pub fn value(comptime name: []const u8) Parameter {
    return .{ .name = name, .kind = .value };
}

/// Text: `?[*:0]const u8`.
pub fn text(comptime name: []const u8) Parameter {
    return .{ .name = name, .kind = .text };
}

/// A buffer, `[*]const T` or `[*]T`, whose number of elements is another parameter.
pub fn buffer(comptime name: []const u8, comptime length: []const u8) Parameter {
    return .{ .name = name, .kind = .buffer, .length = length };
}

/// An output, `*T`.
pub fn out(comptime name: []const u8) Parameter {
    return .{ .name = name, .kind = .out };
}

/// The resolver, `*const Resolver`.
pub const resolver = Parameter{ .name = "", .kind = .resolver };

/// Whether a function reports errors: a result of -1 with `errno`.
pub const Errors = enum { none, errno };

fn typeName(comptime T: type) []const u8 {
    return switch (T) {
        void => "void",
        bool => "bool",
        i8 => "int8_t",
        u8 => "uint8_t",
        i16 => "int16_t",
        u16 => "uint16_t",
        c_int => "int",
        c_uint => "unsigned int",
        i32 => "int32_t",
        u32 => "uint32_t",
        i64 => "int64_t",
        u64 => "uint64_t",
        usize => "size_t",
        isize => "ptrdiff_t",
        f32 => "float",
        f64 => "double",
        ?[*:0]u8 => "owned(free) char *",
        ?*anyopaque => "void *",
        else => switch (@typeInfo(T)) {
            .@"struct" => "struct " ++ shortName(T),
            else => @compileError("no type of a signature: " ++ @typeName(T)),
        },
    };
}

fn shortName(comptime T: type) []const u8 {
    const name = @typeName(T);
    return name[if (std.mem.lastIndexOfScalar(u8, name, '.')) |dot| dot + 1 else 0..];
}

fn definition(comptime T: type) []const u8 {
    const info = @typeInfo(T);
    if (info != .@"struct") return "";
    if (info.@"struct".layout != .@"extern") @compileError("not an extern struct: " ++ @typeName(T));
    comptime var members: []const u8 = "";
    inline for (info.@"struct".field_names, info.@"struct".field_types) |name, Member| {
        members = members ++ " " ++ typeName(Member) ++ " " ++ name ++ ";";
    }
    return typeName(T) ++ " {" ++ members ++ " }; ";
}

fn declaration(comptime T: type, comptime parameter: Parameter) []const u8 {
    const info = @typeInfo(T);
    switch (parameter.kind) {
        .value => {
            const Function = callbackType(T) orelse return typeName(T) ++ " " ++ parameter.name;
            const function = @typeInfo(Function).@"fn";
            comptime var list: []const u8 = "";
            inline for (function.param_types, 0..) |each, i| list = list ++ (if (i == 0) "" else ", ") ++ typeName(each.?);
            return typeName(function.return_type.?) ++ " (*" ++ parameter.name ++ ")(" ++ list ++ ")";
        },
        .text => {
            if (T != ?[*:0]const u8) @compileError(parameter.name ++ " is not a ?[*:0]const u8");
            return "const char *" ++ parameter.name;
        },
        .buffer => {
            if (info != .pointer or info.pointer.size != .many) @compileError(parameter.name ++ " is not a [*]T");
            const constant = if (info.pointer.attrs.@"const") "const " else "";
            return constant ++ typeName(info.pointer.child) ++ " " ++ parameter.name ++ "[" ++ parameter.length ++ "]";
        },
        .out => {
            if (info != .pointer or info.pointer.size != .one) @compileError(parameter.name ++ " is not a *T");
            return "out " ++ typeName(info.pointer.child) ++ " *" ++ parameter.name;
        },
        .resolver => {
            if (T != *const Resolver) @compileError("the resolver is not a *const Resolver");
            return "resolver";
        },
    }
}

/// The type of a function that `?*const fn` points to, or null for another type.
fn callbackType(comptime T: type) ?type {
    const optional = switch (@typeInfo(T)) {
        .optional => |optional| @typeInfo(optional.child),
        else => return null,
    };
    return if (optional == .pointer and @typeInfo(optional.pointer.child) == .@"fn") optional.pointer.child else null;
}

fn signature(comptime Function: type, comptime parameters: []const Parameter, comptime errors: Errors) [:0]const u8 {
    const function = @typeInfo(Function).@"fn";
    if (function.param_types.len != parameters.len) @compileError("the function has another number of parameters");
    const Result = function.return_type.?;
    comptime var definitions: []const u8 = definition(Result);
    comptime var list: []const u8 = "";
    inline for (function.param_types, parameters, 0..) |each, parameter, i| {
        list = list ++ (if (i == 0) "" else ", ") ++ comptime declaration(each.?, parameter);
        const own = comptime definition(each.?);
        if (comptime std.mem.indexOf(u8, definitions, own) == null) definitions = definitions ++ own;
    }
    const end = if (errors == .errno) ") errno" else ")";
    return definitions ++ comptime typeName(Result) ++ " (" ++ (if (list.len == 0) "void" else list) ++ end;
}

/// The identity of a registration.
pub const Registration = struct {
    uuid: [:0]const u8,
    name: [:0]const u8,
    tags: []const [*:0]const u8,
    description: [:0]const u8,
};

const Contract = struct {
    name: [:0]const u8,
    lifetime: Lifetime,
    vtable: *const anyopaque,
    destroy: *const fn (*anyopaque) callconv(.c) void,
};

/// Registers functions and factories while the entry runs.
pub const Registrar = struct {
    raw: *const RawRegistrar,

    /// Registers a function for calls.
    pub fn function(
        self: Registrar,
        registration: Registration,
        comptime body: anytype,
        comptime parameters: []const Parameter,
        comptime errors: Errors,
    ) Error!void {
        return self.register(registration, &body, comptime signature(@TypeOf(body), parameters, errors), null);
    }

    /// Registers a stage of a stream: `T` has the functions `feed` and `finish`. `create` returns what `make`
    /// returns.
    pub fn transform(
        self: Registrar,
        comptime T: type,
        registration: Registration,
        comptime create: anytype,
        comptime parameters: []const Parameter,
    ) Error!void {
        return self.contract(T, &Stage(T).table, "troupe.transform/1", .transient, registration, create, parameters);
    }

    /// Registers instances of a contract. The functions of its table take a pointer to a `T`. `create` returns what
    /// `make` returns.
    pub fn contract(
        self: Registrar,
        comptime T: type,
        table: *const anyopaque,
        name: [:0]const u8,
        lifetime: Lifetime,
        registration: Registration,
        comptime create: anytype,
        comptime parameters: []const Parameter,
    ) Error!void {
        const text_of_type = comptime signature(@TypeOf(create), parameters, .none);
        const of = Contract{ .name = name, .lifetime = lifetime, .vtable = table, .destroy = Held(T).destroy };
        return self.register(registration, &create, text_of_type, of);
    }

    fn register(self: Registrar, of: Registration, body: *const anyopaque, type_text: [:0]const u8, made: ?Contract) Error!void {
        const metadata = [_]RawMetadata{.{ .key = "description", .value = of.description.ptr }};
        const factory = RawFactory{
            .lifetime = if (made) |each| each.lifetime else .transient,
            .uuid = of.uuid.ptr,
            .name = of.name.ptr,
            .contract = if (made) |each| each.name.ptr else null,
            .signature = type_text.ptr,
            .function = body,
            .destroy = if (made) |each| each.destroy else null,
            .vtable = if (made) |each| each.vtable else null,
            .tags = of.tags.ptr,
            .metadata = &metadata,
            .tag_count = @intCast(of.tags.len),
            .metadata_count = metadata.len,
        };
        if (self.raw.register_factory(self.raw, &factory) != ok) return error.Failed;
    }
};

/// An instance in memory of its own. Its address is that of the object.
fn Held(comptime T: type) type {
    return struct {
        object: T align(@max(@alignOf(T), @alignOf(usize))),
        message: [160:0]u8 = @splat(0),

        const Self = @This();

        fn of(instance: *anyopaque) *Self {
            const object: *T = @ptrCast(@alignCast(instance));
            return @alignCast(@fieldParentPtr("object", object));
        }

        fn destroy(instance: *anyopaque) callconv(.c) void {
            const self = of(instance);
            if (@hasDecl(T, "deinit")) self.object.deinit();
            allocator.destroy(self);
        }
    };
}

/// Returns a new instance for the host, or null after an error.
pub fn make(comptime T: type, object: Error!T) ?*anyopaque {
    const held = allocator.create(Held(T)) catch return null;
    held.* = .{ .object = object catch {
        allocator.destroy(held);
        return null;
    } };
    return &held.object;
}

/// The output of a stage. Valid for the call that it was passed to.
pub const Output = struct {
    raw: *const RawOutput,
    message: *[160:0]u8,
    status: Status = failed,

    /// Writes bytes. The stage returns an error unchanged.
    pub fn write(self: *Output, bytes: []const u8) Error!void {
        const status = self.raw.write(self.raw, bytes.ptr, bytes.len);
        if (status == ok) return;
        self.status = status;
        return error.Failed;
    }

    /// Sets the reason of a failure, cut to 160 bytes, and returns the error for the stage to return.
    pub fn fail(self: *Output, comptime format: []const u8, arguments: anytype) Error {
        writeText(self.message, format, arguments);
        return error.Failed;
    }
};

/// The functions of the contract for a type of stage. The host uses an instance on one thread at a time.
fn Stage(comptime T: type) type {
    return struct {
        const table = RawTransform{ .feed = feed, .finish = finish, .message = message };

        fn feed(instance: *anyopaque, bytes: [*]const u8, count: usize, raw: *const RawOutput) callconv(.c) Status {
            const held = Held(T).of(instance);
            var output = Output{ .raw = raw, .message = &held.message };
            held.object.feed(bytes[0..count], &output) catch return output.status;
            return ok;
        }

        fn finish(instance: *anyopaque, raw: *const RawOutput) callconv(.c) Status {
            const held = Held(T).of(instance);
            var output = Output{ .raw = raw, .message = &held.message };
            held.object.finish(&output) catch return output.status;
            return ok;
        }

        fn message(instance: *anyopaque) callconv(.c) ?[*:0]const u8 {
            const held = Held(T).of(instance);
            return if (held.message[0] == 0) null else &held.message;
        }
    };
}

/// Resolves the registrations of plugins and programs. Valid for as long as the instance whose factory gets it.
pub const Resolver = extern struct {
    struct_size: u32,
    reserved: u32,
    context: *anyopaque,
    raw_resolve: *const fn (*const Resolver, *const RawQuery, *RawInstance) callconv(.c) Status,
    raw_resolve_all: *const fn (*const Resolver, *const RawQuery, *?[*]RawInstance, *usize) callconv(.c) Status,
    raw_release: *const fn (*const Resolver, RawInstance) callconv(.c) void,
    raw_message: *const fn (*const Resolver) callconv(.c) ?[*:0]const u8,

    /// Resolves the one instance of a contract with these tags. `Table` is the contract's table, whose first member
    /// is its size.
    pub fn resolve(
        self: *const Resolver,
        comptime Table: type,
        contract: [:0]const u8,
        tags: []const [*:0]const u8,
    ) Error!Instance(Table) {
        const query = RawQuery{ .tag_count = @intCast(tags.len), .contract = contract.ptr, .tags = tags.ptr };
        var raw = RawInstance{};
        if (self.raw_resolve(self, &query, &raw) != ok) {
            if (self.raw_message(self)) |reason| host.raw_fail(host, reason);
            return error.Failed;
        }
        const instance = Instance(Table){ .resolver = self, .raw = raw };
        const size: ?*const u32 = @ptrCast(@alignCast(raw.vtable));
        if (size == null or size.?.* < @sizeOf(Table)) {
            instance.release();
            return host.fail("the table of the resolved instance is too small");
        }
        return instance;
    }
};

/// A resolved instance of a contract with this table.
pub fn Instance(comptime Table: type) type {
    return struct {
        resolver: *const Resolver,
        raw: RawInstance,

        const Self = @This();

        pub fn table(self: Self) *const Table {
            return @ptrCast(@alignCast(self.raw.vtable.?));
        }

        /// The first argument for the functions of the table.
        pub fn object(self: Self) *anyopaque {
            return self.raw.object.?;
        }

        /// Releases the instance, which must not be used afterwards.
        pub fn release(self: Self) void {
            self.resolver.raw_release(self.resolver, self.raw);
        }
    };
}
