/// How long an instance lives.
public enum Lifetime: Sendable, Hashable {
  /// It is made once, by the first resolve that succeeds, and shared from then on.
  case singleton
  /// It is made anew for each resolve.
  case transient
}
