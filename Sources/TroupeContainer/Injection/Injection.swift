/// What is done to an instance that exists already: made with `Registrar.into(injectable:)`, done by `Resolver.resolve(into:)`.
///
/// It is a registration like any other, under the key that `key(into:)` gives: it has an owner, takes part in batches, can be
/// looked up and removed by its key, and a child's takes the place of the parent's with the same key. Safe to use from any thread.
///
/// ```swift
/// final class Controller {
///   var title: String?
/// }
///
/// let container = Container()
/// container.register { _ in "Hello" }
/// let key = container.into(injectable: Controller.self).inject(\.title).register()
/// assert(key == Injection.key(into: Controller.self))
/// assert(try! container.resolve(into: Controller()).title == "Hello")
///
/// container[key] = nil
/// assert(try! container.resolve(into: Controller()).title == nil)
/// ```
public struct Injection: Sendable, CustomStringConvertible {
  let plan: any InjectionPlan

  /// The type into whose instances it injects: also into those of subclasses, and of all types that conform, if it is a protocol.
  public var target: any Any.Type { plan.target }

  /// What it injects into, for a person.
  public var description: String { "injection into \(String(reflecting: target))" }

  /// The key of the injection into a type that is registered without tags.
  public static func key<Target>(into target: Target.Type) -> Key<Injection> {
    Key(tags: InjectionTarget(type: target))
  }

  /// The same for a type that is known at run time only.
  static func key(intoAny target: any Any.Type) -> AnyKey {
    AnyKey(metatype: Injection.self, tags: [Tag.make(InjectionTarget(type: target))])
  }

  /// The key of the injection into a type that is registered with some tags.
  public static func key<Target, each Tag: Hashable & Sendable>(
    into target: Target.Type, tags: repeat each Tag
  ) -> Key<Injection> {
    Key(tags: InjectionTarget(type: target), repeat each tags)
  }
}

extension AnyKey {
  /// Whether it is the key of an injection.
  var isInjection: Bool { identity == ObjectIdentifier(Injection.self) }

  /// What it is called in a sentence: an injection, for what it injects into.
  var name: String {
    guard isInjection else { return description }
    let tags = sortedTags.filter { !$0.hasPrefix("into ") }
    let target = sortedTags.first { $0.hasPrefix("into ") } ?? ""
    return "the injection \(target)" + (tags.isEmpty ? "" : " [\(tags.joined(separator: ", "))]")
  }
}

/// The tag by which the injections into a type are known.
private struct InjectionTarget: Hashable, Sendable, CustomStringConvertible {
  let type: any Any.Type

  var description: String { "into \(String(reflecting: type))" }

  static func == (left: Self, right: Self) -> Bool { ObjectIdentifier(left.type) == ObjectIdentifier(right.type) }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(type)) }
}
