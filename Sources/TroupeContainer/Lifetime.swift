/// How long an instance lives, and who shares it.
public enum Lifetime: Sendable, Hashable {
  // This case comes first so that one instruction decides whether an entry keeps an instance.
  /// Each resolve makes a new instance.
  case transient
  /// Each scope has one instance, made by its first successful resolve; see `Container.scope()`. The container of the registration
  /// is a scope as well.
  case scoped
  /// There is one instance, made by the first successful resolve.
  case singleton

  init(cached: Bool) { self = cached ? .singleton : .transient }

  /// A higher rank lives longer. A transient has none, since it lives as long as its holder.
  var rank: Int? {
    switch self {
    case .singleton: 100
    case .scoped: 50
    case .transient: nil
    }
  }
}
