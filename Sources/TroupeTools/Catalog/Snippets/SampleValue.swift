internal import FoundationEssentials
internal import TroupeHost
internal import TroupeBase

/// An argument of a call to copy.
indirect enum SampleValue: Sendable {
  case null
  case boolean(Bool)
  /// A number as JSON writes it.
  case number(String)
  case text(String)
  case array([SampleValue])
  case object([(name: String, value: SampleValue)])

  init(_ node: JSONNode) {
    switch node.content {
    case .null: self = .null
    case .boolean(let value): self = .boolean(value)
    case .number(let text): self = .number(text)
    case .string(let text): self = .text(text)
    case .array, .numbers: self = .array((node.elements ?? []).map { SampleValue($0) })
    case .object(let members): self = .object(members.map { ($0.name, SampleValue($0.value)) })
    }
  }

  /// The value as JSON on one line, with escapes for invisible characters.
  var json: String {
    switch self {
    case .null: "null"
    case .boolean(let value): "\(value)"
    case .number(let text): text
    case .text(let text): text.inVisibleJSON
    case .array(let elements): "[" + elements.map(\.json).joined(separator: ", ") + "]"
    case .object(let members):
      "{" + members.map { $0.name.inVisibleJSON + ": " + $0.value.json }.joined(separator: ", ") + "}"
    }
  }

  /// The type of the value alone.
  var type: SampleType {
    switch self {
    case .null: .null
    case .boolean: .boolean
    case .number(let text): Self.integer(text) == nil ? .number : .integer
    case .text: .text
    case .array(let elements): .array(elements.first?.type ?? .null, count: elements.count)
    case .object(let members): .object(members.map { ($0.name, $0.value.type) })
    }
  }

  /// The bytes of an object such as `{"base64": "AAEC"}`; nil for any other value.
  var bytes: [UInt8]? {
    guard case .object(let members) = self, members.count == 1, members[0].name == "base64",
      case .text(let text) = members[0].value
    else { return nil }
    return Data(base64Encoded: text).map { [UInt8]($0) }
  }

  /// Parses an integer, also with a zero fraction or an exponent.
  static func integer(_ number: String) -> Int128? {
    Int128(number) ?? Double(number).flatMap { Int128(exactly: $0) }
  }

  /// Returns a number as a literal for a floating-point number, with a fraction or an exponent.
  static func floatingPoint(_ number: String) -> String {
    number.contains { ".eE".contains($0) } ? number : number + ".0"
  }
}
