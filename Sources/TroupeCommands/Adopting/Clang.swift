internal import CLinux
internal import Glibc
internal import TroupeHost

/// The C compiler of the Swift toolchain.
struct Clang {
  private let path: String

  /// Finds the compiler: beside `swiftc` in PATH, beside the target of the link `swiftc`, or as `clang` in PATH. Throws a `Diagnosis`.
  init() throws(Diagnosis) {
    let directories = (Environment.value("PATH") ?? "").split(separator: ":").map(String.init)
    let toolchain = directories.first { access($0 + "/swiftc", X_OK) == 0 }
    let target = toolchain.flatMap { realpath($0 + "/swiftc", nil) }
    defer { free(target) }
    let places = [toolchain, target.map { Path.directory(of: String(cString: $0)) }].compactMap(\.self) + directories
    guard let place = places.first(where: { access($0 + "/clang", X_OK) == 0 }) else {
      throw Diagnosis(
        .unavailable, "clang", problem: "is neither beside swiftc nor in PATH",
        remedy: "add the folder usr/bin of the Swift toolchain to PATH")
    }
    path = place + "/clang"
  }

  /// Returns the syntax tree of headers as JSON. Throws a `Diagnosis`: `.unreadable` for a missing header, `.invalidData` with the first
  /// error of the compiler.
  ///
  /// - Parameters:
  ///   - headers: Paths, or names such as `zlib.h` that the compiler searches.
  ///   - options: Further options of the compiler.
  func syntaxTree(of headers: [String], options: [String]) throws -> [UInt8] {
    let source = try headers.map(Self.inclusion).joined()
    let (status, tree, errors) = try run(
      ["-x", "c", "-std=gnu17", "-fsyntax-only", "-w", "-ferror-limit=1", "-fno-caret-diagnostics", "-fno-color-diagnostics"]
        + options + ["-Xclang", "-ast-dump=json", "-"], input: source)
    guard status == 0 else { throw Self.diagnosis(errors, headers) }
    return tree
  }

  /// The line that includes a header.
  private static func inclusion(_ header: String) throws -> String {
    guard !header.contains(where: { "\"<>\n\\".contains($0) }) else {
      throw Diagnosis(
        .usage, header, problem: "has a character in its name that #include does not take", remedy: "rename the header")
    }
    var status = stat()
    guard stat(header, &status) == 0 else { return "#include <\(header)>\n" }
    guard status.st_mode & S_IFMT == S_IFREG, access(header, R_OK) == 0 else {
      throw Diagnosis(.unreadable, header, problem: "is no readable regular file", remedy: "name a header")
    }
    return "#include \"\(try Path.absolute(header))\"\n"
  }

  /// The first error among the compiler's messages.
  private static func diagnosis(_ messages: String, _ headers: [String]) -> Diagnosis {
    for line in messages.split(separator: "\n") {
      for mark in [": fatal error: ", ": error: "] {
        guard let range = line.firstRange(of: mark) else { continue }
        let (place, problem) = (line[..<range.lowerBound], line[range.upperBound...])
        let parts = place.split(separator: ":")
        if parts.first == "<stdin>", let header = headers.first(where: { problem.hasPrefix("'\($0)' file not found") }) {
          return Diagnosis(
            .unreadable, header, problem: "is neither a file nor a header in the compiler's directories",
            remedy: "correct the path, or add a directory with -I")
        }
        // At the end of a header, the compiler is back in the line that includes it.
        let number = parts.first == "<stdin>" ? parts.dropFirst().first.flatMap { Int($0) } : nil
        let included = number.flatMap { headers.indices.contains($0 - 1) ? headers[$0 - 1] : nil }
        let location = included == nil ? "line \(parts.dropFirst().joined(separator: ", column "))" : "its end"
        return Diagnosis(
          .invalidData, included ?? parts.first.map(String.init) ?? "clang",
          problem: "does not compile at \(location): \(problem)",
          remedy: "correct the header, include another one before it, or set the options -I and -D")
      }
    }
    return Diagnosis(
      .invalidData, "clang", problem: "failed: \(messages.prefix(200).split(separator: "\n").first ?? "without a message")",
      remedy: "run it with the header")
  }

  // MARK: The process

  /// Runs the compiler with files in memory as its standard streams, so that none of them can fill up.
  private func run(_ arguments: [String], input: String) throws -> (status: Int32, output: [UInt8], errors: String) {
    do throws(SystemError) {
      let source = try Self.memory()
      let output = try Self.memory()
      let errors = try Self.memory()
      try source.write(Array(input.utf8))
      lseek(source.number, 0, SEEK_SET)
      let status = try spawn(arguments, [source.number, output.number, errors.number])
      for file in [output.number, errors.number] { lseek(file, 0, SEEK_SET) }
      return (status, try output.readToEnd(), String(decoding: try errors.readToEnd(), as: UTF8.self))
    } catch {
      throw Diagnosis(.missingResource, path, problem: "cannot be run: \(error)")
    }
  }

  private static func memory() throws(SystemError) -> FileDescriptor {
    let number = linux_memory_file("clang")
    guard number >= 0 else { throw SystemError(code: errno) }
    return FileDescriptor(owning: number)
  }

  /// Starts the compiler and returns its exit status, or the negative number of the signal that ended it.
  private func spawn(_ arguments: [String], _ streams: [Int32]) throws(SystemError) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, stream) in streams.enumerated() { posix_spawn_file_actions_adddup2(&actions, stream, Int32(number)) }
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, path, &actions, nil, words, environ)
    guard code == 0 else { throw SystemError(code: code) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { throw SystemError(code: errno) } }
    return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
  }
}
