//! Builds, tests and installs the plugin @ID@. `troupe` has to be on the PATH for the test.
const std = @import("std");
const version = @import("builtin").zig_version;

comptime {
    if (version.major == 0 and version.minor < 17) @compileError("the plugin needs Zig 0.17");
}

pub fn build(b: *std.Build) void {
    const plugin = b.addLibrary(.{
        .name = "@IDENTIFIER@",
        .linkage = .dynamic,
        // Zig's own code generator for debug builds puts no symbol into a section.
        .use_llvm = true,
        .root_module = b.createModule(.{
            .root_source_file = b.path("src/plugin.zig"),
            .target = b.standardTargetOptions(.{}),
            .optimize = b.standardOptimizeOption(.{}),
            .link_libc = true,
        }),
    });
    const install = b.addInstallFileWithDir(plugin.getEmittedBin(), .prefix, "@NAME@.so");
    b.getInstallStep().dependOn(&install.step);

    const directory = b.addWriteFiles();
    _ = directory.addCopyFile(plugin.getEmittedBin(), "@NAME@.so");
    const run = b.addSystemCommand(&.{ "sh", "test.sh" });
    run.addDirectoryArg(directory.getDirectory());
    // The command may be another one than at the last run.
    run.has_side_effects = true;
    b.step("test", "Run test.sh, which uses the plugin through troupe").dependOn(&run.step);
}
