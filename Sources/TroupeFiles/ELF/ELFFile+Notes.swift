internal import TroupeManifest
internal import TroupeBase

extension ELFFile {
  /// Returns the content of the first note with a manifest; nil for a library that is no plugin.
  ///
  /// Scans the note segments, then the note sections, since a linker may leave notes out of the segments. Throws if the note is damaged or
  /// longer than `NoteLayout.maximumContentSize`.
  package func manifestNote() throws(ReadError) -> [UInt8]? {
    var notesLeft = Self.maximumNotes
    for segment in (0..<segmentCount).lazy.map(segment) where segment.type == Self.noteSegment {
      if let content = try manifest(in: segment.offset, segment.size, segment.alignment, &notesLeft) { return content }
    }
    for section in try sections() where section.type == Self.noteSection {
      if let content = try manifest(in: section.offset, section.size, section.alignment, &notesLeft) { return content }
    }
    return nil
  }

  private func manifest(
    in offset: UInt64, _ size: UInt64, _ alignment: UInt64, _ notesLeft: inout Int
  ) throws(ReadError) -> [UInt8]? {
    guard let note = try note(NoteLayout.name, NoteLayout.type, in: offset, size, alignment, &notesLeft) else { return nil }
    guard note.size <= UInt64(NoteLayout.maximumContentSize) else {
      throw ReadError("has a manifest of \(note.size) bytes, and \(NoteLayout.maximumContentSize) are allowed")
    }
    guard note.isComplete else { throw ReadError("has a damaged manifest: the note reaches beyond the notes' end") }
    return try bytes.read(at: note.offset, count: Int(note.size))
  }

  /// Returns the build ID of the linker (`NT_GNU_BUILD_ID`), which is unique to the content of the library.
  package func buildID() throws(ReadError) -> [UInt8]? {
    var notesLeft = Self.maximumNotes
    for segment in (0..<segmentCount).lazy.map(segment) where segment.type == Self.noteSegment {
      let note = try note("GNU", Self.buildIDType, in: segment.offset, segment.size, segment.alignment, &notesLeft)
      if let note, note.isComplete, note.size <= Self.maximumBuildIDSize {
        return try bytes.read(at: note.offset, count: Int(note.size))
      }
    }
    return nil
  }

  private static let noteSegment: UInt32 = 4
  private static let noteSection: UInt32 = 7
  private static let buildIDType: UInt32 = 3
  /// Real files have a handful of notes.
  private static let maximumNotes = 1024
  private static let maximumBuildIDSize: UInt64 = 1 << 16

  /// The content of a note: its range in the file, and whether that ends within the notes.
  private typealias Note = (offset: UInt64, size: UInt64, isComplete: Bool)

  /// Finds the first note with a name and a type. A note consists of three words (the sizes of the name and the content, and the type), the
  /// name and the content, each padded to the alignment. Decrements `notesLeft` for each note and stops at zero.
  ///
  /// A damaged note of another vendor ends the search: another segment or section may contain the note.
  private func note(
    _ name: String, _ type: UInt32, in offset: UInt64, _ size: UInt64, _ alignment: UInt64, _ notesLeft: inout Int
  ) throws(ReadError) -> Note? {
    guard bytes.contains(offset: offset, count: size) else {
      throw ReadError("is truncated: its notes reach beyond its end")
    }
    let name = Array(name.utf8) + [0]
    // Some linkers align GNU properties to eight bytes. Every other value means four.
    let padding: UInt64 = alignment == 8 ? 8 : 4
    let end = offset + size
    var position = offset
    while end - position >= 12 && notesLeft > 0 {
      notesLeft -= 1
      let header = try bytes.view(at: position, count: Int(min(end - position, 12 + UInt64(name.count))))
      let nameSize = UInt64(header.uint32(0))
      let contentSize = UInt64(header.uint32(4))
      // The 64-bit sum of 32-bit sizes cannot overflow.
      let content = Self.round(position + 12 + nameSize, to: padding)
      let isComplete = content + contentSize <= end
      if header.uint32(8) == type, nameSize == UInt64(name.count), header.has(name, at: 12) {
        return (content, contentSize, isComplete)
      }
      guard isComplete else { return nil }
      position = min(Self.round(content + contentSize, to: padding), end)
    }
    return nil
  }

  private static func round(_ value: UInt64, to alignment: UInt64) -> UInt64 {
    (value + alignment - 1) & ~(alignment - 1)
  }
}
