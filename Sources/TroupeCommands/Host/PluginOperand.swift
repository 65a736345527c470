internal import Glibc
internal import TroupeHost

/// An operand that names a plugin by id or file.
enum PluginOperand {
  /// The rule that distinguishes both, for the manual.
  static let help =
    "An operand with a slash, or with the suffix .so or .troupe.json, is a FILE, any other an ID. Write ./NAME for another file in the current directory."

  /// True for a path, as `help` says.
  static func isFile(_ name: String) -> Bool {
    name.utf8.contains(UInt8(ascii: "/")) || name.hasSuffix(".so") || name.hasSuffix(".troupe.json")
  }

  /// The failure of a command that finds no plugin with an id.
  static func unknown(_ id: String, among plugins: [Plugin], _ arguments: ParsedArguments) -> Diagnosis {
    let named = plugins.filter { $0.manifest?.name == id }.compactMap { $0.manifest?.id }
    if !named.isEmpty {
      return Diagnosis(
        .unavailable, problem: "\(id.shortened().onOneLine) is the name of \(named.listed(atMost: 5))",
        remedy: "give \(named.count == 1 ? "the id" : "one of the ids")")
    }
    var status = stat()
    let isFile = stat(id, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    let file = isFile ? "; write ./\(id) for the file of this name" : ""
    let ids = isFile ? [] : plugins.compactMap { $0.manifest?.id }
    return Diagnosis.unknown(
      "plugin", id, among: ids, code: .unavailable, otherwise: "\(arguments.command("list")) shows the plugins\(file)")
  }
}
