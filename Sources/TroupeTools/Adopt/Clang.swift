internal import CLinux
internal import Glibc
package import TroupeHost

/// Reads C headers with the clang of the Swift toolchain.
///
/// The compiler runs once, in a child process with limits: nested macros in a small header can have a syntax tree of any size. Headers
/// that exceed a limit or do not compile are a `Diagnosis`.
package struct Clang {
  package struct Limits: Sendable {
    /// The size of the syntax tree in bytes.
    package var tree = 1 << 30
    /// The address space in bytes.
    package var memory = 4 << 30
    /// The processor time in seconds.
    package var seconds = 60

    package init() {}
  }

  private let path: String
  private let limits: Limits

  /// Finds the compiler: beside `swiftc` in PATH, beside the target of the link `swiftc`, or as `clang` in PATH. Throws a `Diagnosis`.
  package init(limits: Limits = Limits()) throws(Diagnosis) {
    let directories = (Environment.value("PATH") ?? "").split(separator: ":").map(String.init)
    let toolchain = directories.first { access($0 + "/swiftc", X_OK) == 0 }
    let target = toolchain.flatMap { realpath($0 + "/swiftc", nil) }
    defer { free(target) }
    let places = [toolchain, target.map { Path.directory(of: String(cString: $0)) }].compactMap(\.self) + directories
    guard let place = places.first(where: { access($0 + "/clang", X_OK) == 0 }) else {
      throw Diagnosis(
        .unavailable, "clang", problem: "is neither beside swiftc nor in PATH",
        remedy: "add the directory usr/bin of the Swift toolchain to PATH")
    }
    path = place + "/clang"
    self.limits = limits
  }

  /// Returns the syntax tree of headers as JSON. Throws a `Diagnosis`: `.unreadable` for a missing header, `.tooLarge` for one that
  /// exceeds a limit, `.invalidData` with the first error of the compiler.
  ///
  /// - Parameters:
  ///   - headers: Paths, or names such as `zlib.h` that the compiler searches.
  ///   - options: Further options of the compiler.
  package func syntaxTree(of headers: [String], options: [String]) throws -> [UInt8] {
    let source = try headers.map(Self.inclusion).joined()
    // In one process, to which the limits apply.
    let (status, tree, errors) = try run(
      [
        "-x", "c", "-std=gnu17", "-fsyntax-only", "-fintegrated-cc1", "-fno-crash-diagnostics", "-w", "-ferror-limit=1",
        "-fno-caret-diagnostics", "-fno-color-diagnostics",
      ] + options + ["-Xclang", "-ast-dump=json", "-"], input: source)
    guard let tree else { throw excess(headers, "has a syntax tree of more than \(limits.tree >> 20) MiB") }
    if status == -SIGXCPU { throw excess(headers, "takes the compiler more than \(limits.seconds) s of processor time") }
    if status != 0, errors.contains("out of memory") {
      throw excess(headers, "takes the compiler more than \(limits.memory >> 20) MiB of memory")
    }
    guard status == 0 else { throw Self.diagnosis(status, errors, headers) }
    return tree
  }

  /// Returns the preprocessed text of headers with the definitions of macros, as `clang -E -dD` writes it.
  ///
  /// - Parameter text: Lines behind those that include the headers.
  func preprocessed(_ headers: [String], with text: String = "", options: [String]) throws -> String {
    let (_, text, _) = try run(
      ["-x", "c", "-std=gnu17", "-E", "-dD", "-w"] + options + ["-"], input: try headers.map(Self.inclusion).joined() + text)
    return String(decoding: text ?? [], as: UTF8.self)
  }

  /// Compiles a source that includes headers to a shared library, which links another one.
  ///
  /// - Parameters:
  ///   - output: The path of the file. It is written whole, or not at all.
  ///   - arguments: The arguments of the linker's driver, among them the library.
  func compile(
    _ headers: [String], with source: String, to output: String, options: [String], linking arguments: [String]
  ) throws {
    let temporary = output + ".new"
    let (status, _, errors) = try run(
      ["-x", "c", "-std=gnu17", "-O2", "-fPIC", "-shared", "-w", "-fvisibility=hidden", "-fno-caret-diagnostics"] + options
        + ["-o", temporary, "-", "-x", "none"] + arguments, input: try headers.map(Self.inclusion).joined() + source)
    guard status == 0 else {
      unlink(temporary)
      throw Self.diagnosis(status, errors, headers)
    }
    guard rename(temporary, output) == 0 else {
      let error = SystemError(code: errno)
      unlink(temporary)
      throw Diagnosis(.inputOutput, output, problem: "cannot be written: \(error)", remedy: "name another file with -o")
    }
  }

  /// Returns the syntax tree of headers that compile, and of declarations behind them, of which the compiler skips the wrong ones. Nil if it
  /// exceeds a limit.
  func syntaxTree(of headers: [String], with declarations: String, options: [String]) throws -> [UInt8]? {
    try run(
      [
        "-x", "c", "-std=gnu17", "-fsyntax-only", "-fintegrated-cc1", "-fno-crash-diagnostics", "-w", "-ferror-limit=0",
        "-fmacro-backtrace-limit=1", "-fno-caret-diagnostics", "-fno-color-diagnostics",
      ] + options + ["-Xclang", "-ast-dump=json", "-"], input: try headers.map(Self.inclusion).joined() + declarations
    ).tree
  }

  private func excess(_ headers: [String], _ problem: String) -> Diagnosis {
    Diagnosis(.tooLarge, headers.joined(separator: ", "), problem: problem, remedy: "include a smaller header")
  }

  /// The line that includes a header.
  private static func inclusion(_ header: String) throws -> String {
    guard !header.isEmpty else { throw Diagnosis(.usage, problem: "HEADER is empty", remedy: "name a header, such as zlib.h") }
    guard !header.contains(where: { "\"<>\n\\".contains($0) }) else {
      throw Diagnosis(
        .usage, header, problem: "has a character in its name that #include does not take", remedy: "rename the header")
    }
    var status = stat()
    guard stat(header, &status) == 0 else { return "#include <\(header)>\n" }
    guard status.st_mode & S_IFMT == S_IFREG, access(header, R_OK) == 0 else {
      throw Diagnosis(.unreadable, header, problem: "is not a readable file", remedy: "name a header")
    }
    return "#include \"\(try Path.absolute(header))\"\n"
  }

  /// The first error among the compiler's messages, or else the compiler's exit status or the signal that ended it.
  private static func diagnosis(_ status: Int32, _ messages: String, _ headers: [String]) -> Diagnosis {
    for line in messages.split(separator: "\n") {
      for mark in [": fatal error: ", ": error: "] {
        guard let range = line.firstRange(of: mark) else { continue }
        let (place, problem) = (line[..<range.lowerBound], line[range.upperBound...])
        // A path may have colons, too.
        let parts = place.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count > 2 else { continue }
        let (file, location) = (parts.dropLast(2).joined(separator: ":"), parts.suffix(2).joined(separator: ", column "))
        if file == "<command line>" {
          return Diagnosis(.usage, "-D", problem: String(problem), remedy: "write NAME or NAME=VALUE, such as COUNT=2")
        }
        if file == "<stdin>", let header = headers.first(where: { problem.hasPrefix("'\($0)' file not found") }) {
          return Diagnosis(
            .unreadable, header, problem: "is neither a file nor a header in the compiler's directories",
            remedy: "correct the path, or add a directory with -I")
        }
        // At the end of a header, the compiler is back in the line that includes it.
        let number = file == "<stdin>" ? Int(parts[1]) : nil
        let included = number.flatMap { headers.indices.contains($0 - 1) ? headers[$0 - 1] : nil }
        return Diagnosis(
          .invalidData, included ?? file,
          problem: "does not compile at \(included == nil ? "line \(location)" : "its end"): \(problem)",
          remedy: "correct the header, include another one before it, or set the options -I and -D")
      }
    }
    let end = status < 0 ? "was ended by \(SignalName.of(-status))" : "ended with status \(status)"
    let words = messages.split(separator: "\n").first.map { ": \($0.prefix(200))" } ?? ""
    return Diagnosis(.unavailable, "clang", problem: end + words, remedy: "run it with the header")
  }

  // MARK: The process

  /// Runs the compiler. Its input and its messages are files in memory, so that neither can fill up. The syntax tree passes through a
  /// pipe, so that the compiler ends with its reader. The tree is nil if it is larger than its limit.
  private func run(_ arguments: [String], input: String) throws -> (status: Int32, tree: [UInt8]?, errors: String) {
    do throws(SystemError) {
      let source = try Self.memory()
      let errors = try Self.memory()
      try source.write(Array(input.utf8))
      lseek(source.rawValue, 0, SEEK_SET)
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { throw SystemError(code: errno) }
      let reader = FileDescriptor(owning: ends[0])
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      let process = try spawn(arguments, source, FileDescriptor(owning: ends[1]), errors)
      do throws(SystemError) {
        let tree = try content(of: reader)
        if tree == nil { kill(process, SIGKILL) }
        let status = try Self.wait(for: process)
        lseek(errors.rawValue, 0, SEEK_SET)
        return (status, tree, String(decoding: try errors.readToEnd(), as: UTF8.self))
      } catch {
        kill(process, SIGKILL)
        _ = try? Self.wait(for: process)
        throw error
      }
    } catch {
      throw Diagnosis(.missingResource, path, problem: "cannot be run: \(error)")
    }
  }

  private static func memory() throws(SystemError) -> FileDescriptor {
    let rawValue = linux_memfd_create("clang")
    guard rawValue >= 0 else { throw SystemError(code: errno) }
    return FileDescriptor(owning: rawValue)
  }

  /// Starts the compiler with its standard streams and its limits. Closes this process's copy of the output.
  private func spawn(
    _ arguments: [String], _ source: borrowing FileDescriptor, _ output: consuming FileDescriptor,
    _ errors: borrowing FileDescriptor
  ) throws(SystemError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, stream) in [source.rawValue, output.rawValue, errors.rawValue].enumerated() {
      posix_spawn_file_actions_adddup2(&actions, stream, Int32(number))
    }
    // Dispatch blocks signals on its threads, also those that end the compiler at its time limit or after its reader has ended.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, path, &actions, &attributes, words, environ)
    guard code == 0 else { throw SystemError(code: code) }
    let limits = [
      (RLIMIT_AS, limits.memory), (RLIMIT_CPU, limits.seconds), (RLIMIT_FSIZE, Self.messagesLimit), (RLIMIT_CORE, 0),
    ]
    for (resource, value) in limits { linux_prlimit(process, Int32(resource.rawValue), UInt64(value)) }
    return process
  }

  /// The largest size of the compiler's messages in bytes.
  private static let messagesLimit = 1 << 20

  /// Reads the syntax tree. Returns nil if it is larger than its limit.
  private func content(of reader: borrowing FileDescriptor) throws(SystemError) -> [UInt8]? {
    var tree: [UInt8] = []
    while case let piece = try reader.readPiece(), !piece.isEmpty {
      tree += piece
      if tree.count > limits.tree { return nil }
    }
    return tree
  }

  /// Waits for the end of the compiler. Returns its exit status, or the negative number of the signal that ended it.
  private static func wait(for process: pid_t) throws(SystemError) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { throw SystemError(code: errno) } }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
  }
}
