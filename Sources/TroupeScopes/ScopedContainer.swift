public import TroupeContainer

/// What a `ContainerBuilder` has built, or a scope of it: a container whose verbs do not throw.
///
/// ```swift
/// let builder = ContainerBuilder()
/// builder.scoped { Transaction() }
/// let container = builder.build()
/// let transaction: Transaction = container.scope().resolve()
/// ```
///
/// Safe to use from any thread. A scope ends, and what was made in it is released, the newest first, when nobody has it any more.
public struct ScopedContainer: DependencyResolutionScope {
  /// The container behind it, whose verbs throw and know tags, arguments and asynchronous contexts.
  public let container: Container

  /// Has a container resolved from by these verbs.
  public init(_ container: Container) {
    self.container = container
  }

  /// What tells this scope from every other one in the process: a number that is given out when it is first asked for.
  public var id: String { "\(container.number)" }

  /// Makes a scope inside of this one: what is registered as scoped is made once in it.
  ///
  /// Cost: some hundred nanoseconds, whatever is registered.
  public func scope() -> any DependencyResolutionScope { ScopedContainer(container.scope()) }

  /// The instance registered as `C`, which may be an optional, an array or a `LazyResolver` of what is registered.
  ///
  /// Ends the program if it cannot be given, with a message that names the type and says what led there and what is registered.
  @inlinable
  public func resolve<C>() -> C {
    do { return try container.resolve(C.self) } catch { fail(C.self, error) }
  }

  /// The instance registered as `C`, or nil if nothing is.
  ///
  /// Ends the program if something is registered and cannot be given, as one that needs itself, with a message that says why.
  public func tryResolve<C>() -> C? {
    do { return try container.resolve(ifPresent: C.self) } catch { fail(C.self, error) }
  }

  @usableFromInline
  func fail(_ contract: any Any.Type, _ error: any Error) -> Never {
    fatalError(container.message(for: error, resolving: contract))
  }
}

extension ScopedContainer: CustomStringConvertible {
  /// One line with the numbers of registrations; see `Container.description`.
  public var description: String { container.description }
}

extension Container {
  /// A message for a person: why a type cannot be resolved. If a registration is missing, it lists the registered types.
  func message(for error: any Error, resolving contract: any Any.Type) -> String {
    let resolutionError = (error as? ResolutionError)?.passingRunningFactories
    let text = "\(String(reflecting: contract)) cannot be resolved: \(resolutionError ?? error)"
    guard case .notFound? = resolutionError?.reason else { return text }
    let limit = 20
    let names = Set(registeredTypes.map { String(reflecting: $0) }).sorted()
    if names.isEmpty { return text + "; nothing at all is registered" }
    let more = names.count > limit ? " and \(names.count - limit) more" : ""
    return text + "; registered are in all: " + names.prefix(limit).joined(separator: ", ") + more
  }
}
