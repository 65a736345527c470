import Synchronization

extension Entry {
  /// Returns this entry with a counterpart of the other lifetime, for resolves with `cached:`. Call it before the entry is
  /// published.
  final func withOverridableCaching() -> Self {
    details.otherCaching = copy(tags: tags, lifetime: lifetime == .singleton ? .transient : .singleton)
    return self
  }

  /// Returns the entry that makes the instance for a request: the counterpart if the request wants the other lifetime and there is
  /// one.
  @inline(__always)
  final func variant(for request: Container.Request) -> Entry {
    guard let cached = request.cached, cached != (lifetime == .singleton) else { return self }
    return detailsBox?.details.otherCaching ?? self
  }

  /// The sequence number of the last instance that the entry or its counterpart keeps; 0 without an instance.
  final var lastCreation: Int {
    let own = creationOrder.load(ordering: .relaxed)
    guard let counterpart = detailsBox?.details.otherCaching else { return own }
    return max(own, counterpart.creationOrder.load(ordering: .relaxed))
  }
}
