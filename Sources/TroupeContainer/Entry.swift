/// One registration: how to make an instance, and, for a singleton, the instance.
public final class Entry: Sendable {
  /// The types of the arguments and the work of a factory, with all types forgotten.
  package typealias Factory = @Sendable (_ resolver: any Resolver, _ arguments: [Any]) throws -> Any

  /// Under what it is registered.
  public let key: AnyKey
  /// How long its instances live.
  public let lifetime: Lifetime
  /// The types of the arguments that the factory takes, in order; nil if it looks at its arguments by itself.
  package let argumentTypes: [any Any.Type]?

  private let factory: Factory
  private let shared = SharedInstance()

  package init(key: AnyKey, lifetime: Lifetime, argumentTypes: [any Any.Type]?, factory: @escaping Factory) {
    self.key = key
    self.lifetime = lifetime
    self.argumentTypes = argumentTypes
    self.factory = factory
  }

  /// The instance: a new one for a transient, the shared one for a singleton.
  ///
  /// Throws a `ResolutionError` that wraps whatever the factory throws, unless that is a `ResolutionError` itself.
  package func instance(resolver: any Resolver, arguments: [Any]) throws -> Any {
    switch lifetime {
    case .transient: try make(resolver, arguments)
    case .singleton: try shared.value(key: key) { try make(resolver, arguments) }
    }
  }

  private func make(_ resolver: any Resolver, _ arguments: [Any]) throws -> Any {
    if let argumentTypes, arguments.count != argumentTypes.count { throw ResolutionError(key, reason: .invalidArgsType) }
    do {
      return try factory(resolver, arguments)
    } catch let error as ResolutionError {
      throw error
    } catch is ArgumentMismatch {
      throw ResolutionError(key, reason: .invalidArgsType)
    } catch {
      throw ResolutionError(key, reason: .error(error))
    }
  }
}

extension Entry {
  /// Forgets the types of a factory.
  convenience init<T, each Argument>(
    key: Key<T>, lifetime: Lifetime,
    factory: @escaping @Sendable (any Resolver, repeat each Argument) throws -> T
  ) {
    var types: [any Any.Type] = []
    for type in repeat (each Argument).self { types.append(type) }
    self.init(key: AnyKey(key), lifetime: lifetime, argumentTypes: types) { resolver, arguments in
      var rest = arguments[...]
      return try factory(resolver, repeat try Self.next((each Argument).self, of: &rest))
    }
  }

  private static func next<Argument>(_ type: Argument.Type, of arguments: inout ArraySlice<Any>) throws -> Argument {
    guard let first = arguments.popFirst(), let argument = first as? Argument else { throw ArgumentMismatch() }
    return argument
  }
}

/// An argument is not of the type that the factory takes.
private struct ArgumentMismatch: Error {}
