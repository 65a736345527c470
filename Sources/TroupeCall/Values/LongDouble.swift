/// C's `long double`, with all of its bits.
///
/// On x86-64 it is the 80-bit format. Swift has no type for the 128-bit format of other machines, so there no signature can name
/// the type, and this holds no more than a `Double`.
public struct LongDouble: Sendable, Hashable, CustomStringConvertible {
  #if arch(x86_64)
    /// The number in Swift's type.
    typealias Number = Float80
  #else
    typealias Number = Double
  #endif

  let number: Number

  init(number: Number) { self.number = number }

  /// Exactly the same number.
  public init(_ double: Double) { number = Number(double) }

  /// The number that a text writes, rounded to the nearest; nil if it writes none.
  public init?(_ text: String) {
    guard let number = Number(text) else { return nil }
    self.number = number
  }

  #if arch(x86_64)
    /// Exactly the same number.
    public init(_ number: Float80) { self.number = number }
    /// Exactly the same number.
    public var float80: Float80 { number }
  #endif

  #if arch(x86_64)
    /// The fraction, and the exponent with the sign above it.
    package var parts: (UInt64, UInt16) {
      (number.significandBitPattern, UInt16(number.exponentBitPattern) | (number.sign == .minus ? 0x8000 : 0))
    }

    /// Creates the number of any parts.
    package init(parts: (UInt64, UInt16)) {
      number = Float80(
        sign: parts.1 & 0x8000 == 0 ? .plus : .minus, exponentBitPattern: UInt(parts.1 & 0x7fff),
        significandBitPattern: parts.0 & (1 << 63 - 1))
    }
  #else
    /// The bits.
    package var parts: (UInt64, UInt16) { (number.bitPattern, 0) }

    /// Creates the number of any parts.
    package init(parts: (UInt64, UInt16)) { number = Double(bitPattern: parts.0) }
  #endif

  /// The nearest `Double`.
  public var double: Double { Double(number) }

  /// The shortest decimal form that no other number has.
  public var description: String { number.description }
}
