/// A Swift type that C passes in one register, so that a ``TypedCall`` moves it there without a ``Value``.
///
/// `Bool`, the integers, which also stand for enumerations, `Float`, `Double` and ``Value/Pointer`` conform to it. `Value.Pointer` stands for
/// a pointer to any type, and for a function, but not for strings and references, which a `Value` owns. Swift's own pointers are not `Sendable`.
/// Do not conform other types.
public protocol CScalar: CArgument, Sendable, BitwiseCopyable {
  /// C passes it in a floating-point register.
  static var _isFloatingPoint: Bool { get }
  /// The content of the register: an integer extended to 64 bits, or the bits of a floating-point number.
  var _word: UInt64 { get }
  /// Creates the value from a register. C leaves the bits above the size of the type undefined.
  init(_word: UInt64)
  /// Returns true if the Swift type stands for a C type.
  static func _is(_ type: CType) -> Bool
}

extension CScalar {
  /// C passes it in a floating-point register.
  @inlinable public static var _isFloatingPoint: Bool { false }
}

extension CScalar where Self: FixedWidthInteger {
  /// The content of the register.
  @inlinable public var _word: UInt64 { UInt64(truncatingIfNeeded: self) }
  /// Creates the value in a register.
  @inlinable public init(_word: UInt64) { self = Self(truncatingIfNeeded: _word) }

  /// Returns true if a C type is the same type.
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
  /// Creates the value in a register.
  @inlinable public init(_word: UInt64) { self = _word & 0xFF != 0 }
  /// Returns true if a C type is the same type.
  public static func _is(_ type: CType) -> Bool { type == .bool }
}

extension Float: CScalar {
  /// C passes it in a floating-point register.
  @inlinable public static var _isFloatingPoint: Bool { true }
  /// The content of the register.
  @inlinable public var _word: UInt64 { UInt64(bitPattern) }
  /// Creates the value in a register.
  @inlinable public init(_word: UInt64) { self = Float(bitPattern: UInt32(truncatingIfNeeded: _word)) }
  /// Returns true if a C type is the same type.
  public static func _is(_ type: CType) -> Bool { type == .float }
}

extension Double: CScalar {
  /// C passes it in a floating-point register.
  @inlinable public static var _isFloatingPoint: Bool { true }
  /// The content of the register.
  @inlinable public var _word: UInt64 { bitPattern }
  /// Creates the value in a register.
  @inlinable public init(_word: UInt64) { self = Double(bitPattern: _word) }
  /// Returns true if a C type is the same type.
  public static func _is(_ type: CType) -> Bool { type == .double }
}

extension Value.Pointer: CScalar {
  /// The content of the register.
  @inlinable public var _word: UInt64 { UInt64(address) }
  /// Creates the value in a register.
  @inlinable public init(_word: UInt64) { self.init(address: UInt(_word)) }

  /// Returns true if a C type is the same type.
  public static func _is(_ type: CType) -> Bool {
    switch type {
    case .pointer, .reference, .function: true
    default: false
    }
  }
}
