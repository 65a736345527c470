internal import TroupeHost

/// The form of bytes in the output, from `--bytes`.
enum BytesFormat: String, CaseIterable {
  /// As an object `{"base64": "AAEC"}`, which `troupe call` accepts as an argument.
  case base64
  /// As two lower-case digits for each byte.
  case hex
  /// As text; bytes that are not UTF-8 as base64.
  case text

  static let option = Option(
    "bytes", value: "FORMAT", choices: allCases.map(\.rawValue),
    "Print bytes as base64 (default), hex or text.", details: "In text, bytes that are not UTF-8 are base64.")

  init(_ arguments: ParsedArguments) {
    self = arguments.one(Self.option).flatMap(Self.init) ?? .base64
  }

  /// A value with all bytes in it in this format.
  func shown(_ value: Value) -> Value {
    switch value {
    case .bytes(let bytes): shown(bytes)
    case .array(let elements): .array(elements.map(shown))
    case .packedArray(let elements) where !elements.elementType.isPlainNumbers: .array(elements.map(shown))
    case .structure(let fields): .structure(fields.map { Value.Field($0.name, shown($0.value)) })
    default: value
    }
  }

  private func shown(_ bytes: [UInt8]) -> Value {
    switch self {
    case .base64: .bytes(bytes)
    case .hex: .string(Self.hex(bytes))
    case .text: String(validating: bytes, as: UTF8.self).map { .string($0) } ?? .bytes(bytes)
    }
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: 2 * bytes.count) { text in
      for (index, byte) in bytes.enumerated() {
        (text[2 * index], text[2 * index + 1]) = (digit(byte >> 4), digit(byte & 15))
      }
      return 2 * bytes.count
    }
  }

  private static func digit(_ number: UInt8) -> UInt8 {
    number < 10 ? UInt8(ascii: "0") + number : UInt8(ascii: "a") + number - 10
  }
}
