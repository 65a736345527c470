internal import FoundationEssentials

/// Results as JSON: two spaces of indentation, members in alphabetical order, so that two runs can be compared.
enum JSON {
  /// Writes a value to standard output.
  static func write(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try Terminal.write(String(decoding: encoder.encode(value), as: UTF8.self) + "\n")
  }
}
