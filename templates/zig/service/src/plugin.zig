//! Objects with a contract of their own, and a stage that resolves them.
//!
//! Two factories make counters, whose contract is in `counter.zig`: one counter for each text that is processed, and
//! one for all. The stage numbers lines with the numbers of both.
const std = @import("std");
const troupe = @import("troupe.zig");
const counters = @import("counter.zig");

comptime {
    troupe.plugin(
        \\{"id":"@ID@","name":"@TITLE@","version":"0.1.0","language":"zig","abi":"1.0",
        \\"provides":["@ID@.counter/1"],
        \\"settings":[{"key":"start","type":"integer","default":1,"minimum":0,"maximum":1000000,
        \\"description":"The first number of each counter"}]}
    , register);
}

/// Numbers lines with the numbers of two counters.
const Numbering = struct {
    of_text: counters.ResolvedCounter,
    of_all: counters.ResolvedCounter,
    /// Whether the number of the current line is written.
    is_begun: bool = false,

    fn init(resolver: *const troupe.Resolver) troupe.Error!Numbering {
        const of_text = try counters.ResolvedCounter.resolve(resolver, &.{ "@NAME@", "of-text" });
        errdefer of_text.deinit();
        return .{ .of_text = of_text, .of_all = try counters.ResolvedCounter.resolve(resolver, &.{ "@NAME@", "of-all" }) };
    }

    pub fn deinit(self: *Numbering) void {
        self.of_all.deinit();
        self.of_text.deinit();
    }

    pub fn feed(self: *Numbering, bytes: []const u8, output: *troupe.Output) troupe.Error!void {
        var rest = bytes;
        while (rest.len > 0) {
            if (!self.is_begun) {
                var number: [64]u8 = undefined;
                const text = std.fmt.bufPrint(&number, "{d}/{d}\t", .{ self.of_text.next(), self.of_all.next() }) catch unreachable;
                try output.write(text);
            }
            const newline = std.mem.indexOfScalar(u8, rest, '\n');
            self.is_begun = newline == null;
            const length = if (newline) |end| end + 1 else rest.len;
            try output.write(rest[0..length]);
            rest = rest[length..];
        }
    }

    /// Writes nothing: `feed` has written everything.
    pub fn finish(_: *Numbering, _: *troupe.Output) troupe.Error!void {}
};

fn makeCounter() callconv(.c) ?*anyopaque {
    const start = troupe.host.integer("start") catch return null;
    return troupe.make(counters.Counter, .{ .number = start });
}

fn makeNumbering(resolver: *const troupe.Resolver) callconv(.c) ?*anyopaque {
    return troupe.make(Numbering, Numbering.init(resolver));
}

fn register(registrar: troupe.Registrar) troupe.Error!void {
    const Counter = counters.Counter;
    try registrar.contract(Counter, &Counter.table, counters.contract, .scoped, .{
        .uuid = "@UUID1@",
        .name = "@NAME@-of-text",
        .tags = &.{ "@NAME@", "of-text" },
        .description = "a counter for each text",
    }, makeCounter, &.{});
    try registrar.contract(Counter, &Counter.table, counters.contract, .singleton, .{
        .uuid = "@UUID2@",
        .name = "@NAME@-of-all",
        .tags = &.{ "@NAME@", "of-all" },
        .description = "a counter for all texts",
    }, makeCounter, &.{});
    try registrar.transform(Numbering, .{
        .uuid = "@UUID3@",
        .name = "@NAME@",
        .tags = &.{"@NAME@"},
        .description = "numbers lines, in the text and in all texts",
    }, makeNumbering, &.{troupe.resolver});
}
