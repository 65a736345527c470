//! Objects with a contract of their own, and a stage that resolves them.
//!
//! Two factories make counters, whose contract is in `counter.zig`: one counter for each text that is processed, and
//! one for all. The stage numbers the lines of a text with the first, and counts the lines of all texts with the
//! second.
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

/// Numbers the lines of a text with one counter, and counts the lines of all texts with another.
const Numbering = struct {
    of_text: counters.ResolvedCounter,
    of_all: counters.ResolvedCounter,
    /// The last number of the counter for all texts.
    last: i64 = 0,
    /// Whether the number of the current line is written.
    is_begun: bool = false,

    fn init(resolver: *const troupe.Resolver) troupe.Error!Numbering {
        const of_text = try counters.ResolvedCounter.resolve(resolver, &.{ "@NAME@", "@NAME@-of-text" });
        errdefer of_text.deinit();
        const of_all = try counters.ResolvedCounter.resolve(resolver, &.{ "@NAME@", "@NAME@-of-all" });
        return .{ .of_text = of_text, .of_all = of_all };
    }

    pub fn deinit(self: *Numbering) void {
        self.of_all.deinit();
        self.of_text.deinit();
    }

    pub fn feed(self: *Numbering, bytes: []const u8, output: *troupe.Output) troupe.Error!void {
        var rest = bytes;
        while (rest.len > 0) {
            if (!self.is_begun) {
                var number: [32]u8 = undefined;
                try output.write(std.fmt.bufPrint(&number, "{d}\t", .{self.of_text.next()}) catch unreachable);
                self.last = self.of_all.next();
            }
            const newline = std.mem.indexOfScalar(u8, rest, '\n');
            self.is_begun = newline == null;
            const length = if (newline) |end| end + 1 else rest.len;
            try output.write(rest[0..length]);
            rest = rest[length..];
        }
    }

    /// Writes to the log alone: `feed` has written all of the output.
    pub fn finish(self: *Numbering, _: *troupe.Output) troupe.Error!void {
        troupe.host.log(.info, "{d} is the last number of all texts", .{self.last});
    }
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
        .tags = &.{ "@NAME@", "@NAME@-of-text" },
        .description = "Makes a counter for each text.",
    }, makeCounter, &.{});
    try registrar.contract(Counter, &Counter.table, counters.contract, .singleton, .{
        .uuid = "@UUID2@",
        .name = "@NAME@-of-all",
        .tags = &.{ "@NAME@", "@NAME@-of-all" },
        .description = "Makes one counter for all texts.",
    }, makeCounter, &.{});
    try registrar.transform(Numbering, .{
        .uuid = "@UUID3@",
        .name = "@NAME@",
        .tags = &.{"@NAME@"},
        .description = "Numbers the lines of a text, and counts the lines of all.",
    }, makeNumbering, &.{troupe.resolver});
}
