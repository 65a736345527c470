/// What a factory resolves, as the container knows it without running the factory.
struct Dependency: Sendable {
  /// The requested type, which may be an optional, an array or a lazy resolver, and the tags.
  let key: AnyKey
  /// Nil for a dependency that is declared by its key alone.
  let argumentTypes: [any Any.Type]?
  /// True if the registration may be missing, although the type is not optional.
  var isOptional = false
  let source: DependencySource
}

/// How the container knows a dependency.
public enum DependencySource: String, Sendable, Hashable, Codable {
  /// A parameter of an initializer that `auto` calls, the key path of an injection, or the membership in an array.
  case known
  /// Declared with `annotated(dependsOn:)`.
  case declared
  /// Recorded by a container that learns.
  case learned
}

extension [Dependency] {
  /// Returns these dependencies and the others whose keys are not among them.
  func adding(_ others: some Sequence<Dependency>) -> [Dependency] {
    let known = Set(map(\.key))
    return self + others.filter { !known.contains($0.key) }
  }
}
