extension Entry {
  /// What was attached to the registration, or nil. Nothing is made to read it.
  ///
  /// What a plugin registers has no metadata until the plugin is loaded.
  public final var metadata: (any Sendable)? { detailsBox?.details.metadata }

  /// What was attached to the registration if it is of a type, or can be cast to it; nil otherwise. Nothing is made to read it.
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
    // What is not there could be cast to an optional.
    guard let metadata else { return nil }
    return metadata as? Metadata
  }
}
