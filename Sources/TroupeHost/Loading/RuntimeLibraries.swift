internal import Glibc
internal import TroupeFiles

/// The libraries of C, C++ and the Swift toolchain, which nearly every plugin needs and no plugin brings. They keep their interfaces, by
/// versions of their symbols or because the host accepts only plugins of its own Swift.
enum RuntimeLibraries {
  /// The names of those of C and C++.
  static let ofC: Set<String> = [
    "libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libmvec.so.1", "libgcc_s.so.1", "libstdc++.so.6",
    "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "ld-linux-riscv64-lp64d.so.1",
  ]

  /// Returns true for a library of C or C++, and for one that has a name like those of the Swift toolchain and lies beside a Swift runtime:
  /// that of this process, or that of the toolchain if an installed program has its own. So a library such as `libswiftgreetings.so` in the
  /// directory of a bundled runtime is not examined.
  static func contain(_ name: String, at path: String) -> Bool {
    if ofC.contains(name) { return true }
    guard toolchainNames.contains(where: { name.utf8.starts(with: $0.utf8) }) else { return false }
    return access("\(Path.directory(of: path))/libswiftCore.so", F_OK) == 0
  }

  private static let toolchainNames = [
    "libswift", "lib_", "libFoundation", "libdispatch.", "libBlocksRuntime.", "libTesting.", "libXCTest.",
  ]
}
