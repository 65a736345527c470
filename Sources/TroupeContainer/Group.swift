/// A tag that puts a registration into a group, whose members can be found, and dropped, together.
///
/// ```swift
/// extension Group {
///   static let plugins = Group("plugins")
/// }
///
/// let container = Container()
/// container.register(Int.self, tags: "one", Group.plugins) { _ in 1 }
/// container.register(String.self, tags: "two", Group.plugins) { _ in "2" }
/// assert(try! container.resolve(Int.self, tags: "one", Group.plugins) == 1)
/// assert(container.filter(group: .plugins).count == 2)
/// assert(container.unregister(group: .plugins) == 2)
/// ```
///
/// It is part of the key like any other tag: resolving one registration takes naming it, and a registration may be in several
/// groups. No group equals a value that is not one.
public struct Group: Hashable, Sendable, CustomStringConvertible {
  private let tag: AnySendableHashable

  /// Names a group by a value of any type. A group named by a group is that group.
  public init<Value: Hashable & Sendable>(_ value: Value) {
    // Of this very type: an optional group is a value of its own.
    tag = (Value.self == Self.self ? (value as? Self)?.tag : nil) ?? AnySendableHashable(value)
  }

  /// What the group is named by.
  public var value: any Hashable & Sendable { tag.value }

  /// The value as text, such as `Group("plugins")`.
  public var description: String { "Group(\(tag))" }
}
