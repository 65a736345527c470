import TestSupport

/// A small ELF file made in memory: the header, the program headers, the contents, the section headers.
struct ELFImage {
  /// A part of the file with a program header or a section header.
  struct Part {
    var name = ""
    var type: UInt32
    var alignment: UInt64 = 4
    var content: [UInt8]
  }

  /// The type of a note segment.
  static let noteSegment: UInt32 = 4
  /// The type of a segment that is loaded.
  static let loadSegment: UInt32 = 1
  /// The type of a note section.
  static let noteSection: UInt32 = 7
  /// The type of a section with data that the program defines.
  static let dataSection: UInt32 = 1

  var segments: [Part] = [Part(type: loadSegment, content: [])]
  var sections: [Part] = []

  /// An image whose notes are in a segment.
  static func notes(_ notes: [UInt8]..., alignment: UInt64 = 4) -> ELFImage {
    ELFImage(segments: [Part(type: noteSegment, alignment: alignment, content: notes.flatMap { $0 })])
  }

  /// A note: the sizes of name and content, the type, the name, the content, padded to the alignment.
  ///
  /// - Parameters:
  ///   - nameSize: The size that the note declares for its name; nil for the actual size.
  ///   - contentSize: The size that the note declares for its content; nil for the actual size.
  static func note(
    _ content: String, name: String = "Troupe\0", type: UInt32 = 1, alignment: Int = 4, nameSize: UInt32? = nil,
    contentSize: UInt32? = nil
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(number: nameSize ?? UInt32(name.utf8.count))
    bytes.append(number: contentSize ?? UInt32(content.utf8.count))
    bytes.append(number: type)
    bytes += Array(name.utf8)
    bytes.pad(to: alignment)
    bytes += Array(content.utf8)
    bytes.pad(to: alignment)
    return bytes
  }

  /// The bytes of the file.
  var bytes: [UInt8] {
    let start = 64 + segments.count * 56
    var contents: [UInt8] = []
    func place(_ content: [UInt8]) -> UInt64 {
      while !(start + contents.count).isMultiple(of: 8) { contents.append(0) }
      defer { contents += content }
      return UInt64(start + contents.count)
    }

    var programHeaders: [UInt8] = []
    for segment in segments {
      let offset = place(segment.content)
      let size = UInt64(segment.content.count)
      programHeaders.append(number: segment.type)
      programHeaders.append(number: UInt32(4))
      for number in [offset, offset, offset, size, size, segment.alignment] { programHeaders.append(number: number) }
    }

    var names: [UInt8] = [0]
    var sectionHeaders = [UInt8](repeating: 0, count: 64)
    let all = sections + [Part(name: ".shstrtab", type: 3, content: [])]
    for (index, section) in all.enumerated() {
      let name = UInt32(names.count)
      names += Array(section.name.utf8) + [0]
      let content = index == sections.count ? names : section.content
      let offset = place(content)
      sectionHeaders.append(number: name)
      sectionHeaders.append(number: section.type)
      for number in [0, 0, offset, UInt64(content.count), 0, section.alignment, 0] { sectionHeaders.append(number: number) }
    }
    let table = place([])

    var header: [UInt8] = [0x7F] + Array("ELF".utf8) + [2, 1, 1] + Array(repeating: 0, count: 9)
    header.append(number: UInt16(3))
    header.append(number: UInt16(62))
    header.append(number: UInt32(1))
    for number in [0, 64, table] { header.append(number: number) }
    header.append(number: UInt32(0))
    for number in [64, 56, segments.count, 64, all.count + 1, all.count] { header.append(number: UInt16(number)) }
    return header + programHeaders + contents + sectionHeaders
  }
}
