//! The sum of 1 to n, by a thread of the library.
const std = @import("std");

export fn runtime_sum(n: i64) i64 {
    var sum: i64 = 0;
    const thread = std.Thread.spawn(.{}, add, .{ &sum, n }) catch return -1;
    thread.join();
    return sum;
}

fn add(sum: *i64, n: i64) void {
    var term: i64 = 1;
    while (term <= n) : (term += 1) sum.* += term;
}
