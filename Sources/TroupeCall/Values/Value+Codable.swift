internal import FoundationEssentials

/// The natural JSON value of a value.
///
/// | value | JSON |
/// |---|---|
/// | an integer, a whole floating-point number up to 64 bits | an integer with all of its digits |
/// | another floating-point number | a number |
/// | a number that JSON lacks: nan, infinities, a `long double` that no `double` is equal to | a string such as `"nan"`, `"-inf"` |
/// | `bool`, text, an array, a structure | `true`, a string, an array, an object |
/// | bytes | `{"base64": "AAEC"}` |
/// | an address | a string such as `"0x7ffd01"` |
/// | NULL, `void`, a callback | `null` |
///
/// The decoder knows no C type, so it gives `.bool`, `.integer`, `.double`, `.string`, `.array`, `.bytes`, `.structure` or, for `null`, the
/// null pointer, and ``converted(to:)`` fits that to a parameter. A number that is no integer of 64 bits is the nearest `Double`, and an
/// address stays a string. An object with `base64` alone whose text is not the shortest base64 of any bytes is a structure.
/// `Signature.arguments(json:functions:)` knows the types and reads every number exactly.
extension Value: Codable {
  /// Writes the natural JSON value.
  ///
  /// - Throws: `EncodingError.invalidValue` for an integer of more than 64 bits, which no C function takes or returns, and
  ///   the errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    if case .structure(let fields) = self {
      var container = encoder.container(keyedBy: Key.self)
      for field in fields { try container.encode(field.value, forKey: Key(field.name)) }
      return
    }
    if case .bytes(let bytes) = self {
      var container = encoder.container(keyedBy: Key.self)
      return try container.encode(Self.base64(bytes), forKey: .base64)
    }
    if let elements {
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
      return
    }
    var container = encoder.singleValueContainer()
    switch self {
    case .bool(let bool): try container.encode(bool)
    case .string(let string?): try container.encode(string)
    case .pointer(let pointer) where self != .null: try container.encode(pointer.description)
    case .reference(let reference): try container.encode(reference.description)
    case .memory(let memory): try container.encode(memory.address.description)
    case .integer, .float, .double, .longDouble:
      switch numberInJSON {
      case .signed(let integer): try container.encode(integer)
      case .unsigned(let integer): try container.encode(integer)
      case .float(let float): try container.encode(float)
      case .double(let double): try container.encode(double)
      case .text(let text): try container.encode(text)
      case nil:
        let context = EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "\(self) exceeds 64 bits")
        throw EncodingError.invalidValue(self, context)
      }
    case .void, .string, .pointer, .callback, .bytes, .array, .packedArray, .structure: try container.encodeNil()
    }
  }

  /// A member's name.
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    static let base64 = Key(Value.base64Name)

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  /// The limit for arrays and objects within each other. A decoder that finds no value stores the whole path to it, so that without a limit the
  /// cost of each value would grow with its depth.
  static var maximumDepth: Int { 2 * Signature.maximumDepth }

  /// The only member of an object for bytes.
  static var base64Name: String { "base64" }

  static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  /// Returns nil for text that is not the shortest base64 of any bytes.
  static func bytes(base64 text: String) -> [UInt8]? {
    guard let data = Data(base64Encoded: text), case let bytes = [UInt8](data), base64(bytes) == text else { return nil }
    return bytes
  }

  /// The JSON form of a number.
  package enum NumberInJSON {
    case signed(Int64)
    case unsigned(UInt64)
    case float(Float)
    case double(Double)
    /// A number that JSON lacks.
    case text(String)

    /// Returns nil for an integer of more than 64 bits.
    fileprivate init?(_ integer: Int128) {
      if let integer = Int64(exactly: integer) {
        self = .signed(integer)
      } else if let integer = UInt64(exactly: integer) {
        self = .unsigned(integer)
      } else {
        return nil
      }
    }

    /// A floating-point number. A whole one is written as an integer because its shortest decimal form, which distinguishes it from
    /// other floating-point numbers, may be another integer. Zero is not, for its sign's sake.
    fileprivate init(_ number: some BinaryFloatingPoint) {
      if let integer = Int128(exactly: number), integer != 0, let whole = Self(integer) {
        self = whole
      } else if number.isInfinite {
        self = .text(number < 0 ? "-inf" : "inf")
      } else if number.isNaN {
        self = .text("nan")
      } else if let float = number as? Float, float.magnitude < 0x1p63 {
        self = .float(float)
      } else {
        // The shortest form of a float, read as an integer of 64 bits, may be another number; that of a double is longer than that.
        self = .double(Double(number))
      }
    }
  }

  /// Nil for an integer of more than 64 bits, and for a value that is not a number.
  package var numberInJSON: NumberInJSON? {
    switch self {
    case .integer(let integer): NumberInJSON(integer)
    case .float(let float): NumberInJSON(float)
    case .double(let double): NumberInJSON(double)
    case .longDouble(let number) where LongDouble(number.double) == number || number.double.isNaN: NumberInJSON(number.double)
    case .longDouble(let number):
      Int128(exactly: number.number).flatMap { NumberInJSON($0) } ?? .text(number.description)
    default: nil
    }
  }

  /// Reads a JSON value. The members of an object are in the order of their names, since JSON gives them none.
  ///
  /// - Throws: What the decoder throws; `DecodingError.dataCorrupted` for more levels than any C type has, and
  ///   `DecodingError.dataCorrupted` for an integer that is too small and would be rounded to the smallest of 64 bits.
  public init(from decoder: any Decoder) throws {
    let path = decoder.codingPath
    guard path.count <= Self.maximumDepth else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: path, debugDescription: "more than \(Self.maximumDepth) levels within each other"))
    }
    if let container = try? decoder.container(keyedBy: Key.self) {
      let keys = container.allKeys
      if keys.count == 1, keys[0].stringValue == Key.base64.stringValue,
        let text = try? container.decode(String.self, forKey: .base64), let bytes = Self.bytes(base64: text)
      {
        self = .bytes(bytes)
        return
      }
      let fields = try keys.map { Field($0.stringValue, try container.decode(Value.self, forKey: $0)) }
      self = .structure(fields.sorted { $0.name < $1.name })
      return
    }
    if var container = try? decoder.unkeyedContainer() {
      var elements: [Value] = []
      while !container.isAtEnd { elements.append(try container.decode(Value.self)) }
      self = .array(elements)
      return
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let integer = try? container.decode(Int64.self), !Self.isNegativeZero(in: container),
      !Self.hasFraction(Int128(integer), in: container)
    {
      self = .integer(Int128(integer))
    } else if let integer = try? container.decode(UInt64.self), integer != 0, !Self.hasFraction(Int128(integer), in: container)
    {
      self = .integer(Int128(integer))
    } else if let double = try? container.decode(Double.self) {
      guard double != -0x1p63 else {
        // It was not this integer, or it would have been read as such, and must not become it by rounding.
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "the integer has more than 64 bits")
      }
      self = .double(double)
    } else if let bool = try? container.decode(Bool.self) {
      self = .bool(bool)
    } else {
      self = .string(try container.decode(String.self))
    }
  }

  /// The decoder has dropped the fraction of a number, as Foundation's does beyond 53 bits.
  private static func hasFraction(_ integer: Int128, in container: any SingleValueDecodingContainer) -> Bool {
    guard integer.magnitude >= 1 << 53, let decimal = try? container.decode(Decimal.self) else { return false }
    return decimal != Decimal(string: integer.description)
  }

  /// An integer would lose the sign of -0.0.
  private static func isNegativeZero(in container: any SingleValueDecodingContainer) -> Bool {
    guard let double = try? container.decode(Double.self) else { return false }
    return double == 0 && double.sign == .minus
  }
}
