/// The lifetime of an instance.
public enum Lifetime: Sendable, Hashable {
  // First, because one instruction then decides whether an entry keeps an instance.
  /// Each resolve makes a new instance.
  case transient
  /// Each scope has one instance, which its first successful resolve makes; see `Container.scope()`. The container of the
  /// registration is a scope as well.
  case scoped
  /// There is one instance, which the first successful resolve makes.
  case singleton
}
