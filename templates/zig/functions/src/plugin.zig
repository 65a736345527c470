//! Functions that the host calls with the values of its user.
//!
//! The registrar makes a signature from the type of each. The host converts arguments and results by it. The
//! functions keep no state, so that the host may call them on several threads at once.
const std = @import("std");
const troupe = @import("troupe.zig");

comptime {
    troupe.plugin(
        \\{"id":"@ID@","name":"@TITLE@","version":"0.1.0","language":"zig","abi":"1.0"}
    , register);
}

/// Numbers.
fn fahrenheit(celsius: f64) callconv(.c) f64 {
    return celsius * 9 / 5 + 32;
}

/// Text. The host releases the result.
fn greeting(name: ?[*:0]const u8) callconv(.c) ?[*:0]u8 {
    const who = troupe.slice(name orelse "world");
    const made = std.mem.concatWithSentinel(troupe.allocator, u8, &.{ "Hello, ", who, "!" }, 0) catch return null;
    return made.ptr;
}

/// A buffer with its length. The caller passes an array, and the host the length.
fn mean(numbers: [*]const f64, count: usize) callconv(.c) f64 {
    var sum: f64 = 0;
    for (0..count) |i| sum += numbers[i];
    return if (count == 0) 0 else sum / @as(f64, @floatFromInt(count));
}

/// A struct.
const point = extern struct { x: f64, y: f64 };

fn midpoint(a: point, b: point) callconv(.c) point {
    return .{ .x = (a.x + b.x) / 2, .y = (a.y + b.y) / 2 };
}

/// Outputs, and an error: the host reports errno if the result is -1.
fn divide(dividend: c_int, divisor: c_int, quotient: *c_int, remainder: *c_int) callconv(.c) c_int {
    quotient.* = std.math.divTrunc(c_int, dividend, divisor) catch {
        std.c._errno().* = @intFromEnum(std.c.E.DOM);
        return -1;
    };
    remainder.* = dividend - quotient.* * divisor;
    return 0;
}

/// A callback: the caller passes a function of this type, such as the next one. The host returns the changed buffer.
fn sort(numbers: [*]c_int, count: usize, precedes: ?*const fn (c_int, c_int) callconv(.c) c_int) callconv(.c) void {
    const comes_first = precedes orelse return;
    for (0..count) |end| {
        var i = end;
        while (i > 0 and comes_first(numbers[i], numbers[i - 1]) != 0) : (i -= 1) {
            std.mem.swap(c_int, &numbers[i], &numbers[i - 1]);
        }
    }
}

fn descending(a: c_int, b: c_int) callconv(.c) c_int {
    return @intFromBool(a > b);
}

fn of(uuid: [:0]const u8, name: [:0]const u8, description: [:0]const u8) troupe.Registration {
    return .{ .uuid = uuid, .name = name, .tags = &.{"@NAME@"}, .description = description };
}

fn register(registrar: troupe.Registrar) troupe.Error!void {
    try registrar.function(
        of("@UUID1@", "fahrenheit", "Converts a temperature from degrees Celsius to degrees Fahrenheit."),
        fahrenheit,
        &.{troupe.value("celsius")},
        .none,
    );
    try registrar.function(of("@UUID2@", "greeting", "Greets someone by name."), greeting, &.{troupe.text("name")}, .none);
    try registrar.function(
        of("@UUID3@", "mean", "Returns the arithmetic mean, 0 without numbers."),
        mean,
        &.{ troupe.buffer("numbers", "count"), troupe.value("count") },
        .none,
    );
    try registrar.function(
        of("@UUID4@", "midpoint", "Returns the point in the middle of two points."),
        midpoint,
        &.{ troupe.value("a"), troupe.value("b") },
        .none,
    );
    try registrar.function(
        of("@UUID5@", "divide", "Divides two integers. A divisor of 0 is the error EDOM."),
        divide,
        &.{ troupe.value("dividend"), troupe.value("divisor"), troupe.out("quotient"), troupe.out("remainder") },
        .errno,
    );
    try registrar.function(
        of("@UUID6@", "sort", "Sorts integers with a function such as descending."),
        sort,
        &.{ troupe.buffer("numbers", "count"), troupe.value("count"), troupe.value("precedes") },
        .none,
    );
    try registrar.function(
        of("@UUID7@", "descending", "Returns whether the first integer is larger."),
        descending,
        &.{ troupe.value("a"), troupe.value("b") },
        .none,
    );
}
