/// C's `long double`, with all of its bits.
///
/// On x86-64 it is the 80-bit format. Swift has no type for the 128-bit format of other machines, so there no signature can name
/// the type, and this holds no more than a `Double`.
public struct LongDouble: Sendable, Hashable, CustomStringConvertible {
  #if arch(x86_64)
    /// The number in Swift's type.
    typealias Number = Float80
    static let isSupported = true
  #else
    typealias Number = Double
    static let isSupported = false
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

  /// The nearest `Double`.
  public var double: Double { Double(number) }

  /// The shortest decimal form that no other number has.
  public var description: String { number.description }
}
