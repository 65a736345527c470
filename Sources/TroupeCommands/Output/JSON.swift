internal import FoundationEssentials

/// JSON output with two spaces of indentation and sorted members, so that two runs can be compared.
enum JSON {
  /// Writes a value to standard output.
  static func write(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try Terminal.write(String(decoding: encoder.encode(value), as: UTF8.self) + "\n")
  }
}
