extension Value {
  /// The value as a C type holds it, without losing a bit in silence.
  ///
  /// | from | to | |
  /// |---|---|---|
  /// | integer, bool | an integer type | if it is in the range; false is 0, true is 1 |
  /// | integer | `bool` | if it is 0 or 1 |
  /// | integer | `float`, `double` | if the type holds exactly that number |
  /// | float, double | an integer type | if it is a whole number in the range |
  /// | float | `double` | always exact |
  /// | double | `float` | rounded to the nearest, unless that turns a finite number into an infinite one |
  /// | string | `string` | if there is no NUL in it |
  /// | string `inf`, `-inf`, `nan` | `float`, `double` | the number, which JSON can only write like this |
  /// | null pointer, nil string | `string`, a pointer | NULL |
  /// | pointer | a pointer | always |
  ///
  /// Everything else is refused.
  ///
  /// - Parameter type: The type to fit. `resolver` fits nothing, `void` only `void`.
  /// - Returns: A value of the kind that belongs to `type`: `.integer` for an integer type, `.float` for `float`, and so on.
  /// - Throws: A `CallError` with the code `argumentType` for a value of another kind and `argumentRange` for one that the
  ///   type cannot hold; it shows the value and what the type takes.
  public func converted(to type: CType) throws(CallError) -> Value {
    switch type {
    case .void: if self == .void { return self }
    case .bool: if let bool = try asBool() { return .bool(bool) }
    case .integer(let integer): if let value = try asInteger(integer) { return .integer(value) }
    case .float: if let float = try asFloat() { return .float(float) }
    case .double: if let double = try asDouble() { return .double(double) }
    case .string: if let string = try asString() { return .string(string) }
    case .pointer: if let pointer = asPointer { return .pointer(pointer) }
    case .resolver: break
    }
    throw .wrongType(shown, type)
  }

  // Each of these is nil for a value of a kind that never fits.

  private func asBool() throws(CallError) -> Bool? {
    switch self {
    case .bool(let bool): return bool
    case .integer(0): return false
    case .integer(1): return true
    case .integer: throw .outOfRange(shown, .bool)
    default: return nil
    }
  }

  private func asInteger(_ type: CType.Integer) throws(CallError) -> Int128? {
    let value: Int128?
    switch self {
    case .bool(let bool): value = bool ? 1 : 0
    case .integer(let integer): value = integer
    case .float(let float): value = Int128(exactly: float)
    case .double(let double): value = Int128(exactly: double)
    default: return nil
    }
    guard let value, type.range.contains(value) else { throw .outOfRange(shown, .integer(type)) }
    return value
  }

  private func asFloat() throws(CallError) -> Float? {
    switch self {
    case .integer(let integer): return try exact(integer, .float)
    case .float(let float): return float
    case .double(let double):
      let float = Float(double)
      guard float.isFinite || !double.isFinite else { throw .overflow(shown, .float) }
      return float
    case .string(let string): return Self.special(string).map(Float.init)
    default: return nil
    }
  }

  private func asDouble() throws(CallError) -> Double? {
    switch self {
    case .integer(let integer): return try exact(integer, .double)
    case .float(let float): return Double(float)
    case .double(let double): return double
    case .string(let string): return Self.special(string)
    default: return nil
    }
  }

  /// The floating-point number that is exactly `integer`; `type` names it in the error.
  private func exact<Number: BinaryFloatingPoint & CustomStringConvertible>(
    _ integer: Int128, _ type: CType
  ) throws(CallError) -> Number {
    // A machine instruction does it for 64 bits; 128 bits take generic code that is twenty times slower.
    let number = Int64(exactly: integer).map { Number(exactly: $0) } ?? Number(exactly: integer)
    guard let number else { throw .inexact(shown, type, nearest: Number(integer).description) }
    return number
  }

  /// The number that JSON cannot write as a number.
  private static func special(_ string: String?) -> Double? {
    switch string {
    case "inf": .infinity
    case "-inf": -.infinity
    case "nan": .nan
    default: nil
    }
  }

  /// A string within an optional: the inner nil is a NULL string.
  private func asString() throws(CallError) -> String?? {
    switch self {
    case .string(let string):
      if string?.utf8.contains(0) == true { throw .embeddedNUL(shown) }
      return .some(string)
    case .null: return .some(nil)
    default: return nil
    }
  }

  private var asPointer: Pointer? {
    switch self {
    case .pointer(let pointer): pointer
    case .string(nil): .null
    default: nil
    }
  }
}
