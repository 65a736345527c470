extension Resolver {
  /// The instance registered under a key, made with the given arguments.
  ///
  /// An optional is the wrapped type's instance, or nil if that is not registered. An array or a set is every instance of
  /// its element type whose tags include those of the key, in registration order. A registration of the very type of the
  /// key is preferred to both.
  ///
  /// Throws a `ResolutionError`.
  public func resolve<T, each Argument>(key: Key<T>, args: repeat each Argument) throws -> T {
    var arguments: [Any] = []
    for argument in repeat each args { arguments.append(argument) }
    return try resolve(key: key, arguments: arguments)
  }

  /// The instance registered under a type and tags, made with the given arguments; see `resolve(key:args:)`.
  public func resolve<T, each Tag: Hashable & Sendable, each Argument>(
    _ type: T.Type = T.self, tags: repeat each Tag, args: repeat each Argument
  ) throws -> T {
    try resolve(key: Key<T>(tags: repeat each tags), args: repeat each args)
  }

  /// `resolve(key:args:)` with arguments in an array.
  package func resolve<T>(key: Key<T>, arguments: [Any]) throws -> T {
    guard let instance = try resolveIfPresent(key: key, arguments: arguments) else {
      throw ResolutionError(key, reason: .notFound)
    }
    return instance
  }

  /// `resolve(key:arguments:)`, or nil if nothing is registered under this very key. What is missing further down is an error,
  /// even if it goes by the same key in another container.
  fileprivate func resolveIfPresent<T>(key: Key<T>, arguments: [Any]) throws -> T? {
    let instance: Any
    if let entry = self[key] {
      instance = try entry.instance(resolver: self, arguments: arguments)
    } else if let composite = T.self as? any Composite.Type {
      instance = try composite.resolved(by: self, tags: key.tagset, arguments: arguments)
    } else {
      return nil
    }
    guard let typed = instance as? T else { throw ResolutionError(key, reason: .invalidInstanceType) }
    return typed
  }
}

/// A type that is resolved through the type it is made of.
private protocol Composite {
  static func resolved(by resolver: any Resolver, tags: Set<AnySendableHashable>, arguments: [Any]) throws -> Any
}

extension Optional: Composite {
  static func resolved(by resolver: any Resolver, tags: Set<AnySendableHashable>, arguments: [Any]) throws -> Any {
    try resolver.resolveIfPresent(key: Key<Wrapped>(tagset: tags), arguments: arguments) as Any
  }
}

extension Array: Composite {
  static func resolved(by resolver: any Resolver, tags: Set<AnySendableHashable>, arguments: [Any]) throws -> Any {
    try resolver.entries(of: Element.self, including: tags).map { entry -> Element in
      guard let element = try entry.instance(resolver: resolver, arguments: arguments) as? Element else {
        throw ResolutionError(entry.key, reason: .invalidInstanceType)
      }
      return element
    }
  }
}

extension Set: Composite {
  static func resolved(by resolver: any Resolver, tags: Set<AnySendableHashable>, arguments: [Any]) throws -> Any {
    let elements: [Element] = try resolver.resolve(key: Key<[Element]>(tagset: tags), arguments: arguments)
    return Set(elements)
  }
}
