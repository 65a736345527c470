/// A tag of any type that is hashable and may cross threads.
///
/// ```swift
/// let tags = Set<AnySendableHashable>(elements: "text", 7)
/// ```
///
/// Two tags are equal when they are of the same type and equal as that.
public struct AnySendableHashable: Hashable, Sendable, CustomStringConvertible {
  /// The value that the tag was made from.
  public let value: any Hashable & Sendable

  /// Makes a tag of `value`. A tag made of a tag is that tag.
  public init(_ value: some Hashable & Sendable) {
    self.value = (value as? AnySendableHashable)?.value ?? value
  }

  /// Whether two tags are of the same type and equal.
  public static func == (left: Self, right: Self) -> Bool {
    func isEqual<Value: Hashable>(_ value: Value) -> Bool { (right.value as? Value) == value && type(of: right.value) == Value.self }
    return isEqual(left.value)
  }

  /// Hashes the type and the value.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(type(of: value)))
    value.hash(into: &hasher)
  }

  /// The value as text; strings are quoted.
  public var description: String {
    (value as? String)?.debugDescription ?? String(describing: value)
  }
}

extension Set<AnySendableHashable> {
  /// Collects values of any types into a set of tags; order and repeats do not matter.
  public init<each Value: Hashable & Sendable>(elements: repeat each Value) {
    self.init()
    for element in repeat each elements { insert(AnySendableHashable(element)) }
  }

  /// The tags as text, sorted, such as `["a", "b"]`.
  package var tagList: String {
    "[" + map(\.description).sorted().joined(separator: ", ") + "]"
  }
}
