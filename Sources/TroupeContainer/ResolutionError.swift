/// Why something could not be resolved.
public struct ResolutionError: Error, CustomStringConvertible {
  /// What went wrong.
  public enum Reason: Sendable {
    /// Nothing is registered under the key.
    case notFound
    /// The arguments are not those that the factory takes.
    case invalidArgsType
    /// The factory made something that is not of the registered type.
    case invalidInstanceType
    /// The factory is asynchronous, and the context is not.
    case requiresAsync
    /// The factory runs on this actor, and the context is neither there nor asynchronous.
    case requiresIsolation(any Actor)
    /// The resolver of a lazy resolver is gone.
    case noResolver
    /// A factory needs, through others, what it is making. The keys from its own to its own again.
    case cycle([AnyKey])
    /// The factory threw this error.
    case error(any Error)
  }

  /// What was to be resolved.
  public let key: AnyKey
  /// What went wrong.
  public let reason: Reason
  /// What asked for it, outermost first; empty if it was asked for from outside.
  private let path: [AnyKey]
  /// The places where the keys of a ring were registered, as far as they are known.
  private let places: [String?]
  /// Finds what is registered under other keys and may have been meant. Called when the error is printed.
  private let nearest: (@Sendable () -> [AnyKey])?

  /// Makes an error about a key.
  public init(_ key: AnyKey, reason: Reason) {
    self.init(key, reason, path: [])
  }

  /// Makes an error about a key.
  public init<T>(_ key: Key<T>, reason: Reason) {
    self.init(AnyKey(key), reason: reason)
  }

  private init(
    _ key: AnyKey, _ reason: Reason, path: [AnyKey], places: [String?] = [], nearest: (@Sendable () -> [AnyKey])? = nil
  ) {
    self.key = key
    self.reason = reason
    self.path = path
    self.places = places
    self.nearest = nearest
  }

  /// Nothing is registered under a key, asked for by the factories that run above.
  static func notFound(_ key: AnyKey, in container: Container) -> ResolutionError {
    ResolutionError(key, .notFound, path: BuildPath.all().map(\.key)) { [weak container] in
      container?.nearest(to: key) ?? []
    }
  }

  /// Entries need each other; the first is the last.
  static func cycle(through entries: some Sequence<Entry>) -> ResolutionError {
    let entries = Array(entries)
    let keys = entries.map(\.key)
    guard let last = keys.last else { preconditionFailure("a ring has entries") }
    return ResolutionError(last, .cycle(keys), path: [], places: entries.map(\.place))
  }

  /// What a factory threw, as an error about its key; a `ResolutionError` or a cancellation stays what it is.
  @usableFromInline
  static func wrapping(_ error: any Error, _ entry: Entry) -> any Error {
    switch error {
    case is ResolutionError, is CancellationError: error
    case is ArgumentMismatch: ResolutionError(entry.key, .invalidArgsType, path: [], places: [entry.place])
    default: ResolutionError(entry.key, reason: .error(error))
    }
  }

  /// One sentence for a person; for what was not found also what asked for it and what may have been meant.
  public var description: String {
    switch reason {
    case .notFound: "nothing is registered as \(key)" + asked + meant
    case .invalidArgsType: "the factory registered as \(key)\(at(0)) takes other arguments"
    case .invalidInstanceType: "the factory registered as \(key) made something that is not a \(key.type)"
    case .requiresAsync: "the factory registered as \(key) is asynchronous; resolve it with await"
    case .requiresIsolation(let actor): "the factory registered as \(key) runs on \(actor); resolve it there or with await"
    case .noResolver: "the container that \(key) was to be resolved from is gone"
    case .cycle(let keys):
      keys.count <= 2
        ? "\(key)\(at(0)) needs itself: \(ring(keys))" : "\(key) needs itself through others: \(ring(keys))"
    case .error(let error): "\(key) could not be made: \(error)"
    }
  }

  private func ring(_ keys: [AnyKey]) -> String {
    keys.indices.map { "\(keys[$0])\(keys.count > 2 ? at($0) : "")" }.joined(separator: " → ")
  }

  private func at(_ index: Int) -> String {
    places.indices.contains(index) ? places[index].map { " (\($0))" } ?? "" : ""
  }

  private var asked: String {
    path.isEmpty ? "" : ", which " + path.reversed().map { "\($0)" }.joined(separator: " needs, which ") + " needs"
  }

  private var meant: String {
    let keys = nearest?() ?? []
    return keys.isEmpty ? "" : "; registered are " + keys.map(\.description).joined(separator: ", ")
  }
}

extension Container {
  /// What may have been meant by a key that is not registered: the same type under other tags, or a type of the same name in
  /// another module. No more than five.
  fileprivate func nearest(to key: AnyKey) -> [AnyKey] {
    let name = String(describing: key.metatype)
    var keys: [AnyKey] = candidates(key.metatype, including: []).map(\.entry.key)
    for container in lineage {
      keys += container.allEntries { String(describing: $0) == name && ObjectIdentifier($0) != key.identity }.map(\.key)
    }
    return Array(keys.prefix(5))
  }
}
