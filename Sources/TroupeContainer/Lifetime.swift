/// How long an instance lives.
public enum Lifetime: Sendable, Hashable {
  // First, so that it is found out with one instruction whether there is an instance to keep.
  /// It is made anew for each resolve.
  case transient
  /// It is made once in each scope, by the first resolve there that succeeds, and shared within that scope; see
  /// `Container.scope()`. The container that it is registered in is a scope, too.
  case scoped
  /// It is made once, by the first resolve that succeeds, and shared from then on.
  case singleton
}
