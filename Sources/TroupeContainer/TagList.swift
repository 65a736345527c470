package import struct FoundationEssentials.UUID

/// Tags as entries keep them, without repeats. Made once for several entries that have the same.
package struct TagList: Sendable {
  let tags: [Tag]

  /// Makes a list of any tags.
  package init(_ tags: Set<AnySendableHashable>) {
    self.tags = TagHash.distinct(tags.map(\.tag))
  }

  /// Makes a list of texts and, if there is one, a UUID.
  package init(_ texts: [String], _ uuid: UUID?) {
    var tags: [Tag] = []
    tags.reserveCapacity(texts.count + 1)
    for text in texts { tags.append(Tag.make(text)) }
    if let uuid { tags.append(Tag.make(uuid)) }
    self.tags = TagHash.distinct(tags)
  }
}
