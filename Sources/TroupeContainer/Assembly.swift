/// Registrations that belong together, such as those of one subsystem or of a plugin.
///
/// ```swift
/// final class Storage: Assembly {
///   func register(in registrar: any Registrar) {
///     registrar.register(lifetime: .singleton) { _ in [String: Int]() }
///   }
/// }
///
/// try await container.assemble(Storage())
/// ```
///
/// An assembly registers once in a container, however often it is added. `assemble` first lets all assemblies register and then calls
/// `registered(to:)`, where each can resolve what the others registered.
public protocol Assembly {
  /// Makes the registrations. An assembly that needs the registrations of another one first calls `registrar.register(assemblies:)`.
  func register(in registrar: any Registrar)

  /// Called once all assemblies have registered. Does nothing by default.
  func registered(to resolver: any Resolver) async throws
}

extension Assembly {
  /// Does nothing.
  public func registered(to resolver: any Resolver) async throws {}
}

/// A registrar that collects assemblies, lets them register, and activates them.
public protocol Assembler: Registrar {
  /// Lets each new assembly register, dependencies first, then calls `registered(to:)` of each in the same order.
  ///
  /// When it returns, all assemblies that were added before the call are assembled. Concurrent calls take turns, and a call from inside
  /// an assembly does not wait for the outer call. An assembly must not block until another thread's call ends, since that call waits
  /// for the assembly. Two containers whose assemblies assemble each other deadlock if both are assembled at the same time.
  ///
  /// - Throws: The first error of a `registered(to:)`. The next call goes on with the assembly after it. A `CancellationError` if
  ///   the task is cancelled while it waits for its turn.
  func assemble() async throws
}

extension Assembler {
  /// Registers assemblies, then assembles them.
  public func assemble<each A: Assembly>(_ assemblies: repeat each A) async throws {
    for assembly in repeat each assemblies { register(assembly: assembly) }
    try await assemble()
  }
}
