internal import FoundationEssentials
internal import TroupeHost

extension Value {
  /// One line: text without quotes, an empty line for `void`, and JSON for structs, arrays and bytes, which `troupe call` accepts as
  /// arguments. Members keep their order in C.
  var line: String {
    switch self {
    case .array, .structure, .bytes: json
    default: description
    }
  }

  private var json: String {
    switch self {
    case .void, .callback, .string(nil), .null: "null"
    case .bool, .integer: description
    // JSON has no number for infinity and NaN.
    case .float, .double, .longDouble: description.contains { $0 == "n" } ? description.inJSON : description
    case .string(let text?): text.inJSON
    case .pointer: description.inJSON
    case .bytes(let bytes): "{\"base64\": \"\(Data(bytes).base64EncodedString())\"}"
    case .array(let elements): "[" + elements.map(\.json).joined(separator: ", ") + "]"
    case .structure(let fields): "{" + fields.map { "\($0.name.inJSON): \($0.value.json)" }.joined(separator: ", ") + "}"
    }
  }
}

extension String {
  /// The text as a JSON string with escaped control characters.
  fileprivate var inJSON: String {
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
