internal import Troupe

/// An instance and its registration.
public struct ResolvedInstance {
  /// The registration of the instance's factory.
  public let registration: RegistrationDescription
  /// The instance: a contract's Swift type, a `ForeignInstance`, a `ForeignFunction`, or the result of a function.
  public let value: Any
}

extension PluginHost {
  /// Resolves all registrations that have all of the tags, in registration order and of any type. One failure fails the call.
  ///
  /// For programs that know neither the types nor the arguments, such as the command. A program that knows the type writes `try
  /// host.container.resolve([any Transform].self, tags: "text")`.
  ///
  /// - Parameters:
  ///   - tags: A text in the form of a UUID is a UUID tag.
  ///   - contract: Restricts the result to instances of a contract.
  ///   - arguments: Passed to each factory. A plain function returns itself without arguments, and its result with them.
  ///   - scope: The container to resolve from: a result of `container.scope()`, or a scope of one. Nil for `container`, the scope of all
  ///     resolves without one.
  /// - Throws: A `RegistrationError` that names the factory.
  public func resolve(
    tags: [String], contract: String? = nil, arguments: FactoryArguments = .none, in scope: Container? = nil
  ) throws -> [ResolvedInstance] {
    try instances(of: factories.openEntries(contract: contract, tags: tags), arguments, scope)
  }

  /// Resolves as `resolve(tags:contract:arguments:in:)` does, without plain functions.
  package func resolveInstances(
    tags: [String], contract: String?, arguments: FactoryArguments, in scope: Container?
  ) throws -> [ResolvedInstance] {
    let entries = try factories.openEntries(contract: contract, tags: tags)
    return try instances(of: entries.filter { $0.registration?.isFunction == false }, arguments, scope)
  }

  private func instances(
    of entries: [Entry], _ arguments: FactoryArguments, _ scope: Container?
  ) throws -> [ResolvedInstance] {
    try entries.compactMap { entry in
      guard let registration = entry.registration else { return nil }
      do {
        let value = try factories.instance(of: entry, arguments: arguments, in: scope)
        return ResolvedInstance(registration: registration, value: value)
      } catch {
        throw RegistrationError(registration: registration, cause: error)
      }
    }
  }

  /// Returns the C side of an instance made in Swift; nil for a contract that has none.
  package func exported(_ instance: ResolvedInstance) -> Contract.Exported? {
    instance.registration.contract.flatMap(factories.contract(named:))?.export(instance.value)
  }

  /// Resolves as the synchronous function does, and awaits asynchronous factories and those on the main actor.
  ///
  /// Swift chooses this overload in asynchronous functions.
  ///
  /// - Throws: A ``RegistrationError``.
  nonisolated(nonsending)
    public func resolve(
      tags: [String], contract: String? = nil, arguments: FactoryArguments = .none, in scope: Container? = nil
    ) async throws -> [ResolvedInstance]
  {
    var instances: [ResolvedInstance] = []
    for entry in try factories.openEntries(contract: contract, tags: tags) {
      guard let registration = entry.registration else { continue }
      do {
        let value = try await factories.instanceAsync(of: entry, arguments: arguments, in: scope)
        instances.append(ResolvedInstance(registration: registration, value: value))
      } catch {
        throw RegistrationError(registration: registration, cause: error)
      }
    }
    return instances
  }

  /// Resolves one registration, and awaits its factory. Throws a `RegistrationError`.
  nonisolated(nonsending)
    package func instance(of registration: RegistrationDescription, arguments: FactoryArguments) async throws -> Any
  {
    do {
      return try await factories.instanceAsync(of: registration, arguments: arguments)
    } catch {
      throw RegistrationError(registration: registration, cause: error)
    }
  }
}

/// The failure of a factory or function.
public struct RegistrationError: Error, CustomStringConvertible {
  /// The registration that could not be resolved.
  public let registration: RegistrationDescription
  /// The cause: a `ResolutionError`, the error of the factory, or a `CallError` or `Diagnosis` for arguments that do not
  /// fit.
  public let cause: any Error

  /// Creates a failure.
  public init(registration: RegistrationDescription, cause: any Error) {
    self.registration = registration
    self.cause = cause
  }

  /// One line for the user.
  public var description: String {
    let name = "\(registration.name) of \(registration.plugin): "
    let reason = "\(cause)"
    return reason.hasPrefix(name) ? reason : name + reason
  }
}
