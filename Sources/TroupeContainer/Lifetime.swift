/// How long an instance lives, and who shares it.
@frozen public enum Lifetime: Sendable, Hashable {
  // The first case is 0, so that a resolve decides with one instruction whether the registration keeps its instance.
  /// Each resolve makes a new instance.
  case transient
  /// Each scope has one instance, made by its first successful resolve; see `Container.scope()`. The container of the registration
  /// is a scope as well.
  case scoped
  /// The registration has one instance, made by the first successful resolve. Scopes and child containers share it.
  case singleton
}
