/// An operand that names a plugin by id or file.
enum PluginOperand {
  /// The rule that distinguishes both, for the manual.
  static let help =
    "An operand with a slash, or with the suffix .so or .troupe.json, is a FILE, any other an ID. Write ./NAME for another file in the current directory."

  /// True for a path, as `help` says.
  static func isFile(_ name: String) -> Bool {
    name.utf8.contains(UInt8(ascii: "/")) || name.hasSuffix(".so") || name.hasSuffix(".troupe.json")
  }
}
