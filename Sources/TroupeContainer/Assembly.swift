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

  /// Runs once all assemblies have registered, for work that needs what they registered. Does nothing by default.
  func registered(to resolver: any Resolver) async throws
}

extension Assembly {
  /// Does nothing.
  public func registered(to resolver: any Resolver) async throws {}
}

/// Something that assemblies are registered with and that sets them to work together.
public protocol Assembler: Registrar {
  /// Lets every assembly that was registered since the last time make its registrations, what it depends on first, and then
  /// calls `registered(to:)` on each in the same order.
  ///
  /// When it returns, every assembly that was registered before the call has registered and has been told. For this, calls
  /// on several threads take turns; a call from inside an assembly does not wait for the one that it is part of. An assembly
  /// must not block until somebody else's call ends, as that one waits for the assembly; likewise, two containers whose
  /// assemblies assemble each other's wait for ever if both are assembled at the same time.
  ///
  /// - Throws: What `registered(to:)` throws, at the first that does: that assembly is not told again, those behind it are at
  ///   the next call. A `CancellationError` if the task is cancelled while it waits for its turn.
  func assemble() async throws
}

extension Assembler {
  /// Registers assemblies and assembles.
  public func assemble<each A: Assembly>(_ assemblies: repeat each A) async throws {
    register(assemblies: repeat each assemblies)
    try await assemble()
  }
}
