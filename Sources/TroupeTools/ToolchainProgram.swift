internal import CLinux
internal import Glibc
internal import TroupeHost

/// A program of the Swift toolchain, such as `clang`, that runs in a child process with limits.
///
/// The limits apply to one process: a program that starts others needs an option with which it does not.
package struct ToolchainProgram {
  package struct Limits: Sendable {
    /// The size of the standard output in bytes.
    package var output = 1 << 30
    /// The address space in bytes.
    package var memory = 4 << 30
    /// The processor time in seconds.
    package var seconds = 60
    /// The size in bytes of the messages, and of each file that the program writes, such as a module in the compiler's cache.
    package var files = 1 << 20

    package init() {}
  }

  private let path: String
  let limits: Limits

  /// Finds a program: beside `swiftc` in PATH, beside the target of the link `swiftc`, or in PATH. Throws a `Diagnosis`.
  init(_ name: String, limits: Limits) throws(Diagnosis) {
    let directories = (Environment.value("PATH") ?? "").split(separator: ":").map(String.init)
    let toolchain = directories.first { access($0 + "/swiftc", X_OK) == 0 }
    let target = toolchain.flatMap { realpath($0 + "/swiftc", nil) }
    defer { free(target) }
    let places = [toolchain, target.map { Path.directory(of: String(cString: $0)) }].compactMap(\.self) + directories
    guard let place = places.first(where: { access("\($0)/\(name)", X_OK) == 0 }) else {
      throw Diagnosis(
        .unavailable, name, problem: "is neither beside swiftc nor in PATH",
        remedy: "add the directory usr/bin of the Swift toolchain to PATH")
    }
    path = "\(place)/\(name)"
    self.limits = limits
  }

  /// Runs the program. Its input and its messages are files in memory, so that neither can fill up. The output passes through a pipe, so
  /// that the program ends with its reader. The output is nil if it is larger than its limit. The status is the exit status, or the
  /// negative number of the signal that ended the program.
  func run(_ arguments: [String], input: String = "") throws -> (status: Int32, output: [UInt8]?, errors: String) {
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
        let output = try content(of: reader)
        if output == nil { kill(process, SIGKILL) }
        let status = try Self.wait(for: process)
        lseek(errors.rawValue, 0, SEEK_SET)
        return (status, output, String(decoding: try errors.readToEnd(), as: UTF8.self))
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
    let rawValue = linux_memfd_create("toolchain")
    guard rawValue >= 0 else { throw SystemError(code: errno) }
    return FileDescriptor(owning: rawValue)
  }

  /// Starts the program with its standard streams and its limits. Closes this process's copy of the output.
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
    // Dispatch blocks signals on its threads, also those that end the program at its time limit or after its reader has ended.
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
      (RLIMIT_AS, limits.memory), (RLIMIT_CPU, limits.seconds), (RLIMIT_FSIZE, limits.files), (RLIMIT_CORE, 0),
    ]
    for (resource, value) in limits { linux_prlimit(process, Int32(resource.rawValue), UInt64(value)) }
    return process
  }

  /// Reads the output. Returns nil if it is larger than its limit.
  private func content(of reader: borrowing FileDescriptor) throws(SystemError) -> [UInt8]? {
    var output: [UInt8] = []
    while case let piece = try reader.readPiece(), !piece.isEmpty {
      output += piece
      if output.count > limits.output { return nil }
    }
    return output
  }

  /// Waits for the end of the program. Returns its exit status, or the negative number of the signal that ended it.
  private static func wait(for process: pid_t) throws(SystemError) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { throw SystemError(code: errno) } }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
  }
}
