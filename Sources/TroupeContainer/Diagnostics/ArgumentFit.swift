/// The share of the values of one type that can be cast to another type.
///
/// A resolve casts the arguments. `explain` and `validate` know only their types, and compare these: a type with itself, with an
/// optional of it, with a superclass or a subclass, and with `Any`.
enum ArgumentFit: Comparable {
  /// No value.
  case never
  /// Some values, or the types do not decide.
  case sometimes
  /// All values.
  case always

  /// Compares the types of arguments with the parameter types of a factory.
  init(_ given: [any Any.Type], _ taken: [any Any.Type]) {
    self = given.count == taken.count ? zip(given, taken).map { Self(cast: $0, to: $1) }.min() ?? .always : .never
  }

  private init(cast given: any Any.Type, to taken: any Any.Type) {
    if given == taken || taken == Any.self || taken == AnyObject.self || isSubclass(given, of: taken) {
      self = .always
    } else if let wrapped = Self.wrapped(given) {
      let fit = Self(cast: wrapped, to: taken)
      // A nil is cast to every optional type, and to no other type.
      self = Self.wrapped(taken) == nil ? min(fit, .sometimes) : max(fit, .sometimes)
    } else if let wrapped = Self.wrapped(taken) {
      self = Self(cast: given, to: wrapped)
    } else if Self.isComparable(given), Self.isComparable(taken), !Self.mayBridge(given, taken), !Self.mayBridge(taken, given) {
      self = isSubclass(taken, of: given) ? .sometimes : .never
    } else {
      self = .sometimes
    }
  }

  /// The type that an optional wraps; nil for any other type.
  private static func wrapped(_ type: any Any.Type) -> (any Any.Type)? {
    if case .optional(let wrapped)? = (type as? any Composite.Type)?.dependency { wrapped } else { nil }
  }

  /// Whether a type is a class, a struct or an enum whose values are cast only to the type, its optionals, superclasses and
  /// existentials. Collections and tuples are cast element by element.
  private static func isComparable(_ type: any Any.Type) -> Bool {
    let name = String(describing: Swift.type(of: type))
    let isNominal = !name.hasPrefix("(") && !name.hasSuffix(".Protocol") && !name.hasSuffix(".Type.Type")
    let isCollection = type is any ExpressibleByArrayLiteral.Type || type is any ExpressibleByDictionaryLiteral.Type
    return isNominal && !isCollection && type != AnyHashable.self
  }

  /// Whether Foundation may bridge a value type to a class.
  private static func mayBridge(_ value: any Any.Type, _ object: any Any.Type) -> Bool {
    value is any _ObjectiveCBridgeable.Type && object is AnyClass
  }
}

extension Entry {
  /// Returns how the factory takes arguments of some types.
  final func fit(_ types: [any Any.Type]) -> ArgumentFit {
    // A weak entry has no factory, and a factory without types checks its arguments itself.
    guard kind != .weak, let own = argumentTypes else { return .always }
    return ArgumentFit(types, own)
  }
}
