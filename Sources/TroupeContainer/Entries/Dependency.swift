/// Something that a factory resolves.
struct Dependency: Sendable {
  /// How it is known.
  enum Source: String, Sendable {
    /// It is a parameter of an initialiser that `auto` calls.
    case initializer
    /// Somebody has said so.
    case declared
    /// It was resolved while the container learned.
    case learned
  }

  /// The type, which may be an optional, an array or something lazy, and the tags.
  let key: AnyKey
  /// The identities of the types of the arguments that it is given; nil if nobody knows.
  let argumentTypes: [ObjectIdentifier]?
  let source: Source
}
