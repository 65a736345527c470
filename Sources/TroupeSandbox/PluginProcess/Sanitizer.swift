internal import Glibc
package import TroupeFiles

/// A sanitizer of GCC or Clang. Most runtimes reserve terabytes of address space and work only in a process that loads them before any
/// other library.
package struct Sanitizer {
  private let name: String
  /// The function of the runtime that instrumented code calls first, or the prefix of all of them.
  private let symbol: String
  /// The prefix of the runtime's file name.
  private let gcc, clang: String
  /// The environment variable with which the command's exit status is right, and a space; empty for none.
  ///
  /// The Swift runtime stores some pointers in a form that leak detection does not recognize, so that it reports objects that are in use.
  /// The thread sanitizer does not see how Dispatch synchronizes threads, and would report memory that one frees for another.
  private var variable = ""
  /// Whether the runtime works only as the first library of the process.
  private var isFirst = true

  private static let all = [
    Sanitizer(
      name: "address", symbol: "__asan_init", gcc: "libasan.", clang: "libclang_rt.asan",
      variable: "ASAN_OPTIONS=detect_leaks=0 "),
    Sanitizer(
      name: "hardware address", symbol: "__hwasan_init", gcc: "libhwasan.", clang: "libclang_rt.hwasan",
      variable: "HWASAN_OPTIONS=detect_leaks=0 "),
    Sanitizer(
      name: "leak", symbol: "__lsan_init", gcc: "liblsan.", clang: "libclang_rt.lsan", variable: "LSAN_OPTIONS=exitcode=0 "),
    Sanitizer(name: "memory", symbol: "__msan_init", gcc: "libmsan.", clang: "libclang_rt.msan"),
    Sanitizer(
      name: "thread", symbol: "__tsan_init", gcc: "libtsan.", clang: "libclang_rt.tsan",
      variable: "TSAN_OPTIONS=ignore_noninstrumented_modules=1 "),
    Sanitizer(
      name: "undefined behavior", symbol: "__ubsan_handle_", gcc: "libubsan.", clang: "libclang_rt.ubsan_standalone",
      isFirst: false),
  ]

  /// Whether the calling process contains a runtime that has to be the first library.
  package static var isLoaded: Bool { all.contains { $0.isFirst && dlsym(nil, $0.symbol) != nil } }

  /// The fault of a plugin that was built with a sanitizer whose runtime the calling process lacks, or nil. Reads the symbols of the
  /// library.
  package static func diagnosis(path: String, library: String) -> Diagnosis? {
    guard !isLoaded, let file = try? RegularFile(path: library) else { return nil }
    guard let elf = try? ELFFile(file.bytes), let section = try? elf.dynamicSection() else { return nil }
    for sanitizer in all {
      let runtime = section.needed.first { name in
        [sanitizer.gcc, sanitizer.clang].contains { name.utf8.starts(with: $0.utf8) }
      }
      if runtime != nil {
        guard sanitizer.isFirst else { continue }
      } else {
        // Clang leaves the runtime to the program.
        guard let symbol = try? elf.neededSymbol(sanitizer.symbol, section), dlsym(nil, symbol) == nil else { continue }
      }
      return Diagnosis(
        .notLoadable, path,
        problem: "was built with the \(sanitizer.name) sanitizer, whose runtime has to be the first library of the process",
        remedy: "start the program with \(sanitizer.variable)LD_PRELOAD=\(sanitizer.preload(runtime)), "
          + "or build the plugin without the sanitizer")
    }
    return nil
  }

  /// The value of `LD_PRELOAD` for a shell. The loader does not find the libraries of Clang by their names.
  ///
  /// - Parameter runtime: The name of the runtime that the plugin links, or nil if it links none, which is Clang's default.
  private func preload(_ runtime: String?) -> String {
    let name = runtime ?? "\(clang)-\(Machine.current).so"
    return name.utf8.starts(with: clang.utf8) ? "$(clang -print-file-name=\(name))" : name
  }
}
