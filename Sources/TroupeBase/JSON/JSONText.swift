extension JSONNode {
  /// The value as JSON on one line. Numbers keep their text, and members their order.
  package var text: String {
    switch content {
    case .object(let members): "{" + members.map { $0.name.inJSON + ": " + $0.value.text }.joined(separator: ", ") + "}"
    case .array(let elements): "[" + elements.map(\.text).joined(separator: ", ") + "]"
    case .numbers(let numbers): "[" + numbers.joined(separator: ", ") + "]"
    case .string(let text): text.inJSON
    case .number(let text): text
    case .boolean(let value): value.description
    case .null: "null"
    }
  }
}

extension String {
  /// The text as a JSON string with escaped control characters.
  package var inJSON: String {
    let isPlain = utf8.allSatisfy { 0x20...0x7E ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    if isPlain { return "\"\(self)\"" }
    var result = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\" + String(scalar)
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case _ where scalar.properties.generalCategory == .control:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
