/// The steps that inject into existing instances, declared by `Registrar.into(injectable:)` and run by `Resolver.resolve(into:)`.
///
/// It is a registration under the key that `key(into:)` returns. It has an owner, can be part of a batch, and can be found and
/// removed by its key. An injection of a child container hides that of the parent with the same key. Safe to use from any thread.
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

  /// The type of the targets. A class includes its subclasses, a protocol all types that conform to it.
  public var target: any Any.Type { plan.target }

  /// The type of the targets, for the user.
  public var description: String { "injection into \(String(reflecting: target))" }

  /// Returns the key of the injection into a type that is registered without tags.
  public static func key<Target>(into target: Target.Type) -> Key<Injection> {
    Key(tags: InjectionTargetTag(type: target))
  }

  /// Returns the key of the injection into a type that is known only at run time.
  static func key(intoAny target: any Any.Type) -> AnyKey {
    AnyKey(metatype: Injection.self, tags: [Tag.make(InjectionTargetTag(type: target))])
  }

  /// Returns the key of the injection into a type that is registered with some tags.
  public static func key<Target, each Tag: Hashable & Sendable>(
    into target: Target.Type, tags: repeat each Tag
  ) -> Key<Injection> {
    Key(tags: InjectionTargetTag(type: target), repeat each tags)
  }
}

extension AnyKey {
  /// Whether it is the key of an injection.
  var isInjection: Bool { identity == ObjectIdentifier(Injection.self) }

  /// The noun for the registration in a sentence: the injection and its target, or the key.
  var name: String {
    guard isInjection else { return description }
    let tags = sortedTags.filter { !$0.hasPrefix("into ") }
    let target = sortedTags.first { $0.hasPrefix("into ") } ?? ""
    return "the injection \(target)" + (tags.isEmpty ? "" : " [\(tags.joined(separator: ", "))]")
  }
}

/// The tag that identifies the type of an injection's targets.
private struct InjectionTargetTag: Hashable, Sendable, CustomStringConvertible {
  let type: any Any.Type

  var description: String { "into \(String(reflecting: type))" }

  static func == (left: Self, right: Self) -> Bool { ObjectIdentifier(left.type) == ObjectIdentifier(right.type) }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(type)) }
}
