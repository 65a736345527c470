internal import Glibc
package import TroupeHost

/// Reads C headers with the clang of the Swift toolchain.
///
/// The compiler runs once, in a child process with limits: nested macros in a small header can have a syntax tree of any size. Headers
/// that exceed a limit or do not compile are a `Diagnosis`.
package struct Clang {
  private let program: ToolchainProgram
  private var limits: ToolchainProgram.Limits { program.limits }

  /// Finds the compiler. Throws a `Diagnosis`.
  package init(limits: ToolchainProgram.Limits = ToolchainProgram.Limits()) throws(Diagnosis) {
    program = try ToolchainProgram("clang", limits: limits)
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
    let (status, tree, errors) = try program.run(
      [
        "-x", "c", "-std=gnu17", "-fsyntax-only", "-fintegrated-cc1", "-fno-crash-diagnostics", "-w", "-ferror-limit=1",
        "-fno-caret-diagnostics", "-fno-color-diagnostics",
      ] + options + ["-Xclang", "-ast-dump=json", "-"], input: source)
    guard let tree else { throw excess(headers, "has a syntax tree of more than \(limits.output >> 20) MiB") }
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
    let (_, text, _) = try program.run(
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
    let (status, _, errors) = try program.run(
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
    try program.run(
      [
        "-x", "c", "-std=gnu17", "-fsyntax-only", "-fintegrated-cc1", "-fno-crash-diagnostics", "-w", "-ferror-limit=0",
        "-fmacro-backtrace-limit=1", "-fno-caret-diagnostics", "-fno-color-diagnostics",
      ] + options + ["-Xclang", "-ast-dump=json", "-"], input: try headers.map(Self.inclusion).joined() + declarations
    ).output
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
}
