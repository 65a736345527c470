import Foundation
import TestSupport
import Testing
import TroupeFiles

@Suite("ELF headers") struct ELFFileTests {
  /// The problem with an image's headers, sections or notes, or nil.
  static func fault(_ bytes: [UInt8]) -> String? {
    do {
      let file = try ELFFile(MemoryBytes(bytes))
      _ = try file.sections()
      _ = try file.manifestNote()
      return nil
    } catch {
      return error.description
    }
  }

  /// A small image after a change to its bytes.
  static func changed(_ change: (inout [UInt8]) -> Void) -> [UInt8] {
    var bytes = ELFImage(sections: [.init(name: ".data", type: ELFImage.dataSection, content: [1, 2, 3])]).bytes
    change(&bytes)
    return bytes
  }

  @Test("A shared library is read: machine, sections, names")
  func reads() throws {
    let file = try ELFFile(MemoryBytes(Self.changed { _ in }))
    #expect(file.machine == 62)
    #expect(file.segmentCount == 1)
    #expect(try file.sections().map(\.name) == ["", ".data", ".shstrtab"])
    #expect(Self.fault(Self.changed { _ in }) == nil)
  }

  @Test("A real library has the sections that readelf lists")
  func real() throws {
    let directory = try PluginDirectory()
    let path = try directory.add("healthy/empty.c")
    let file = try ELFFile(MemoryBytes([UInt8](Data(contentsOf: URL(filePath: path)))))
    let listed = try succeed(["readelf", "--sections", "--wide", path]).text
    for name in try file.sections().map(\.name).dropFirst() { #expect(listed.contains(name)) }
    #expect(try file.sections().contains { $0.name == ".note.troupe" })
    #expect(try !file.holdsSwift())
  }

  @Test(
    "A file that is not a 64-bit little-endian shared library is refused with the reason",
    arguments: [
      ([[], Array("#!/bin/sh\n".utf8), [0x7F, 0x45, 0x4C]], "is not an ELF file"),
      ([[0x7F, 0x45, 0x4C, 0x46]], "is truncated: it ends within the ELF header"),
      ([changed { $0[4] = 1 }], "is a 32-bit library, and this host is a 64-bit program"),
      ([changed { $0[5] = 2 }], "is a big-endian library, and this host is little-endian"),
      ([1, 2].map { type in changed { $0.set(type as UInt16, at: 16) } }, "is an ELF file, but not a shared library"),
      ([changed { $0.set(UInt16(0), at: 56) }], "is damaged: it has no program headers"),
      ([changed { $0.set(UInt16(55), at: 54) }], "is damaged: its program headers have a wrong size"),
      ([changed { $0.set(UInt16(32), at: 58) }], "is damaged: its section headers have a wrong size"),
    ] as [([[UInt8]], String)])
  func refused(_ files: [[UInt8]], _ fault: String) {
    for bytes in files { #expect(Self.fault(bytes) == fault) }
  }

  @Test(
    "A file with headers beyond its end is truncated, at any declared offset",
    arguments: [
      changed { $0.set(UInt64(1) << 20, at: 32) }, changed { $0.set(UInt64.max, at: 32) },
      changed { $0.set(UInt64.max - 55, at: 32) },
      changed { $0.set(UInt16.max, at: 56) }, changed { $0.set(UInt64(1) << 20, at: 40) },
      changed { $0.set(UInt64.max, at: 40) },
      changed { $0.set(UInt64.max - 63, at: 40) }, changed { $0.set(UInt16.max, at: 60) },
    ])
  func beyond(_ bytes: [UInt8]) throws {
    #expect(try #require(Self.fault(bytes)).hasPrefix("is truncated: "))
  }

  @Test("65535 program headers are read if the file is long enough")
  func manySegments() throws {
    var bytes = ELFImage().bytes
    bytes += [UInt8](repeating: 0, count: 65535 * 56)
    bytes.set(UInt16.max, at: 56)
    #expect(try ELFFile(MemoryBytes(bytes)).segmentCount == 65535)
    #expect(Self.fault(bytes) == nil)
  }

  @Test("A library without section headers has no sections")
  func stripped() throws {
    let bytes = Self.changed { $0.set(UInt64(0), at: 40) }
    #expect(try ELFFile(MemoryBytes(bytes)).sections().isEmpty)
  }

  @Test("Without a valid table of section names the sections have no names", arguments: [3, 4, 0xFFFF])
  func noNames(_ index: UInt16) throws {
    let sections = try ELFFile(MemoryBytes(Self.changed { $0.set(index, at: 62) })).sections()
    #expect(sections.allSatisfy { $0.name.isEmpty })
  }

  @Test("A section name out of bounds is empty")
  func nameOutOfBounds() throws {
    let bytes = Self.changed { bytes in bytes.set(UInt32.max, at: bytes.long(at: 40) + 64) }
    #expect(try ELFFile(MemoryBytes(bytes)).sections().map(\.name) == ["", "", ".shstrtab"])
  }

  @Test(
    "A table of section names that exceeds the file or has a hostile size is a fault",
    arguments: [
      (24, UInt64.max, "is truncated: "), (24, 1 << 30, "is truncated: "), (32, 100_000, "is truncated: "),
      (32, 1 << 40, "is damaged: "), (32, UInt64.max, "is damaged: "),
    ])
  func namesOutOfBounds(_ member: Int, _ value: UInt64, _ fault: String) throws {
    let bytes = Self.changed { bytes in bytes.set(value, at: bytes.long(at: 40) + 2 * 64 + member) }
    #expect(try #require(Self.fault(bytes)).hasPrefix(fault))
  }

  @Test("Sections with an unterminated name use at most 1024 bytes each")
  func endlessNames() throws {
    // 20,000 sections whose name starts at a megabyte without a NUL.
    let count = 20_000
    let names = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
    var bytes = ELFImage(sections: [.init(name: "names", type: ELFImage.dataSection, content: names)]).bytes
    let offset = bytes.long(at: bytes.long(at: 40) + 64 + 24)
    let table = UInt64(bytes.count)
    for _ in 0..<count {
      var header = [UInt8](repeating: 0, count: 64)
      header.set(UInt64(offset), at: 24)
      header.set(UInt64(names.count), at: 32)
      bytes += header
    }
    bytes.set(table, at: 40)
    bytes.set(UInt16(count), at: 60)
    bytes.set(UInt16(0), at: 62)
    let sections = try ELFFile(MemoryBytes(bytes)).sections()
    #expect(sections.count == count)
    #expect(sections.reduce(0) { $0 + $1.name.utf8.count } <= count * 1024)
  }

  @Test("The sections show whether an image holds Swift", arguments: [("swift5_types", true), (".comment", false)])
  func swift(_ name: String, holdsSwift: Bool) throws {
    let image = ELFImage(sections: [.init(name: name, type: ELFImage.dataSection, content: [0])])
    #expect(try ELFFile(MemoryBytes(image.bytes)).holdsSwift() == holdsSwift)
  }
}
