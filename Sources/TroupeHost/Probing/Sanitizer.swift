internal import Glibc

/// The runtimes of the address, leak, memory and thread sanitizers.
///
/// Each reserves terabytes of address space, and works only in a process that loads it before any other library.
enum Sanitizer {
  /// Whether the calling process contains one.
  static var isLoaded: Bool { initializers.contains { dlsym(nil, $0) != nil } }

  /// The runtime that a library links, such as `libasan.so.8`; nil if it links none or cannot be read.
  static func runtime(of library: String) -> String? {
    guard let file = try? PluginFile(path: library), let section = try? ELFFile(file.bytes).dynamicSection() else { return nil }
    return section.needed.first { name in names.contains { name.utf8.starts(with: $0.utf8) } }
  }

  /// The fault of a plugin that links a runtime which the calling process lacks, or nil.
  static func fault(of request: ProbeRequest) -> PluginFault? {
    guard !isLoaded, let runtime = runtime(of: request.library) else { return nil }
    return PluginFault(
      path: request.path, code: .notLoadable,
      problem: "was built with a sanitizer, whose runtime \(runtime) has to be the first library of the process",
      remedy: "start the program with LD_PRELOAD=\(runtime), or build the plugin without the sanitizer")
  }

  private static let initializers = ["__asan_init", "__hwasan_init", "__lsan_init", "__msan_init", "__tsan_init"]

  /// What the names of their libraries begin with, for GCC and Clang.
  private static let names = [
    "libasan.", "libhwasan.", "liblsan.", "libtsan.", "libclang_rt.asan", "libclang_rt.hwasan", "libclang_rt.lsan",
    "libclang_rt.msan", "libclang_rt.tsan",
  ]
}
