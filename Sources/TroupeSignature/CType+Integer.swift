extension CType {
  /// An integer type of C with its width on this machine.
  public struct Integer: Sendable, Hashable {
    /// The canonical C spelling, such as `unsigned long` or `int32_t`.
    public let name: String
    /// The width in bits: 8, 16, 32 or 64.
    public let width: Int
    /// Negative numbers fit.
    public let isSigned: Bool

    private init<Twin: FixedWidthInteger>(_ name: String, _: Twin.Type) {
      self.name = name
      self.width = Twin.bitWidth
      self.isSigned = Twin.isSigned
    }

    /// The numbers that fit.
    @inlinable public var range: ClosedRange<Int128> {
      let magnitude = Int128(1) << (isSigned ? width - 1 : width)
      return (isSigned ? -magnitude : 0)...(magnitude - 1)
    }
  }
}

extension CType.Integer {
  package static let int = Self("int", CInt.self)
  package static let char = Self("char", CChar.self)
  package static let unsignedInt = Self("unsigned int", CUnsignedInt.self)
  package static let long = Self("long", CLong.self)
  package static let unsignedLong = Self("unsigned long", CUnsignedLong.self)
  /// `unsigned char`, the unit of untyped memory.
  package static let byte = Self("unsigned char", CUnsignedChar.self)

  /// The types that the C language spells with one or more keywords.
  static let keywords = [
    Self("char", CChar.self), Self("signed char", CSignedChar.self), byte,
    Self("short", CShort.self), Self("unsigned short", CUnsignedShort.self), int, unsignedInt, long, unsignedLong,
    Self("long long", CLongLong.self), Self("unsigned long long", CUnsignedLongLong.self),
  ]

  /// The types that C's headers name. On every system that Swift runs on, the types from `size_t` to `uintptr_t` are as wide as a pointer
  /// and `intmax_t` has 64 bits. `wchar_t` is signed on x86-64 and unsigned on AArch64. `wint_t` is as on Linux.
  package static let typedefs = [
    Self("int8_t", Int8.self), Self("int16_t", Int16.self), Self("int32_t", Int32.self), Self("int64_t", Int64.self),
    Self("uint8_t", UInt8.self), Self("uint16_t", UInt16.self), Self("uint32_t", UInt32.self), Self("uint64_t", UInt64.self),
    Self("size_t", UInt.self), Self("ssize_t", Int.self), Self("ptrdiff_t", Int.self),
    Self("intptr_t", Int.self), Self("uintptr_t", UInt.self), Self("intmax_t", Int64.self), Self("uintmax_t", UInt64.self),
    Self("wchar_t", WideCharacter.self), Self("wint_t", UInt32.self), Self("char16_t", UInt16.self),
    Self("char32_t", UInt32.self),
  ]

  #if arch(x86_64)
    private typealias WideCharacter = Int32
  #else
    private typealias WideCharacter = UInt32
  #endif

  package static let all = keywords + typedefs
}
