/// A `long double` of C with all of its bits.
///
/// On x86-64 it is a `Float80`. Swift has no type for the 128-bit format of other machines. There no signature can name the type, and this is
/// a `Double`.
public struct LongDouble: Sendable, Hashable, CustomStringConvertible {
  #if arch(x86_64)
    typealias Number = Float80
  #else
    typealias Number = Double
  #endif

  let number: Number

  init(number: Number) { self.number = number }

  /// Creates the same number.
  public init(_ double: Double) { number = Number(double) }

  /// Reads a number and rounds it to the nearest. Returns nil for any other text.
  public init?(_ text: String) {
    guard let number = Number(text) else { return nil }
    self.number = number
  }

  #if arch(x86_64)
    /// Creates the same number.
    public init(_ number: Float80) { self.number = number }
    /// Creates the same number.
    public var float80: Float80 { number }
  #endif

  #if arch(x86_64)
    /// The significand, and the exponent with the sign in its highest bit.
    package var parts: (UInt64, UInt16) {
      (number.significandBitPattern, UInt16(number.exponentBitPattern) | (number.sign == .minus ? 0x8000 : 0))
    }

    /// Any parts make a number.
    package init(parts: (UInt64, UInt16)) {
      number = Float80(
        sign: parts.1 & 0x8000 == 0 ? .plus : .minus, exponentBitPattern: UInt(parts.1 & 0x7fff),
        significandBitPattern: parts.0 & (1 << 63 - 1))
    }
  #else
    package var parts: (UInt64, UInt16) { (number.bitPattern, 0) }

    /// Any parts make a number.
    package init(parts: (UInt64, UInt16)) { number = Double(bitPattern: parts.0) }
  #endif

  /// The nearest `Double`.
  public var double: Double { Double(number) }

  /// The shortest decimal form that no other number has.
  public var description: String { number.description }
}
