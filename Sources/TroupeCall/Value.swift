/// A C value on its way into a call or out of one.
///
///     let absolute: @convention(c) (Int) -> Int = { abs($0) }
///     let call = try PreparedCall(
///       signature: Signature(parsing: "long (long x)"), function: unsafeBitCast(absolute, to: UnsafeRawPointer.self))
///     let result = try call.call([.integer(-5)])
///     if case .integer(let x) = result { print(x) }  // 5
///
/// A value does not say which C type it has; ``converted(to:)`` fits it to one or refuses. Two values are equal if they hold
/// the same kind and the same number, text or address; as in Swift, NaN is unequal to itself and 0.0 is equal to -0.0.
public enum Value: Sendable, Equatable, CustomStringConvertible {
  /// No value: what a `void` function gives back.
  case void
  /// `true` or `false`.
  case bool(Bool)
  /// An integer of any C type. Every C integer fits; a number beyond 64 bits fits no C type.
  case integer(Int128)
  /// A 32-bit floating-point number, with all of its bits.
  case float(Float)
  /// A 64-bit floating-point number, with all of its bits.
  case double(Double)
  /// Text, or nil for a NULL string. The value owns its text: an argument is lent to the call, a result is a copy.
  case string(String?)
  /// An address, which the value does not own and never looks behind.
  case pointer(Pointer)

  /// The null pointer. It also does for a NULL string.
  public static let null = Value.pointer(.null)

  /// Plain text for a person: a string without quotes, `null` for NULL, and nothing at all for `void`.
  public var description: String {
    switch self {
    case .void: ""
    case .bool(let bool): bool.description
    case .integer(let integer): integer.description
    case .float(let float): float.description
    case .double(let double): double.description
    case .string(let string): string ?? "null"
    case .pointer(let pointer): pointer.description
    }
  }

  /// The value as a message shows it: a string in quotes and cut short.
  var shown: String {
    switch self {
    case .void: "void"
    case .string(let string?): string.quoted()
    default: description
    }
  }
}
