internal import CLinux
internal import Glibc
internal import TroupeFiles

/// The kind of process that opens a plugin. A remedy names the limits and permissions of that process.
enum LoadingProcess: Sendable {
  case program, probe, worker
}

/// A failed dlopen(3): its cause, and what helps against it.
///
/// The loader reports a text and no error number. The text names the step that failed and the library, which may be one that
/// the plugin needs. It does not say why a library cannot be mapped, so `mapping` asks the file, its file system and the
/// limits of the process.
struct LoaderError {
  private typealias Verdict = (problem: String, remedy: String)

  private let message: String
  private let file: String
  private let library: String
  private let process: LoadingProcess

  /// - Parameters:
  ///   - message: The text of dlerror(3) in English.
  ///   - path: The path that the loader was to open.
  ///   - file: The plugin's file, which may have been opened as a copy.
  init(_ message: String, opening path: String, of file: String, _ process: LoadingProcess) {
    let message = message.replacing(path, with: file)
    let colon = message.firstRange(of: ": ")
    library = colon.map { String(message[..<$0.lowerBound]) } ?? file
    (self.message, self.file, self.process) = (message, file, process)
  }

  var diagnosis: Diagnosis {
    let (problem, remedy) = verdict
    return Diagnosis(.notLoadable, problem: "cannot be loaded: \(problem)", remedy: remedy)
  }

  private var verdict: Verdict {
    if message.contains("cannot open shared object file") { return (message, openingRemedy) }
    if let version = text(between: "version `", and: "' not found") { return (message, remedy(forVersion: version)) }
    if let symbol = text(between: "undefined symbol: ", and: ",") {
      return (
        message,
        "rebuild \(library) with -l and -rpath for the library that defines \(symbol), or install a version of that library with it"
      )
    }
    if let provider = text(between: "not defined in file ", and: " with"), let symbol = text(between: "symbol ", and: ",") {
      return (message, "install a version of \(provider) that has \(symbol), or rebuild \(library) with the installed one")
    }
    if message.contains("static TLS block") {
      return (
        message,
        "rebuild \(library) without -ftls-model=initial-exec, or start the program with "
          + "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=\(threadMemory)"
      )
    }
    if message.contains("executable stack") { return (message, "rebuild \(library) with -Wl,-z,noexecstack") }
    if message.contains("segment prot after reloc") || message.contains("writable for relocation") {
      return (message, "rebuild \(library) with -fPIC and without -Wl,-z,notext: this system allows no relocations in code")
    }
    if message.contains("failed to map segment") || message.contains("annot allocate") || message.contains("out of memory") {
      return mapping
    }
    return (message, "replace \(library) by a shared library for \(Machine.current)")
  }

  /// The text after one string and before another, or up to the end of the message.
  private func text(between start: String, and end: String) -> String? {
    guard let start = message.firstRange(of: start) else { return nil }
    let rest = message[start.upperBound...]
    return String(rest[..<(rest.firstRange(of: end)?.lowerBound ?? rest.endIndex)])
  }

  // MARK: Opening

  private var openingRemedy: String {
    switch message {
    case let message where message.hasSuffix("No such file or directory"):
      "install \(library), or rebuild what needs it with -rpath for its directory"
    case let message where message.hasSuffix("Permission denied"):
      process == .worker ? "grant the directory of \(library) to the worker (read:DIR)" : "let this user read \(library)"
    case let message where message.hasSuffix("Too many open files"):
      switch process {
      case .program: "raise the limit of open files (ulimit -n)"
      case .probe: "raise descriptors of ProbeLimits"
      case .worker: "raise descriptors of the worker's policy"
      }
    case let message where message.hasSuffix("Too many open files in system"): "raise fs.file-max with sysctl, as root"
    default: "make \(library) readable"
    }
  }

  private func remedy(forVersion version: String) -> String {
    let user = text(between: "(required by ", and: ")") ?? file
    switch version {
    case "GLIBC_ABI_DT_RELR":
      return "rebuild \(user) with -Wl,-z,nopack-relative-relocs, or update the C library to 2.36 or newer"
    case let version where version.hasPrefix("GLIBC_"):
      let own = String(cString: linux_c_library_version())
      return "rebuild \(user) on a system with the C library \(own) or older, or update this system"
    case let version where version.hasPrefix("GLIBCXX_") || version.hasPrefix("CXXABI_"):
      return "rebuild \(user) with this system's compiler, or install a newer libstdc++"
    default:
      return "install a version of \(library) that has \(version), or rebuild \(user) with the installed one"
    }
  }

  // MARK: Memory

  /// The value of the tunable with which the thread-local storage of the library fits: its size in pages, with at least one
  /// page to spare.
  private var threadMemory: UInt64 {
    let size = try? ELFFile(path: library).threadLocalSize
    return ((size ?? 0) >> 12 + 2) << 12
  }

  private var mapping: Verdict {
    if let mount = MountPoint.withoutExecution(library) {
      return (
        MountPoint.problem(of: library, mount),
        "move it to another file system, or run mount -o remount,exec \(mount) as root"
      )
    }
    if isForbidden {
      return (
        "\(message), since the system forbids code from this file",
        "allow it in the security policy of the system, such as SELinux or AppArmor, whose log has the rule"
      )
    }
    var limits = rlimit()
    let isLimited = getrlimit(Int32(RLIMIT_AS.rawValue), &limits) == 0 && limits.rlim_cur != rlim_t.max
    let problem = isLimited ? "\(message), and the address space is limited to \(limits.rlim_cur >> 20) MiB" : message
    switch process {
    case .probe: return (problem, "raise memory of ProbeLimits")
    case .worker: return (problem, "raise memory of the worker's policy")
    case .program: return (problem, isLimited ? "raise the limit (ulimit -v)" : "make memory available")
    }
  }

  /// Whether the system forbids to map code of the library, although its file system and its mode allow it.
  private var isForbidden: Bool {
    guard let file = try? RegularFile(path: library) else { return false }
    let page = mmap(nil, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, file.bytes.descriptor.rawValue, 0)
    let code = errno
    guard page == MAP_FAILED else {
      munmap(page, 1)
      return false
    }
    return [EPERM, EACCES].contains(code)
  }
}
