internal import FoundationEssentials

/// JSON output with two spaces of indentation and sorted members, so that two runs can be compared.
enum JSON {
  /// Writes a value to standard output.
  static func write(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try Terminal.write([UInt8](encoder.encode(value)) + [UInt8(ascii: "\n")])
  }
}
