public import TroupeContainer

/// A container that a `ContainerBuilder` has built, or a scope of one: a `Container` behind functions that do not throw.
///
/// ```swift
/// let builder = ContainerBuilder()
/// builder.scoped { Transaction() }
/// let container = builder.build()
/// let transaction: Transaction = container.scope().resolve()
/// ```
///
/// Safe to use from any thread. A scope ends with its last reference, and releases its instances, the newest first.
public struct ScopedContainer: DependencyResolutionScope {
  /// Its functions throw and support tags, arguments and asynchronous contexts.
  public let container: Container

  /// Wraps a container, which stays the caller's as well.
  public init(_ container: Container) {
    self.container = container
  }

  /// Unique among the scopes of the process. Assigned at the first use.
  public var id: String { "\(container.containerID)" }

  /// Returns a new scope inside this one, with its own instances of scoped registrations.
  ///
  /// Cost: some hundred nanoseconds, independent of the number of registrations.
  public func scope() -> any DependencyResolutionScope { ScopedContainer(container.scope()) }

  /// Returns the instance registered as `C`, which may also be an optional, an array or a `LazyResolver` of a registered type.
  ///
  /// If the resolve fails, ends the program with the type, the dependency path and the registered types.
  @inlinable
  public func resolve<C>() -> C {
    do { return try container.resolve(C.self) } catch { fail(C.self, error) }
  }

  /// Returns the instance registered as `C`, or nil if `C` is not registered.
  ///
  /// If the resolve of a registration fails, for example in a dependency cycle, ends the program with the reason.
  public func tryResolve<C>() -> C? {
    do { return try container.resolve(ifPresent: C.self) } catch { fail(C.self, error) }
  }

  @usableFromInline
  func fail(_ contract: any Any.Type, _ error: any Error) -> Never {
    fatalError(container.message(for: error, resolving: contract))
  }
}

extension ScopedContainer: CustomStringConvertible {
  /// The numbers of registrations; see `Container.description`.
  public var description: String { container.description }
}

extension Container {
  /// Returns the message of a failed resolve, with the registered types if a registration is missing.
  func message(for error: any Error, resolving contract: any Any.Type) -> String {
    let resolutionError = (error as? ResolutionError)?.passingRunningFactories
    let text = "\(typeName(contract)) cannot be resolved: \(resolutionError ?? error)"
    guard case .notFound? = resolutionError?.reason else { return text }
    let limit = 20
    let names = Set(registeredTypes.map { typeName($0) }).sorted()
    if names.isEmpty { return text + "; nothing at all is registered" }
    let more = names.count > limit ? " and \(names.count - limit) more" : ""
    return text + "; registered are in all: " + names.prefix(limit).joined(separator: ", ") + more
  }
}
