internal import TroupeManifest
internal import TroupeBase

extension ELFFile {
  /// Returns the content of the first note with a manifest; nil for a library that is no plugin.
  ///
  /// Scans the note segments, then the note sections, since a linker may leave notes out of the segments. Throws if the note is damaged or
  /// longer than `NoteLayout.maximumContentSize`.
  package func manifestNote() throws(ReadError) -> [UInt8]? {
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
  /// Real files have a handful of notes.
  private static let maximumNotes = 1024

  /// Scans notes. A note consists of three words (the sizes of the name and the content, and the type), the name and the content, each
  /// padded to the alignment. Decrements `notesLeft` for each note and stops at zero.
  private func manifest(
    in offset: UInt64, _ size: UInt64, _ alignment: UInt64, _ notesLeft: inout Int
  ) throws(ReadError) -> [UInt8]? {
    guard bytes.contains(offset: offset, count: size) else {
      throw ReadError("is truncated: its notes reach beyond its end")
    }
    // Some linkers align GNU properties to eight bytes. Every other value means four.
    let padding: UInt64 = alignment == 8 ? 8 : 4
    let end = offset + size
    var position = offset
    while end - position >= 12 && notesLeft > 0 {
      notesLeft -= 1
      let header = try bytes.view(at: position, count: Int(min(end - position, 12 + UInt64(Self.ourName.count))))
      let nameSize = UInt64(header.uint32(0))
      let contentSize = UInt64(header.uint32(4))
      // The 64-bit sum of 32-bit sizes cannot overflow.
      let content = Self.round(position + 12 + nameSize, to: padding)
      let isOurs =
        header.uint32(8) == NoteLayout.type && nameSize == UInt64(Self.ourName.count) && header.has(Self.ourName, at: 12)
      if isOurs && contentSize > UInt64(NoteLayout.maximumContentSize) {
        throw ReadError("has a manifest of \(contentSize) bytes, and \(NoteLayout.maximumContentSize) are allowed")
      }
      guard content + contentSize <= end else {
        // A damaged note of another vendor does not reject the file. Another segment or section may contain ours.
        if isOurs { throw ReadError("has a damaged manifest: the note reaches beyond the notes' end") }
        return nil
      }
      if isOurs { return try bytes.read(at: content, count: Int(contentSize)) }
      position = min(Self.round(content + contentSize, to: padding), end)
    }
    return nil
  }

  /// Returns the build ID of the linker (`NT_GNU_BUILD_ID`), which is unique to the content of the library.
  package func buildID() throws(ReadError) -> [UInt8]? {
    let name = Array("GNU".utf8) + [0]
    for index in 0..<segmentCount where segment(index).type == Self.noteSegment {
      let segment = self.segment(index)
      let notes = try bytes.view(at: segment.offset, count: Int(min(segment.size, Self.maximumNotesSize)))
      let padding: UInt64 = segment.alignment == 8 ? 8 : 4
      var position: UInt64 = 0
      while position + 12 <= UInt64(notes.count) {
        let (nameSize, size) = (UInt64(notes.uint32(Int(position))), UInt64(notes.uint32(Int(position) + 4)))
        let content = Self.round(position + 12 + nameSize, to: padding)
        guard content + size <= UInt64(notes.count) else { break }
        if notes.uint32(Int(position) + 8) == Self.buildIDType, nameSize == 4, notes.has(name, at: Int(position) + 12) {
          return try bytes.read(at: segment.offset + content, count: Int(size))
        }
        position = Self.round(content + size, to: padding)
      }
    }
    return nil
  }

  private static let buildIDType: UInt32 = 3
  private static let maximumNotesSize: UInt64 = 1 << 16

  private static func round(_ value: UInt64, to alignment: UInt64) -> UInt64 {
    (value + alignment - 1) & ~(alignment - 1)
  }
}
