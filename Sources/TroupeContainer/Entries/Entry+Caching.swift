import Synchronization

extension Entry {
  /// This entry with a counterpart of the other lifetime, so that a resolve may say whether the instance is cached. To be called
  /// before it is published.
  final func withOverridableCaching() -> Self {
    details.otherCaching = copy(tags: tags, lifetime: lifetime == .singleton ? .transient : .singleton)
    return self
  }

  /// The entry that makes the instance for a request: the counterpart if the request wants the other lifetime and there is one.
  @inline(__always)
  final func honoring(_ request: Container.Request) -> Entry {
    guard let cached = request.cached, cached != (lifetime == .singleton) else { return self }
    return detailsBox?.details.otherCaching ?? self
  }

  /// The order in which the instance was made that the entry keeps, or its counterpart; 0 for none.
  final var lastMade: Int {
    let own = made.load(ordering: .relaxed)
    guard let counterpart = detailsBox?.details.otherCaching else { return own }
    return max(own, counterpart.made.load(ordering: .relaxed))
  }
}
