/// Something that a factory resolves.
struct Dependency: Sendable {
  /// How it is known.
  enum Source: String, Sendable {
    /// It is a parameter of an initialiser that `auto` calls, or a property that a key path leads to.
    case initializer
    /// Somebody has said so.
    case declared
    /// It was resolved while the container learned.
    case learned
  }

  /// The type, which may be an optional, an array or something lazy, and the tags.
  let key: AnyKey
  /// The types of the arguments that it is given; nil if they are not known.
  let argumentTypes: [any Any.Type]?
  /// Whether it was asked for as something that may be missing, though its type is no optional.
  var isOptional = false
  let source: Source
}

extension [Dependency] {
  /// These and those of others whose keys are not among them.
  func adding(_ others: some Sequence<Dependency>) -> [Dependency] {
    let known = Set(map(\.key))
    return self + others.filter { !known.contains($0.key) }
  }
}
