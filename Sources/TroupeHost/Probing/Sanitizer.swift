internal import Glibc

/// A sanitizer of GCC or Clang, whose runtime reserves terabytes of address space and works only in a process that loads it before
/// any other library.
struct Sanitizer {
  /// The name in a sentence.
  private let name: String
  /// The function of the runtime that instrumented code calls first.
  private let initializer: String
  /// The prefixes of the runtime's file names.
  private let libraries: [String]

  private static let all = [
    Sanitizer(name: "address", initializer: "__asan_init", libraries: ["libasan.", "libclang_rt.asan"]),
    Sanitizer(name: "hardware address", initializer: "__hwasan_init", libraries: ["libhwasan.", "libclang_rt.hwasan"]),
    Sanitizer(name: "leak", initializer: "__lsan_init", libraries: ["liblsan.", "libclang_rt.lsan"]),
    Sanitizer(name: "memory", initializer: "__msan_init", libraries: ["libclang_rt.msan"]),
    Sanitizer(name: "thread", initializer: "__tsan_init", libraries: ["libtsan.", "libclang_rt.tsan"]),
  ]

  /// Whether the calling process contains a runtime.
  static var isLoaded: Bool { all.contains { dlsym(nil, $0.initializer) != nil } }

  /// The fault of a plugin that was built with a sanitizer whose runtime the calling process lacks, or nil. Reads the names of the
  /// library's symbols.
  static func fault(of request: ProbeRequest) -> PluginFault? {
    guard !isLoaded, let file = try? PluginFile(path: request.library) else { return nil }
    guard let elf = try? ELFFile(file.bytes), let section = try? elf.dynamicSection() else { return nil }
    for sanitizer in all {
      let runtime = section.needed.first { name in sanitizer.libraries.contains { name.utf8.starts(with: $0.utf8) } }
      // Clang leaves the runtime to the program.
      guard runtime != nil || (try? elf.names(sanitizer.initializer, section)) == true else { continue }
      return PluginFault(
        path: request.path, code: .notLoadable,
        problem: "was built with the \(sanitizer.name) sanitizer, whose runtime has to be the first library of the process",
        remedy: "start the program with LD_PRELOAD=\(runtime ?? "RUNTIME"), or build the plugin without the sanitizer")
    }
    return nil
  }
}
