/// A Swift type that C passes in one register: what ``TypedCall`` takes and gives without boxing anything.
///
/// Implemented by `Bool`, the integers, `Float`, `Double` and, for every pointer, `Value.Pointer`, and by nothing else; Swift's own
/// pointers are not `Sendable`.
public protocol CScalar: CArgument, Sendable, BitwiseCopyable {
  /// Whether it goes into a floating-point register.
  static var _isFloatingPoint: Bool { get }
  /// The content of the register: an integer extended to 64 bits, a floating-point number's bits.
  var _word: UInt64 { get }
  /// The value that a register holds, whose upper bits may be anything.
  init(_word: UInt64)
  /// Whether a C type is the same as this one.
  static func _is(_ type: CType) -> Bool
}

extension CScalar {
  /// Whether it goes into a floating-point register.
  @inlinable public static var _isFloatingPoint: Bool { false }
}

extension CScalar where Self: FixedWidthInteger {
  /// The content of the register.
  @inlinable public var _word: UInt64 { UInt64(truncatingIfNeeded: self) }
  /// The value that a register holds.
  @inlinable public init(_word: UInt64) { self = Self(truncatingIfNeeded: _word) }

  /// Whether a C type is the same as this one.
  public static func _is(_ type: CType) -> Bool {
    guard let integer = type.integer else { return false }
    return integer.width == bitWidth && integer.isSigned == isSigned
  }
}

extension Int: CScalar {}
extension Int8: CScalar {}
extension Int16: CScalar {}
extension Int32: CScalar {}
extension Int64: CScalar {}
extension UInt: CScalar {}
extension UInt8: CScalar {}
extension UInt16: CScalar {}
extension UInt32: CScalar {}
extension UInt64: CScalar {}

extension Bool: CScalar {
  /// The content of the register.
  @inlinable public var _word: UInt64 { self ? 1 : 0 }
  /// The value that a register holds.
  @inlinable public init(_word: UInt64) { self = _word & 0xFF != 0 }
  /// Whether a C type is the same as this one.
  public static func _is(_ type: CType) -> Bool { type == .bool }
}

extension Float: CScalar {
  /// Whether it goes into a floating-point register.
  @inlinable public static var _isFloatingPoint: Bool { true }
  /// The content of the register.
  @inlinable public var _word: UInt64 { UInt64(bitPattern) }
  /// The value that a register holds.
  @inlinable public init(_word: UInt64) { self = Float(bitPattern: UInt32(truncatingIfNeeded: _word)) }
  /// Whether a C type is the same as this one.
  public static func _is(_ type: CType) -> Bool { type == .float }
}

extension Double: CScalar {
  /// Whether it goes into a floating-point register.
  @inlinable public static var _isFloatingPoint: Bool { true }
  /// The content of the register.
  @inlinable public var _word: UInt64 { bitPattern }
  /// The value that a register holds.
  @inlinable public init(_word: UInt64) { self = Double(bitPattern: _word) }
  /// Whether a C type is the same as this one.
  public static func _is(_ type: CType) -> Bool { type == .double }
}

extension Value.Pointer: CScalar {
  /// The content of the register.
  @inlinable public var _word: UInt64 { UInt64(address) }
  /// The value that a register holds.
  @inlinable public init(_word: UInt64) { self.init(address: UInt(_word)) }

  /// Whether a C type is the same as this one.
  public static func _is(_ type: CType) -> Bool {
    switch type {
    case .pointer, .function: true
    default: false
    }
  }
}
