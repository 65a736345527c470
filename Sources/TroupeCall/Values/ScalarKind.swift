/// The C type of a value that is one word: a number, boolean, case of an enumeration or plain pointer.
///
/// A word holds an integer extended to 64 bits, or the bits of a floating-point number. It is how the fast call paths pass a value: they
/// read the kind from the plan of the call and need no `CType`.
enum ScalarKind: UInt8 {
  case void, bool, float, double, pointer, int8, int16, int32, int64, uint8, uint16, uint32, uint64

  init?(_ type: CType) {
    switch type {
    case .void: self = .void
    case .bool: self = .bool
    case .float: self = .float
    case .double: self = .double
    case .pointer: self = .pointer
    case .enumeration(let enumeration): self.init(.integer(enumeration.underlying))
    case .integer(let integer):
      switch (integer.width, integer.isSigned) {
      case (8, true): self = .int8
      case (16, true): self = .int16
      case (32, true): self = .int32
      case (_, true): self = .int64
      case (8, false): self = .uint8
      case (16, false): self = .uint16
      case (32, false): self = .uint32
      case (_, false): self = .uint64
      }
    default: return nil
    }
  }

  /// C passes it in a floating-point register.
  @inline(__always)
  var isFloating: Bool { self == .double || self == .float }
}

extension Value {
  /// The word of a scalar; nil if the value has to be converted first, or does not fit.
  @inline(__always)
  func word(_ kind: ScalarKind) -> UInt64? {
    switch (self, kind) {
    case (.integer(let integer), .int8): Self.word(integer, Int8.self)
    case (.integer(let integer), .int16): Self.word(integer, Int16.self)
    case (.integer(let integer), .int32): Self.word(integer, Int32.self)
    case (.integer(let integer), .int64): Self.word(integer, Int64.self)
    case (.integer(let integer), .uint8): Self.word(integer, UInt8.self)
    case (.integer(let integer), .uint16): Self.word(integer, UInt16.self)
    case (.integer(let integer), .uint32): Self.word(integer, UInt32.self)
    case (.integer(let integer), .uint64): Self.word(integer, UInt64.self)
    case (.double(let number), .double): number._word
    case (.float(let number), .float): number._word
    case (.bool(let bool), .bool): bool._word
    case (.pointer(let pointer), .pointer): pointer._word
    default: nil
    }
  }

  @inline(__always)
  private static func word<Integer: CScalar & FixedWidthInteger>(_ integer: Int128, _ type: Integer.Type) -> UInt64? {
    let narrow = Integer(truncatingIfNeeded: integer)
    return Int128(narrow) == integer ? narrow._word : nil
  }

  /// The scalar that a word holds.
  init(word: UInt64, _ kind: ScalarKind) {
    self =
      switch kind {
      case .void: .void
      case .bool: .bool(Bool(_word: word))
      case .float: .float(Float(_word: word))
      case .double: .double(Double(_word: word))
      case .pointer: .pointer(Pointer(_word: word))
      case .int8: .integer(Int128(Int8(_word: word)))
      case .int16: .integer(Int128(Int16(_word: word)))
      case .int32: .integer(Int128(Int32(_word: word)))
      case .int64: .integer(Int128(Int64(_word: word)))
      case .uint8: .integer(Int128(UInt8(_word: word)))
      case .uint16: .integer(Int128(UInt16(_word: word)))
      case .uint32: .integer(Int128(UInt32(_word: word)))
      case .uint64: .integer(Int128(word))
      }
  }
}
