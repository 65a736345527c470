extension Value {
  /// Converts a Swift value without losing a bit.
  ///
  /// | Swift | value |
  /// |---|---|
  /// | `Value` | itself |
  /// | `Bool`, `Float`, `Double`, `String`, `Callback` | the case of that type |
  /// | `Int`, `UInt` and the integers of fixed width up to 64 bits | `integer` |
  /// | typed, raw and opaque unsafe pointers | `pointer`, whose target the caller keeps |
  /// | an optional string or pointer | as the string or pointer; nil is NULL |
  /// | an array of `UInt8` | `bytes` |
  /// | an array of other numbers or of `Bool` | `packedArray` |
  /// | an array of anything else in this table | `array` |
  ///
  /// Returns nil for any other type.
  public init?(_ any: Any) {
    guard let convertible = any as? any ConvertibleToValue else { return nil }
    self = convertible.value
  }
}

private protocol ConvertibleToValue {
  var value: Value { get }
}

/// A type that can be NULL in C.
private protocol ConvertibleToNullableValue: ConvertibleToValue {
  static var null: Value { get }
}

extension Value: ConvertibleToValue {
  fileprivate var value: Value { self }
}

extension Bool: ConvertibleToValue {
  fileprivate var value: Value { .bool(self) }
}

extension Float: ConvertibleToValue {
  fileprivate var value: Value { .float(self) }
}

extension Double: ConvertibleToValue {
  fileprivate var value: Value { .double(self) }
}

extension Callback: ConvertibleToValue {
  fileprivate var value: Value { .callback(self) }
}

extension Array: ConvertibleToValue where Element: ConvertibleToValue {
  fileprivate var value: Value {
    // Without the comparison, every empty array would be one of bytes.
    if Element.self == UInt8.self, let bytes = self as? [UInt8] { return .bytes(bytes) }
    if let scalar = Element.self as? any CScalar.Type, let array = packed(scalar) { return .packedArray(array) }
    return .array(map(\.value))
  }
}

extension Array {
  fileprivate func packed<Scalar: CScalar>(_ type: Scalar.Type) -> Value.PackedArray? {
    (self as? [Scalar]).map { Value.PackedArray($0) }
  }
}

extension ConvertibleToValue where Self: BinaryInteger {
  fileprivate var value: Value { .integer(Int128(self)) }
}

extension Int: ConvertibleToValue {}
extension Int8: ConvertibleToValue {}
extension Int16: ConvertibleToValue {}
extension Int32: ConvertibleToValue {}
extension Int64: ConvertibleToValue {}
extension UInt: ConvertibleToValue {}
extension UInt8: ConvertibleToValue {}
extension UInt16: ConvertibleToValue {}
extension UInt32: ConvertibleToValue {}
extension UInt64: ConvertibleToValue {}

extension String: ConvertibleToNullableValue {
  fileprivate var value: Value { .string(self) }
  fileprivate static var null: Value { .string(nil) }
}

extension ConvertibleToNullableValue {
  fileprivate static var null: Value { .pointer(.null) }
}

extension ConvertibleToNullableValue where Self: _Pointer {
  fileprivate var value: Value { .pointer(Value.Pointer(address: UInt(bitPattern: self))) }
}

extension UnsafeRawPointer: ConvertibleToNullableValue {}
extension UnsafeMutableRawPointer: ConvertibleToNullableValue {}
extension UnsafePointer: ConvertibleToValue, ConvertibleToNullableValue {}
extension UnsafeMutablePointer: ConvertibleToValue, ConvertibleToNullableValue {}

extension OpaquePointer: ConvertibleToNullableValue {
  fileprivate var value: Value { .pointer(Value.Pointer(address: UInt(bitPattern: self))) }
}

extension Optional: ConvertibleToValue where Wrapped: ConvertibleToNullableValue {
  fileprivate var value: Value { self?.value ?? Wrapped.null }
}
