import Foundation
import TestSupport
import Testing
import TroupeFiles

@Suite("ELF notes") struct ELFNoteTests {
  /// The text of an image's manifest, or nil.
  static func manifest(_ bytes: [UInt8]) throws -> String? {
    try ELFFile(MemoryBytes(bytes)).manifestNote().map { String(decoding: $0, as: UTF8.self) }
  }

  static func manifest(_ image: ELFImage) throws -> String? { try manifest(image.bytes) }

  /// The problem with an image's manifest, or nil.
  static func fault(_ image: ELFImage) throws -> String? {
    do {
      _ = try manifest(image)
      return nil
    } catch let error as ReadError {
      return error.description
    }
  }

  @Test("A note in a note segment is found after other notes, with 4-byte and 8-byte alignment", arguments: [4, 8])
  func segment(_ alignment: Int) throws {
    let others = [("GNU\0", "a"), ("GNU\0", "123456789"), ("Troupe", "no NUL"), ("Troupe\0\0", "two")].map {
      ELFImage.note($1, name: $0, alignment: alignment)
    }
    let image = ELFImage.notes(
      others.flatMap { $0 } + ELFImage.note("{}", alignment: alignment) + ELFImage.note("second", alignment: alignment),
      alignment: UInt64(alignment))
    #expect(try Self.manifest(image) == "{}")
  }

  @Test("An unusual alignment means 4 bytes", arguments: [0, 1, 2, 16, UInt64.max])
  func alignment(_ alignment: UInt64) throws {
    #expect(try Self.manifest(.notes(ELFImage.note("a", name: "GNU\0"), ELFImage.note("{}"), alignment: alignment)) == "{}")
  }

  @Test(
    "Notes of another type or name are ignored",
    arguments: [
      ELFImage.note("{}", type: 2), ELFImage.note("{}", type: 0), ELFImage.note("{}", name: "troupe\0"),
      ELFImage.note("{}", name: "Troupe"),
      ELFImage.note("{}", name: ""), ELFImage.note("{}", name: "Trouper\0"), [], [1, 2, 3], Array(repeating: 0, count: 12),
    ])
  func others(_ note: [UInt8]) throws {
    #expect(try Self.manifest(.notes(note)) == nil)
  }

  @Test("A note that is only in a section is found there")
  func section() throws {
    let note = ELFImage.Part(name: ".note.troupe", type: ELFImage.noteSection, content: ELFImage.note("{}"))
    #expect(try Self.manifest(ELFImage(sections: [note])) == "{}")
    var other = note
    other.type = ELFImage.dataSection
    #expect(try Self.manifest(ELFImage(sections: [other])) == nil)
  }

  @Test("A real library's note is found in its segment, without section headers, and in its section")
  func real() throws {
    let library = try PluginDirectory.library("healthy/empty.c")
    let manifest = try #require(try Self.manifest(library))
    #expect(manifest.hasPrefix(#"{"id":"org.example.empty""#))
    #expect(manifest.hasSuffix("}\0"))

    var withoutSections = library
    withoutSections.set(UInt64(0), at: 40)
    #expect(try Self.manifest(withoutSections) == manifest)

    var withoutSegments = library
    for index in 0..<library.half(at: 56) where library[library.long(at: 32) + index * 56] == 4 {
      withoutSegments.set(UInt32(0), at: library.long(at: 32) + index * 56)
    }
    #expect(try Self.manifest(withoutSegments) == manifest)

    withoutSegments.set(UInt64(0), at: 40)
    #expect(try Self.manifest(withoutSegments) == nil)
  }

  @Test("A manifest that exceeds its notes is damaged", arguments: [3, 100, 65536])
  func beyond(_ size: UInt32) throws {
    let image = ELFImage.notes(ELFImage.note("", contentSize: size))
    #expect(try Self.fault(image) == "has a damaged manifest: the note reaches beyond the notes' end")
  }

  @Test("A manifest with a declared size above the limit is refused unread", arguments: [65537, 100 << 20, UInt32.max])
  func tooLong(_ size: UInt32) throws {
    let image = ELFImage.notes(ELFImage.note("{}", contentSize: size))
    #expect(try Self.fault(image) == "has a manifest of \(size) bytes, and 65536 are allowed")
  }

  @Test("A manifest of 64 KB is read")
  func longest() throws {
    let text = String(repeating: " ", count: 65536)
    #expect(try Self.manifest(.notes(ELFImage.note(text))) == text)
  }

  @Test(
    "A foreign note with a hostile size ends the scan of its segment only",
    arguments: [
      (UInt32.max, nil), (nil, UInt32.max), (UInt32.max, UInt32.max), (UInt32.max - 3, 8), (0x7FFF_FFFF, nil),
      (0x8000_0000, nil),
    ] as [(UInt32?, UInt32?)])
  func hostile(_ name: UInt32?, _ content: UInt32?) throws {
    let hostile = ELFImage.note("x", name: "GNU\0", nameSize: name, contentSize: content)
    #expect(try Self.manifest(.notes(hostile, ELFImage.note("{}"))) == nil)
    var image = ELFImage.notes(hostile)
    image.segments.append(ELFImage.notes(ELFImage.note("{}")).segments[0])
    #expect(try Self.manifest(image) == "{}")
  }

  @Test(
    "A file with a note segment beyond its end is truncated, also if the segment's end overflows",
    arguments: [
      (UInt64.max, 2), (UInt64.max - 1, 12), (0, UInt64.max), (1 << 40, 12), (0, 1 << 40),
    ] as [(UInt64, UInt64)])
  func overflow(_ offset: UInt64, _ size: UInt64) throws {
    var bytes = ELFImage.notes(ELFImage.note("{}")).bytes
    bytes.set(offset, at: 64 + 8)
    bytes.set(size, at: 64 + 32)
    #expect(throws: ReadError.self) { try Self.manifest(bytes) }
    #expect(ELFFileTests.fault(bytes) == "is truncated: its notes reach beyond its end")
  }

  @Test("A file with a note section beyond its end is truncated")
  func sectionOverflow() throws {
    let image = ELFImage(sections: [.init(type: ELFImage.noteSection, content: ELFImage.note("{}"))])
    var bytes = image.bytes
    bytes.set(UInt64.max - 4, at: bytes.long(at: 40) + 64 + 24)
    #expect(ELFFileTests.fault(bytes)?.contains("its notes") == true)
  }

  @Test("The scan of a long series of empty notes stops")
  func endless() throws {
    let empty = [UInt8](repeating: 0, count: 12 * 100_000)
    #expect(try Self.manifest(.notes(empty, ELFImage.note("{}"))) == nil)
  }

  @Test("The scan of many note segments over the same notes stops")
  func manySegments() throws {
    // 65535 segments of 1000 notes each would be 65 million notes to read.
    let notes = [UInt8](repeating: 0, count: 12 * 1000)
    var bytes = ELFImage.notes(notes).bytes
    let header = Array(bytes[64..<64 + 56])
    bytes.set(UInt64(bytes.count), at: 32)
    bytes.set(UInt16.max, at: 56)
    for _ in 0..<65535 { bytes += header }
    let reads = CountingBytes(bytes)
    #expect(try ELFFile(reads).manifestNote() == nil)
    #expect(reads.reads < 10_000)
  }
}

/// Bytes in memory that count the reads.
private final class CountingBytes: ByteSource {
  private let bytes: MemoryBytes
  private(set) var reads = 0

  init(_ bytes: [UInt8]) {
    self.bytes = MemoryBytes(bytes)
  }

  var count: UInt64 { bytes.count }

  func read(at offset: UInt64, count: Int) throws(ReadError) -> [UInt8] {
    reads += 1
    return try bytes.read(at: offset, count: count)
  }
}
