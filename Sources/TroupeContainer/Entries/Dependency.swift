/// A dependency of a factory.
struct Dependency: Sendable {
  /// The source of the information.
  enum Source: String, Sendable {
    /// A parameter of an initializer that `auto` calls, or the property of a key path.
    case initializer
    /// A declaration with `annotated(dependsOn:)`.
    case declared
    /// A resolve while the container learned.
    case learned
  }

  /// The requested type, which may be an optional, an array or a lazy resolver, and the tags.
  let key: AnyKey
  /// The types of the arguments; nil if they are not known.
  let argumentTypes: [any Any.Type]?
  /// Whether the registration may be missing, though the type is not optional.
  var isOptional = false
  let source: Source
}

extension [Dependency] {
  /// Returns these dependencies and the others whose keys are not among them.
  func adding(_ others: some Sequence<Dependency>) -> [Dependency] {
    let known = Set(map(\.key))
    return self + others.filter { !known.contains($0.key) }
  }
}
