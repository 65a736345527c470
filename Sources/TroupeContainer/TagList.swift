package import struct FoundationEssentials.UUID

/// A list of distinct tags in the form that entries store. Several entries with the same tags can share it.
package struct TagList: Sendable {
  let tags: [Tag]

  /// Creates a list of any tags.
  package init(_ tags: Set<AnySendableHashable>) {
    self.tags = TagHash.distinct(tags.map(\.tag))
  }

  /// Creates a list of texts and an optional UUID.
  package init(_ texts: [String], _ uuid: UUID?) {
    var tags: [Tag] = []
    tags.reserveCapacity(texts.count + 1)
    for text in texts { tags.append(Tag.make(text)) }
    if let uuid { tags.append(Tag.make(uuid)) }
    self.tags = TagHash.distinct(tags)
  }
}
