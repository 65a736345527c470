/// Steps that set properties of an existing object or value, for objects that a framework creates.
///
/// `Registrar.into(injectable:)` declares an injection into a type, `Resolver.resolve(into:)` runs all injections for a target:
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
///
/// An injection is a registration whose key has the target type as a tag. So it has an owner, can be part of a batch, and can be
/// found and removed by its key. An injection of a child container hides that of the parent with the same key. Safe to use from any
/// thread.
public struct Injection: Sendable, CustomStringConvertible {
  let plan: any InjectionPlan

  /// The type of the targets. A class includes its subclasses, a protocol all types that conform to it.
  public var target: any Any.Type { plan.target }

  /// Such as `injection into Example.Controller`.
  public var description: String { "injection into \(typeName(target))" }

  /// Returns the key of an injection that was registered without tags.
  public static func key<Target>(into target: Target.Type) -> Key<Injection> { Key(tags: InjectionTargetTag(type: target)) }

  /// `key(into:)` for a type that is known only at run time.
  static func key(intoAny target: any Any.Type) -> AnyKey {
    AnyKey(metatype: Injection.self, tags: [Tag.make(InjectionTargetTag(type: target))])
  }

  /// Returns the key of an injection that was registered with tags.
  public static func key<Target, each Tag: Hashable & Sendable>(
    into target: Target.Type, tags: repeat each Tag
  ) -> Key<Injection> {
    Key(tags: InjectionTargetTag(type: target), repeat each tags)
  }
}

extension AnyKey {
  var isInjection: Bool { identity == ObjectIdentifier(Injection.self) }

  /// The registration as a noun of a message: "the injection into Example.Controller", or the key.
  var name: String {
    guard isInjection else { return description }
    let tags = sortedTags.filter { !$0.hasPrefix("into ") }
    let target = sortedTags.first { $0.hasPrefix("into ") } ?? ""
    return "the injection \(target)" + (tags.isEmpty ? "" : " [\(tags.joined(separator: ", "))]")
  }
}

/// The tag by which the key of an injection names the target type.
private struct InjectionTargetTag: Hashable, Sendable, CustomStringConvertible {
  let type: any Any.Type

  var description: String { "into \(typeName(type))" }

  static func == (left: Self, right: Self) -> Bool { ObjectIdentifier(left.type) == ObjectIdentifier(right.type) }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(type)) }
}

/// A block of an injection did not return its target.
public enum InjectionError: Error, Sendable, CustomStringConvertible {
  /// The block got an object of this type and returned another object.
  case anotherObject(any Any.Type)
  /// The block got a value of the first type and returned one of the second.
  case anotherType(any Any.Type, any Any.Type)

  /// States the value that the block returned, and the expected one.
  public var description: String {
    switch self {
    case .anotherObject(let type):
      "a block was given a \(typeName(type)) and returned another object; it has to return the one that it was given"
    case .anotherType(let given, let returned):
      "a block was given a \(typeName(given)) and returned a \(typeName(returned)); "
        + "it has to return a value of the type that it was given"
    }
  }

  /// Returns the result of a step, or throws unless it is the same object, or a value of the same type.
  @inlinable
  static func checked<Target>(_ result: Target, given target: Target) throws(InjectionError) -> Target {
    let (given, returned) = (type(of: target as Any), type(of: result as Any))
    if given is AnyClass {
      guard returned == given, address(result) == address(target) else { throw .anotherObject(given) }
    } else {
      guard returned == given else { throw .anotherType(given, returned) }
    }
    return result
  }

  /// Returns the address of an object, the first word of a variable of its class or of a protocol (The Swift ABI, Type Layout). A
  /// cast to `AnyObject` takes ten times as long as the other steps.
  @inlinable
  static func address<Object>(_ object: Object) -> UInt { withUnsafeBytes(of: object) { $0.loadUnaligned(as: UInt.self) } }
}
