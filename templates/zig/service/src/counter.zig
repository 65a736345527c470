//! The contract `@ID@.counter/1`: an object that counts.
//!
//! A contract is a name, a table of functions, and these rules: the resolver owns a counter; each function may be
//! called on any thread, also on several at once; functions are only appended to the table, whose first member is its
//! size.
const troupe = @import("troupe.zig");

pub const contract = "@ID@.counter/1";

pub const Table = extern struct {
    struct_size: u32 = @sizeOf(Table),
    reserved: u32 = 0,
    /// Returns the counter's number and adds 1. Does not fail.
    next: *const fn (counter: *anyopaque) callconv(.c) i64,
};

/// A counter of this plugin.
pub const Counter = struct {
    number: i64,

    pub const table = Table{ .next = next };

    fn next(instance: *anyopaque) callconv(.c) i64 {
        const self: *Counter = @ptrCast(@alignCast(instance));
        return @atomicRmw(i64, &self.number, .Add, 1, .monotonic);
    }
};

/// A counter of any plugin.
pub const ResolvedCounter = struct {
    instance: troupe.Instance(Table),

    /// Resolves the counter with these tags, for an instance whose factory has got the resolver.
    pub fn resolve(resolver: *const troupe.Resolver, tags: []const [*:0]const u8) troupe.Error!ResolvedCounter {
        return .{ .instance = try resolver.resolve(Table, contract, tags) };
    }

    pub fn next(self: ResolvedCounter) i64 {
        return self.instance.table().next(self.instance.object());
    }

    pub fn deinit(self: ResolvedCounter) void {
        self.instance.release();
    }
};
