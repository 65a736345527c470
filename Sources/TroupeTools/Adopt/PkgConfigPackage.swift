internal import Glibc
internal import TroupeFiles
package import TroupeHost

/// An installed C library as pkg-config(1) describes it: `-I/usr/include/libxml2 -lxml2` for `libxml-2.0`.
package struct PkgConfigPackage {
  private let name: String
  /// The flags of the compiler for the headers.
  package let compilerFlags: [String]
  private let linkerFlags: [String]
  private let libraryDirectory: String

  /// Asks the program `pkg-config` in PATH. Throws a `Diagnosis`: `.unavailable` without the program, `.unreadable` for an unknown package.
  package init(_ name: String) throws(Diagnosis) {
    guard !name.isEmpty, !name.hasPrefix("-") else {
      throw Diagnosis(.usage, "--pkg", problem: "expected a package, got \"\(name)\"", remedy: "name one such as zlib")
    }
    self.name = name
    compilerFlags = try Self.ask("--cflags", name)
    linkerFlags = try Self.ask("--libs", name)
    libraryDirectory = try Self.ask("--variable=libdir", name).first ?? ""
  }

  /// Returns the path of the package's own library, which is the first that its flags name.
  package func library() throws(Diagnosis) -> String {
    guard let flag = linkerFlags.first(where: { $0.hasPrefix("-l") && $0.count > 2 }) else { throw missing("names no library") }
    let file = "lib\(flag.dropFirst(2)).so"
    // Some packages leave out the directory of the machine's architecture, where the linker and the loader search anyway.
    let directories =
      linkerFlags.filter { $0.hasPrefix("-L") }.map { String($0.dropFirst(2)) } + [libraryDirectory] + LoaderPath.directories()
    let paths: [String] = directories.map { $0 + "/" + file }
    guard let path = paths.first(where: { access($0, R_OK) == 0 }) else {
      throw missing("names the library \(file), which is not in \(directories.joined(separator: ", "))")
    }
    return path
  }

  private func missing(_ problem: String) -> Diagnosis {
    Diagnosis(.unreadable, "--pkg \(name)", problem: problem, remedy: "name the library with --library")
  }

  private static func ask(_ question: String, _ name: String) throws(Diagnosis) -> [String] {
    guard let stream = popen("exec pkg-config \(question) \(name.shellWord) 2>/dev/null", "re") else { throw unavailable }
    var bytes: [UInt8] = []
    while case let byte = getc(stream), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
    let status = pclose(stream)
    // The shell's status for a program that it does not find.
    if status >> 8 & 0xFF == 127 { throw unavailable }
    guard status == 0 else {
      throw Diagnosis(
        .unreadable, "--pkg", problem: "pkg-config has no package \"\(name.shortened())\"",
        remedy: "correct the name, which pkg-config --list-all shows, or install the library's development package")
    }
    return words(bytes)
  }

  private static var unavailable: Diagnosis {
    Diagnosis(
      .unavailable, "pkg-config", problem: "is not in PATH",
      remedy: "install it, or write the flags and --library in place of --pkg")
  }

  /// Divides an answer into words. A backslash quotes the next byte, as in a path with spaces.
  static func words(_ bytes: [UInt8]) -> [String] {
    var words: [[UInt8]] = [[]]
    var isQuoted = false
    for byte in bytes {
      if isQuoted {
        words[words.count - 1].append(byte)
        isQuoted = false
      } else if byte == UInt8(ascii: "\\") {
        isQuoted = true
      } else if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") {
        words.append([])
      } else {
        words[words.count - 1].append(byte)
      }
    }
    return words.filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }
  }
}
