/// A tag that adds a registration to a group. Registrations of a group can be found and removed together.
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
/// A group is part of the key like any other tag, so a resolve must name it. A registration may be in several groups. A group never
/// equals a tag of another type.
public struct Group: Hashable, Sendable, CustomStringConvertible {
  private let tag: AnySendableHashable

  /// A group that is named by a group is that group.
  public init<Value: Hashable & Sendable>(_ value: Value) {
    // An optional group is a value of its own, so the type must be exactly this one.
    tag = (Value.self == Self.self ? (value as? Self)?.tag : nil) ?? AnySendableHashable(value)
  }

  /// The value that names the group.
  public var value: any Hashable & Sendable { tag.value }

  /// Such as `Group("plugins")`.
  public var description: String { "Group(\(tag))" }
}
