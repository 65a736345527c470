internal import Synchronization

/// Keeps what C may still use after the calls that it was given to: texts, arrays, structs and callbacks.
///
/// A call lends inline values to C until it returns. A library that keeps a pointer needs them longer:
///
///     let lifetime = ForeignLifetime()
///     _ = try open.call([.bytes(document)], keeping: lifetime)   // keeps the pointer
///     print(try read.call([.integer(16)]))
///     withExtendedLifetime(lifetime) {}                          // from here on, C must not use it
///
/// It may be used on any thread, also for several calls at once. It ends with its last reference.
public final class ForeignLifetime: Sendable {
  private let objects = Mutex<[any AnyObject & Sendable]>([])
  /// What keeps arguments in other processes, one object for each process.
  private let remotes = Mutex<[any AnyObject & Sendable]>([])

  /// Creates a lifetime that keeps nothing yet.
  public init() {}

  package func keep(_ object: any AnyObject & Sendable) { objects.withLock { $0.append(object) } }

  /// Returns what keeps arguments in another process, and makes it for the first call there.
  package func remote<Remote: AnyObject & Sendable>(
    where isWanted: (Remote) -> Bool, or make: () throws -> Remote
  ) rethrows -> Remote {
    if let known = remotes.withLock({ $0.lazy.compactMap { $0 as? Remote }.first(where: isWanted) }) { return known }
    let made = try make()
    remotes.withLock { $0.append(made) }
    return made
  }
}

/// The result of a call, with the memory that it allocated for arguments.
package struct CallOutcome: Sendable {
  /// The value that ``PreparedCall/call(_:resolver:)`` returns.
  package let value: Value
  /// The memory by the position among the arguments from 0, with the name of the parameter if it has one.
  package let memory: [(position: Int, name: String?, memory: ForeignMemory)]

  package init(_ value: Value, memory: [(position: Int, name: String?, memory: ForeignMemory)] = []) {
    (self.value, self.memory) = (value, memory)
  }

  /// The names of the contents of memory in a result: those of the parameters, or their positions from 1.
  ///
  /// - Parameter others: The other names in the result.
  static func names(_ parameters: [(name: String?, position: Int)], besides others: [String]) -> [String] {
    parameters.map { name, position in name.flatMap { others.contains($0) ? nil : $0 } ?? "\(position + 1)" }
  }
}
