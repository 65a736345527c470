/// How often values of one type can be cast to another.
///
/// A resolve casts the arguments to the parameters of a factory. `explain` and `validate` know only the types, not the values:
///
///     Int to Int                    exact, which a resolve prefers
///     Int to Int? or Any            always
///     Int? to Int                   sometimes, since the value may be nil
///     Animal to its subclass Dog    sometimes
///     Int to any Hashable           sometimes: the types do not decide
///     Int to String                 never
enum ArgumentFit: Comparable {
  case never
  case sometimes
  case always
  case exact

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

  /// Returns the type that an optional wraps, and nil for any other type.
  private static func wrapped(_ type: any Any.Type) -> (any Any.Type)? {
    if case .optional(let wrapped)? = (type as? any Composite.Type)?.dependency { wrapped } else { nil }
  }

  /// Returns true if the values of a type are cast only to the type, its optionals, superclasses and existentials. Collections and tuples
  /// are cast element by element.
  private static func isComparable(_ type: any Any.Type) -> Bool {
    let name = String(describing: Swift.type(of: type))
    let isNominal = !name.hasPrefix("(") && !name.hasSuffix(".Protocol") && !name.hasSuffix(".Type.Type")
    let isCollection = type is any ExpressibleByArrayLiteral.Type || type is any ExpressibleByDictionaryLiteral.Type
    return isNominal && !isCollection && type != AnyHashable.self
  }

  /// Returns true if a cast may bridge a value type to a class of Foundation.
  private static func mayBridge(_ value: any Any.Type, _ object: any Any.Type) -> Bool {
    value is any _ObjectiveCBridgeable.Type && object is AnyClass
  }
}

extension Entry {
  /// Returns how often the factory takes arguments of some types.
  final func fit(_ types: [any Any.Type]) -> ArgumentFit {
    // A weak entry has no factory, and a factory without types checks its arguments itself.
    guard kind != .weak, let own = argumentTypes else { return .always }
    return accepts(exactly: types) ? .exact : ArgumentFit(types, own)
  }
}
