extension Entry {
  /// The metadata of the registration, or nil. Reading it makes no instance.
  ///
  /// A registration of a plugin has no metadata until the plugin is loaded.
  public final var metadata: (any Sendable)? { detailsBox?.details.metadata }

  /// The registrant's own description of the registration, or nil. Set it only before the entry is registered.
  package final var registrantInfo: (any Sendable)? {
    get { detailsBox?.details.registrantInfo }
    set { details.registrantInfo = newValue }
  }

  /// Returns the metadata cast to a type, or nil if the cast fails. Makes no instance.
  ///
  /// ```swift
  /// let container = Container()
  /// let key = container.register(Int.self, metadata: "the answer") { _ in 42 }
  /// assert(container[key]?.metadata(as: String.self) == "the answer")
  /// assert(container[key]?.metadata(as: Int.self) == nil)
  /// ```
  ///
  /// Cost: that of a cast.
  public final func metadata<Metadata>(as type: Metadata.Type) -> Metadata? {
    // A cast of the missing metadata to an optional type would succeed.
    guard let metadata else { return nil }
    return metadata as? Metadata
  }
}
