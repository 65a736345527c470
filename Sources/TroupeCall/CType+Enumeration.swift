extension CType {
  /// A C `enum`.
  public struct Enumeration: Sendable, Hashable {
    /// A named value.
    public struct Case: Sendable, Hashable {
      /// The name, a C identifier.
      public let name: String
      /// The value.
      public let value: Int128
    }

    /// The tag behind `enum`, or nil if it has none.
    public internal(set) var name: String?
    /// The type of the values: the one that was written, else what compilers choose on Linux, `unsigned int` if no value is
    /// negative and `int` if one is.
    public let underlying: Integer
    /// Whether the underlying type was written, as C23 allows.
    let hasWrittenType: Bool
    /// The names, in the order in which they were written; several may have the same value.
    public let cases: [Case]

    /// Returns the value with a name.
    func value(of name: String) -> Int128? { cases.first { $0.name == name }?.value }
  }
}
