/// How long an instance lives.
public enum Lifetime: Sendable, Hashable {
  /// It is made once, by the first resolve that succeeds, and shared from then on.
  case singleton
  /// It is made once in each scope, by the first resolve there that succeeds, and shared within that scope; see
  /// `Container.scope()`. The container that it is registered in is a scope, too.
  case scoped
  /// It is made anew for each resolve.
  case transient
}
