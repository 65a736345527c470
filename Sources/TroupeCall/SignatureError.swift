/// A fault in the text of a signature, with its position, the problem and the expected text.
///
///     do {
///       _ = try Signature(parsing: "double (dubble x)")
///     } catch {
///       print(error)
///       // signature "double (dubble x)": column 9: "dubble" is not a type; expected a type such as double, …
///       print(error.position)  // 8
///     }
public struct SignatureError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The text that does not parse, whole.
  public let text: String
  /// Where the fault is, in UTF-8 bytes from the start of `text`; at most its length.
  public let position: Int
  /// The problem there, such as `"dubble" is not a type`.
  public let problem: String
  /// What would have been right there, such as `a type such as double, int32_t or string`.
  public let expected: String

  /// One line for a person. Columns are bytes from 1; of a long text only the surroundings of the fault are shown.
  public var description: String {
    "signature \(text.quoted(around: position)): column \(position + 1): \(problem); expected \(expected)"
  }
}
