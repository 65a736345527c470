internal import TroupeManifest

extension ELFFile {
  /// The content of the first note with our name and type, or nil if there is none.
  ///
  /// Notes are looked for in the note segments, then in the note sections, since a linker may keep them out of the segments.
  /// Throws an `ELFError` if the note is damaged or longer than `NoteLayout.maximumContentSize`.
  package func manifestNote() throws(ELFError) -> [UInt8]? {
    var notesLeft = Self.maximumNotes
    for index in 0..<segmentCount {
      let segment = self.segment(index)
      guard segment.type == Self.noteSegment else { continue }
      if let content = try manifest(in: segment.offset, segment.size, segment.alignment, &notesLeft) { return content }
    }
    for section in try sections() where section.type == Self.noteSection {
      if let content = try manifest(in: section.offset, section.size, section.alignment, &notesLeft) { return content }
    }
    return nil
  }

  private static let ourName = Array(NoteLayout.name.utf8) + [0]
  private static let noteSegment: UInt32 = 4
  private static let noteSection: UInt32 = 7
  /// No more notes than this are looked at in one file; real ones have a handful.
  private static let maximumNotes = 1024

  /// Walks through notes: three words for the sizes of name and content and for the type, the name, the content, each
  /// padded to the alignment. Takes the notes that it looks at from `notesLeft`, and stops when there are none.
  private func manifest(
    in offset: UInt64, _ size: UInt64, _ alignment: UInt64, _ notesLeft: inout Int
  ) throws(ELFError) -> [UInt8]? {
    guard bytes.contains(offset: offset, count: size) else {
      throw ELFError("is truncated: its notes reach beyond its end")
    }
    // Eight is what some linkers write for GNU properties; every other value means four.
    let padding: UInt64 = alignment == 8 ? 8 : 4
    let end = offset + size
    var position = offset
    while end - position >= 12 && notesLeft > 0 {
      notesLeft -= 1
      let header = try bytes.words(at: position, count: Int(min(end - position, 12 + UInt64(Self.ourName.count))))
      let nameSize = UInt64(header.word(0))
      let contentSize = UInt64(header.word(4))
      // 32-bit sizes cannot overflow 64-bit sums.
      let content = Self.round(position + 12 + nameSize, to: padding)
      let isOurs =
        header.word(8) == NoteLayout.type && nameSize == UInt64(Self.ourName.count) && header.has(Self.ourName, at: 12)
      if isOurs && contentSize > UInt64(NoteLayout.maximumContentSize) {
        throw ELFError("has a manifest of \(contentSize) bytes, and \(NoteLayout.maximumContentSize) are allowed")
      }
      guard content + contentSize <= end else {
        // Somebody else's damaged note is no reason to refuse; ours may come in another place.
        if isOurs { throw ELFError("has a damaged manifest: the note reaches beyond the notes' end") }
        return nil
      }
      if isOurs { return try bytes.read(at: content, count: Int(contentSize)) }
      position = min(Self.round(content + contentSize, to: padding), end)
    }
    return nil
  }

  private static func round(_ value: UInt64, to alignment: UInt64) -> UInt64 {
    (value + alignment - 1) & ~(alignment - 1)
  }
}
