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
    /// A singleton's factory asked for the singleton that it was making.
    case cycle
    /// The factory threw this error.
    case error(any Error)
  }

  /// What was to be resolved.
  public let key: AnyKey
  /// What went wrong.
  public let reason: Reason

  /// Makes an error about a key.
  public init(_ key: AnyKey, reason: Reason) {
    self.key = key
    self.reason = reason
  }

  /// Makes an error about a key.
  public init<T>(_ key: Key<T>, reason: Reason) {
    self.init(AnyKey(key), reason: reason)
  }

  /// One sentence for a person.
  public var description: String {
    switch reason {
    case .notFound: "nothing is registered as \(key)"
    case .invalidArgsType: "the factory registered as \(key) takes other arguments"
    case .invalidInstanceType: "the factory registered as \(key) made something that is not a \(key.type)"
    case .cycle: "the singleton registered as \(key) needs itself"
    case .error(let error): "\(key) could not be made: \(error)"
    }
  }
}
