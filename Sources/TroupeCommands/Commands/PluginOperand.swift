internal import Glibc
internal import TroupeHost

/// An operand that names a plugin by id or file.
enum PluginOperand {
  /// The rule that distinguishes both, for the help.
  static let help =
    "An operand with a slash, or with the suffix .so or .troupe.json, is a FILE, any other an ID. Write ./NAME for another file in the current directory."

  /// Whether an operand is a file.
  static func isFile(_ name: String) -> Bool {
    name.utf8.contains(UInt8(ascii: "/")) || name.hasSuffix(".so") || name.hasSuffix(".troupe.json")
  }

  /// Creates the failure of a command that finds no plugin with an id.
  static func unknown(_ id: String, _ arguments: ParsedArguments) -> Diagnosis {
    var status = stat()
    let isFile = stat(id, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    let file = isFile ? "; write ./\(id) for the file of this name" : ""
    return Diagnosis(
      .unavailable, problem: "no plugin \"\(id.shortened())\"", remedy: "\(arguments.command("list")) shows the plugins\(file)")
  }
}
