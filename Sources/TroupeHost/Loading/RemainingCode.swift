internal import TroupeFiles

/// Decides whether code of a library may run after its last instance has been released, so that its image must stay mapped.
///
/// After an unmap, a thread of a pool, the destructor of a thread key or a signal handler would run in unmapped memory. A
/// process cannot list them: nothing tells the destructor of a key, or the address to which a thread will return. But a library
/// gets each of them from the C library, by a function that it imports. So the rule is static: an image may be unmapped if
/// neither it nor a library that it needs imports such a function. OpenMP, TBB and the standard library of Rust do; a library
/// of plain functions does not.
///
/// The loader itself takes care of other code. When it closes a library, it runs the handlers of atexit(3) and the destructors
/// of static objects, and forgets the handlers of pthread_atfork(3). It keeps a library open until the threads that have its
/// `thread_local` objects have ended.
///
/// The imports do not show functions that are looked up with dlsym(3), direct system calls, and functions of the plugin that
/// other libraries keep.
package enum RemainingCode {
  /// Returns why an image must stay mapped, as the predicate of a sentence about the image; nil if it may be unmapped. Cost:
  /// reads the symbols of all libraries that it needs.
  ///
  /// - Parameters:
  ///   - library: The file that the loader opens.
  ///   - directory: The directory that `$ORIGIN` stands for; nil for that of the file.
  package static func obstacle(in library: String, directory: String? = nil) -> String? {
    let search = LoaderSearch()
    guard let root = search.library(library, directory: directory) else { return "cannot be read any more" }
    var rest = [root]
    // The runtimes import such functions, but call them only for their callers.
    var known = RuntimeLibraries.ofC
    while !rest.isEmpty {
      let next = rest.removeFirst()
      let subject = next.path == library ? "" : "needs \(next.path), which "
      guard let imports = imports(of: next.path) else { return subject + "cannot be read" }
      if let symbol = imports.first(where: isCause) { return "\(subject)uses \(name(symbol))" }
      for name in next.needed where known.insert(name).inserted {
        // The loader takes an open library before it searches for a file.
        let open = LinkMap(named: name).flatMap { $0.isUnchanged ? $0.name : nil }
        let file = open ?? search.files(name, neededBy: next).first
        guard let file, let library = search.library(file, neededBy: next) else { return "needs \(name), which cannot be read" }
        rest.append(library)
      }
    }
    return nil
  }

  private static func imports(of path: String) -> [String]? {
    guard let elf = try? ELFFile(path: path), let dynamic = try? elf.dynamicSection(),
      let symbols = try? elf.dynamicSymbols(dynamic)
    else { return nil }
    return symbols.lazy.filter { !$0.isDefined }.map(\.name)
  }

  private static func isCause(_ symbol: String) -> Bool { causes.contains(symbol) || symbol.utf8.starts(with: cppThread.utf8) }

  private static func name(_ symbol: String) -> String { causes.contains(symbol) ? symbol : "std::thread" }

  /// The functions that start threads, make keys with destructors, install handlers, or open libraries that `DT_NEEDED` does
  /// not name.
  private static let causes: Set<String> = [
    "pthread_create", "thrd_create", "clone", "__clone", "syscall", "timer_create", "mq_notify",
    "aio_read", "aio_read64", "aio_write", "aio_write64", "aio_fsync", "aio_fsync64", "lio_listio", "lio_listio64",
    "getaddrinfo_a",
    "pthread_key_create", "__pthread_key_create", "tss_create",
    "sigaction", "__sigaction", "signal", "bsd_signal", "__sysv_signal", "sysv_signal", "sigset", "ssignal", "on_exit",
    "fopencookie", "register_printf_function", "register_printf_specifier", "register_printf_type",
    // std::set_new_handler, std::set_terminate and std::locale::global.
    "_ZSt15set_new_handlerPFvvE", "_ZSt13set_terminatePFvvE", "_ZNSt6locale6globalERKS_",
    "dlopen", "dlmopen",
  ]

  /// The constructor of `std::thread` in libstdc++.
  private static let cppThread = "_ZNSt6thread15_M_start_thread"
}
