internal import Troupe

/// An instance together with where it comes from.
public struct ResolvedInstance {
  /// What it was made by.
  public let registration: Registration
  /// The instance: a contract's Swift type, a `ForeignInstance`, a `ForeignFunction`, or what a function returned.
  public let value: Any
}

extension PluginHost {
  /// Resolves everything that carries all of the tags, in registration order, whatever its type; one failure fails all.
  ///
  /// This is for programs that know neither the types nor the arguments, such as the command. A program that knows the
  /// type writes `try host.container.resolve([any Transform].self, tags: "text")`.
  ///
  /// - Parameters:
  ///   - tags: A tag that reads as a UUID is one.
  ///   - contract: Restricts the answer to a contract's instances.
  ///   - arguments: Given to each factory. A plain function gives itself without arguments, and its result with them.
  ///   - scope: Where it is resolved from: what `container.scope()` gave, or a scope of such; nil for `container`, which is the
  ///     scope of all that is resolved without one.
  /// - Throws: A `ResolutionFailure` that names the factory.
  public func resolve(
    tags: [String], contract: String? = nil, arguments: FactoryArguments = .none, in scope: Container? = nil
  ) throws -> [ResolvedInstance] {
    while true {
      let changes = factories.changeCount
      do {
        return try factories.registrations(contract: contract, tags: tags).map { registration in
          do {
            let value = try factories.instance(of: registration, arguments: arguments, in: scope)
            return ResolvedInstance(registration: registration, value: value)
          } catch {
            throw ResolutionFailure(registration: registration, cause: error)
          }
        }
      } catch let failure as ResolutionFailure where failure.isNotFound && changes != factories.changeCount {
        // A plugin was retired or replaced between the two look-ups.
        continue
      }
    }
  }

  /// Resolves as the synchronous function does, and awaits asynchronous factories and those on the main actor.
  ///
  /// Swift chooses this overload in asynchronous functions.
  ///
  /// - Throws: A ``ResolutionFailure``.
  nonisolated(nonsending)
    public func resolve(
      tags: [String], contract: String? = nil, arguments: FactoryArguments = .none, in scope: Container? = nil
    ) async throws -> [ResolvedInstance]
  {
    while true {
      let changes = factories.changeCount
      do {
        var instances: [ResolvedInstance] = []
        for registration in factories.registrations(contract: contract, tags: tags) {
          do {
            let value = try await factories.instanceAsync(of: registration, arguments: arguments, in: scope)
            instances.append(ResolvedInstance(registration: registration, value: value))
          } catch {
            throw ResolutionFailure(registration: registration, cause: error)
          }
        }
        return instances
      } catch let failure as ResolutionFailure where failure.isNotFound && changes != factories.changeCount {
        continue
      }
    }
  }

  /// The plain functions with this UUID or name.
  public func functions(_ name: String) -> [Registration] {
    factories.functions(name)
  }

  /// The function behind a registration.
  ///
  /// - Throws: A `ResolutionFailure` if it is not there any more.
  public func function(_ registration: Registration) throws -> ForeignFunction {
    do {
      if let function = try factories.instance(of: registration, arguments: .none) as? ForeignFunction { return function }
      throw ResolutionError(registration.key, reason: .invalidInstanceType)
    } catch {
      throw ResolutionFailure(registration: registration, cause: error)
    }
  }
}

extension PluginHost {
  /// Calls the function behind a registration.
  ///
  /// - Parameter arguments: In a text or in JSON, an argument for a callback is the name or the UUID of a plain function of
  ///   that type, of whichever plugin, or `null`. Its plugin stays open until the call is over; if C keeps the pointer for
  ///   longer, whoever calls sees to it that the plugin is not shut down, for example with a `ForeignFunction`.
  /// - Returns: What the function gave back; see `ForeignFunction.call`.
  /// - Throws: A `ResolutionFailure`, whose cause is a `CallError` for arguments that do not fit and for what went wrong in the
  ///   call.
  public func call(_ registration: Registration, _ arguments: FactoryArguments) throws -> Value {
    try call(registration) { try arguments.values(for: $0, functions: $1) }
  }

  /// Reads the arguments for a signature. The lookup finds the functions that arguments for callbacks name.
  package typealias ArgumentReader = (Signature, Signature.FunctionLookup) throws -> [Value]

  /// Calls the function behind a registration with the arguments that a closure reads.
  package func call(_ registration: Registration, reading arguments: ArgumentReader) throws -> Value {
    let function = try function(registration)
    do {
      return try factories.call(function, reading: arguments)
    } catch {
      throw ResolutionFailure(registration: registration, cause: error)
    }
  }
}

/// A factory that could not make an instance.
public struct ResolutionFailure: Error, CustomStringConvertible {
  /// What could not be resolved.
  public let registration: Registration
  /// Why: a `ResolutionError`, what the factory threw, or a `CallError` or `ArgumentError` for arguments that it does not take.
  public let cause: any Error

  /// Makes a failure.
  public init(registration: Registration, cause: any Error) {
    self.registration = registration
    self.cause = cause
  }

  /// Whether it was not there.
  var isNotFound: Bool {
    if let error = cause as? ResolutionError, case .notFound = error.reason { true } else { false }
  }

  /// One line for a person.
  public var description: String {
    let name = "\(registration.name) of \(registration.plugin): "
    let reason = "\(cause)"
    return reason.hasPrefix(name) ? reason : name + reason
  }
}
