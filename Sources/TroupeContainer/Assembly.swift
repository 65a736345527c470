/// A group of registrations that belong together.
///
/// ```swift
/// final class Storage: Assembly {
///   func register(in registrar: any Registrar) {
///     registrar.register(lifetime: .singleton) { _ in [String: Int]() }
///   }
/// }
/// ```
public protocol Assembly {
  /// Makes the registrations. An assembly that needs another one calls `registrar.register(assemblies:)` first.
  func register(in registrar: any Registrar)

  /// Runs once all assemblies have registered, for work that uses the registrations. Does nothing by default.
  func registered(to resolver: any Resolver) async throws
}

extension Assembly {
  /// Does nothing.
  public func registered(to resolver: any Resolver) async throws {}
}

/// A registrar that collects assemblies and assembles them together.
public protocol Assembler: Registrar {
  /// Lets each new assembly make its registrations, dependencies first, then calls `registered(to:)` of each in the same order.
  ///
  /// When it returns, all assemblies that were registered before the call are assembled. Concurrent calls take turns; a call from
  /// inside an assembly does not wait for the outer call. An assembly must not block until another thread's call ends, because that
  /// call waits for the assembly. Two containers whose assemblies assemble each other deadlock if both are assembled at the same
  /// time.
  ///
  /// - Throws: The first error of a `registered(to:)`. The next call goes on with the assembly after it. A `CancellationError` if
  ///   the task is cancelled while it waits for its turn.
  func assemble() async throws
}

extension Assembler {
  /// Registers assemblies, then assembles them.
  public func assemble<each A: Assembly>(_ assemblies: repeat each A) async throws {
    register(assemblies: repeat each assemblies)
    try await assemble()
  }
}
