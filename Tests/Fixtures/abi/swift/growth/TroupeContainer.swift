// What scripts/check-abi-growth adds to TroupeContainer in its copy of the sources: the defaults of new requirements, and overloads.

extension Registrar {
  /// The default of a requirement.
  public var addedToRegistrar: Int { 1 }

  /// Registers a value.
  @discardableResult
  public func register<T: Sendable>(_ type: T.Type = T.self, addedInALaterVersion value: T) -> Key<T> {
    register(type) { _ in value }
  }
}

extension Assembly {
  /// The default of a requirement.
  public var addedToAssembly: Int { 2 }
}

extension Resolver {
  /// The default of a requirement.
  public var addedToResolver: Int { 3 }

  /// Returns the instance of a type, or a fallback if none is registered.
  public func resolve<T>(_ type: T.Type = T.self, addedInALaterVersion fallback: T) throws -> T {
    try resolve(ifPresent: type) ?? fallback
  }
}
