//! Two stages of a stream: each writes a prefix in front of each line.
//!
//! The prefix of the first stage is a setting, that of the second an argument.
const std = @import("std");
const troupe = @import("troupe.zig");

comptime {
    troupe.plugin(
        \\{"id":"@ID@","name":"@TITLE@","version":"0.1.0","language":"zig","abi":"1.0","settings":[
        \\{"key":"prefix","type":"text","default":"> ","description":"Text before each line"},
        \\{"key":"longest","type":"integer","default":1048576,"minimum":1,"maximum":1073741824,
        \\"description":"Bytes in the longest line"}]}
    , register);
}

/// Writes a prefix in front of each line. The host feeds pieces of any size, so that a line may begin in one piece
/// and end in another: an instance keeps its position in the line.
const LinePrefix = struct {
    prefix: []const u8,
    /// The largest number of bytes in a line.
    longest: usize,
    /// The number of the current line, and the number of its bytes so far.
    line: u64 = 1,
    column: usize = 0,
    /// Whether the prefix of the current line is written.
    is_begun: bool = false,

    fn init(prefix: []const u8) troupe.Error!LinePrefix {
        const longest = try troupe.host.integer("longest");
        return .{ .prefix = try troupe.allocator.dupe(u8, prefix), .longest = @intCast(longest) };
    }

    pub fn deinit(self: *LinePrefix) void {
        troupe.allocator.free(self.prefix);
    }

    pub fn feed(self: *LinePrefix, bytes: []const u8, output: *troupe.Output) troupe.Error!void {
        var rest = bytes;
        while (rest.len > 0) {
            if (!self.is_begun) try output.write(self.prefix);
            const newline = std.mem.indexOfScalar(u8, rest, '\n');
            self.is_begun = newline == null;
            self.column += newline orelse rest.len;
            if (self.column > self.longest) {
                const format = "line {d} is longer than {d} bytes; raise the setting \"longest\"";
                return output.fail(format, .{ self.line, self.longest });
            }
            const length = if (newline) |end| end + 1 else rest.len;
            try output.write(rest[0..length]);
            rest = rest[length..];
            if (newline != null) {
                self.line += 1;
                self.column = 0;
            }
        }
    }

    /// Writes nothing: `feed` has written everything.
    pub fn finish(_: *LinePrefix, _: *troupe.Output) troupe.Error!void {}
};

fn withSetting() callconv(.c) ?*anyopaque {
    const prefix = troupe.host.text("prefix") catch return null;
    return troupe.make(LinePrefix, LinePrefix.init(prefix));
}

fn withArgument(prefix: ?[*:0]const u8) callconv(.c) ?*anyopaque {
    return troupe.make(LinePrefix, LinePrefix.init(troupe.slice(prefix)));
}

fn register(registrar: troupe.Registrar) troupe.Error!void {
    try registrar.transform(LinePrefix, .{
        .uuid = "@UUID1@",
        .name = "@NAME@",
        .tags = &.{ "text", "@NAME@" },
        .description = "Writes the setting prefix in front of each line.",
    }, withSetting, &.{});
    try registrar.transform(LinePrefix, .{
        .uuid = "@UUID2@",
        .name = "@NAME@-with",
        .tags = &.{"@NAME@-with"},
        .description = "Writes its argument in front of each line.",
    }, withArgument, &.{troupe.text("prefix")});
}
