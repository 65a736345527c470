/// A load that several pending entries share, such as those of a plugin. It succeeds once; after a failure the next caller runs it again.
///
/// It is a singleton of no container: callers that come while it runs wait in the wait-for graph of singletons, and a cycle of such waits
/// is a `ResolutionError`.
package final class LoadOnce: Sendable {
  private struct Done {}

  private let entry: Entry

  /// Creates a load that has not run.
  ///
  /// - Parameter owner: The owner of the pending entries, for the description of a cycle.
  package init(owner: Owner, _ load: @escaping @Sendable () throws -> Void) {
    entry = PlainEntry<Done>(tags: [], lifetime: .singleton, location: nil) { _ in
      try load()
      return Done()
    }
    entry.owner = owner
  }

  /// Runs the load on this thread, or waits for the thread that runs it; does nothing if it has succeeded.
  ///
  /// - Parameter container: The container of the pending entries.
  /// - Throws: The error of the load, or a `ResolutionError` for a cycle.
  package func run(in container: Container) throws {
    _ = try container.instance(of: entry, arguments: [])
  }
}
