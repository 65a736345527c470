import Foundation
import TestSupport
import Testing
import TroupeFiles

@Suite("The dynamic section of ELF files") struct DynamicSectionTests {
  /// Compiles a library with functions of several kinds.
  static func library(_ options: String...) throws -> [UInt8] {
    try PluginDirectory.library("healthy/box-library.c", options)
  }

  /// Returns a library without its section headers.
  static func withoutSections(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    bytes.set(UInt64(0), at: 40)
    for member in [58, 60, 62] { bytes.set(UInt16(0), at: member) }
    return bytes
  }

  static func dynamic(_ bytes: [UInt8]) throws -> DynamicSection {
    try #require(try ELFFile(MemoryBytes(bytes)).dynamicSection())
  }

  @Test("Names, needed libraries and run paths are read, with and without section headers")
  func reads() throws {
    let library = try Self.library(
      "-Wl,-soname,libbox.so.1", "-Wl,--enable-new-dtags,-rpath,$ORIGIN/lib:/opt", "-Wl,--no-as-needed", "-lm")
    for bytes in [library, Self.withoutSections(library)] {
      let dynamic = try Self.dynamic(bytes)
      #expect(dynamic.needed == ["libm.so.6", "libc.so.6"])
      #expect(dynamic.soname == "libbox.so.1")
      #expect(dynamic.runPath == "$ORIGIN/lib:/opt")
      #expect(dynamic.rpath == nil)
    }
    let older = try Self.dynamic(Self.library("-Wl,--disable-new-dtags,-rpath,/opt"))
    #expect(older.rpath == "/opt")
    #expect(older.runPath == nil)
    #expect(older.soname == nil)
  }

  @Test("A library without a dynamic section is not an error")
  func nothing() throws {
    #expect(try ELFFile(MemoryBytes(ELFImage().bytes)).dynamicSection() == nil)
  }

  @Test("A defined function is found with each kind of hash table", arguments: ["gnu", "sysv", "both"], [false, true])
  func defines(style: String, hasSections: Bool) throws {
    let library = try Self.library("-Wl,--hash-style=\(style)")
    let bytes = hasSections ? library : Self.withoutSections(library)
    let file = try ELFFile(MemoryBytes(bytes))
    let dynamic = try Self.dynamic(bytes)
    for name: SymbolQuery in ["box_live", "box_new", "box_free", "box_twice"] {
      #expect(try file.defines(name, dynamic), "\(name)")
    }
    // An imported function, a local one, and names that resemble defined ones.
    for name: SymbolQuery in ["malloc", "live", "box_", "box_newer", "", "box_new\0"] {
      #expect(try !file.defines(name, dynamic), "\(name)")
    }
  }

  @Test("Without a hash table the section headers give the count of symbols; without both it is an error")
  func withoutHash() throws {
    var bytes = try Self.library("-Wl,--hash-style=sysv")
    try Self.change(&bytes, tag: 4) { bytes, entry in bytes.set(UInt64(0x7000_0000), at: entry) }
    let file = try ELFFile(MemoryBytes(bytes))
    let dynamic = try Self.dynamic(bytes)
    #expect(try file.defines("box_new", dynamic))
    #expect(try !file.defines("malloc", dynamic))
    let bare = Self.withoutSections(bytes)
    let error = try #require(throws: ReadError.self) { try ELFFile(MemoryBytes(bare)).defines("box_new", Self.dynamic(bare)) }
    #expect(error.description == "is damaged: the number of its symbols is missing")
  }

  @Test("A stripped library still defines its exported functions", arguments: [[], ["--strip-unneeded"], ["--strip-debug"]])
  func stripped(options: [String]) throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("x.so", Self.library())
    try succeed(["strip"] + options + [path])
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    #expect(try ELFFile(MemoryBytes(bytes)).defines("box_new", Self.dynamic(bytes)))
  }

  /// Changes the first entry with a tag. The closure receives the offset of the entry.
  static func change(_ bytes: inout [UInt8], tag: Int, _ body: (inout [UInt8], Int) -> Void) throws {
    let headers = (0..<bytes.half(at: 56)).map { [bytes] in bytes.long(at: 32) + $0 * 56 }
    let segment = try #require(headers.first { bytes[$0] == 2 })
    let table = bytes.long(at: segment + 8)
    let entries = stride(from: table, to: table + bytes.long(at: segment + 32), by: 16)
    body(&bytes, try #require(entries.first { bytes.long(at: $0) == tag }))
  }

  @Test("A second dynamic section, or one that is loaded elsewhere than its offset says, is a fault")
  func misleading() throws {
    let bytes = try Self.library()
    let headers = (0..<bytes.half(at: 56)).map { bytes.long(at: 32) + $0 * 56 }
    let dynamic = try #require(headers.first { bytes[$0] == 2 })
    var (second, moved) = (bytes, bytes)
    second.set(UInt32(2), at: try #require(headers.first { bytes[$0] == 4 }))
    moved.set(UInt64(bytes.long(at: dynamic + 16) + 16), at: dynamic + 16)
    for bytes in [second, moved] { #expect(throws: ReadError.self) { try Self.dynamic(bytes) } }
  }

  @Test(
    "A table at an unmapped address or beyond the end is a fault",
    arguments: [
      (5, UInt64.max, "damaged: it has a table at"), (6, 1 << 40, "it has a table at"),
      (0x6FFF_FEF5, UInt64.max - 8, "it has a table at"), (10, UInt64.max, "truncated: its names"),
      (10, 1 << 40, "its names"), (1, 1 << 20, "damaged: a name begins beyond"),
      (1, UInt64.max, "a name begins"), (10, 0, "a name begins"),
    ])
  func outOfBounds(_ tag: Int, _ value: UInt64, _ fault: String) throws {
    var bytes = try Self.library("-Wl,--hash-style=gnu")
    try Self.change(&bytes, tag: tag) { $0.set(value, at: $1 + 8) }
    let error = try #require(throws: ReadError.self) { try Self.dynamic(bytes) }
    #expect(error.description.contains(fault), "\(error)")
  }

  @Test("An endless chain in a hash table is a fault and is detected at once", arguments: ["gnu", "sysv"])
  func endlessChain(style: String) throws {
    var bytes = try Self.library("-Wl,--hash-style=\(style)")
    // One bucket and, in a GNU table, a filter that matches every name. Then hashes without a last one, or a cyclic chain.
    var table: [UInt8] = []
    for number in style == "gnu" ? [1, 1, 1, 0, UInt32.max, UInt32.max, 1] : [1, 2, 1, 1, 1] { table.append(number: number) }
    table += [UInt8](repeating: 0, count: style == "gnu" ? 1 << 16 : 0)
    // The table is at the end of the file. The last loaded segment is extended to include it.
    let headers = (0..<bytes.half(at: 56)).map { [bytes] in bytes.long(at: 32) + $0 * 56 }
    let segment = try #require(headers.last { bytes[$0] == 1 })
    let address = bytes.count - bytes.long(at: segment + 8) + bytes.long(at: segment + 16)
    bytes += table
    bytes.set(UInt64(bytes.count - bytes.long(at: segment + 8)), at: segment + 32)
    try Self.change(&bytes, tag: style == "gnu" ? 0x6FFF_FEF5 : 4) { $0.set(UInt64(address), at: $1 + 8) }
    let error = try #require(throws: ReadError.self) {
      try ELFFile(MemoryBytes(bytes)).defines("nothing_of_this_name", Self.dynamic(bytes))
    }
    #expect(error.description == "is damaged: the hash table of its symbols has a chain without an end")
  }

  // MARK: - Symbols by their addresses

  /// The functions that nm(1) finds in a library, with address and size.
  static func functions(_ path: String, _ options: String...) throws -> [(address: UInt64, size: UInt64, name: String)] {
    try succeed(["nm", "-S"] + options + [path]).text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard words.count == 4, words[2].lowercased() == "t" else { return nil }
      guard let address = UInt64(words[0], radix: 16), let size = UInt64(words[1], radix: 16) else { return nil }
      return (address, size, String(words[3]))
    }
  }

  @Test("Each address in a function gives its name and the offset from its start")
  func addresses() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("x.so", PluginDirectory.library("healthy/scalars.c"))
    let functions = try Self.functions(path)
    #expect(functions.contains { $0.name == "echo_int" })
    let file = try ELFFile(MemoryBytes([UInt8](Data(contentsOf: URL(filePath: path)))))
    for (address, size, name) in functions {
      for offset in [0, size / 2, size - 1] {
        let symbol = try #require(try file.symbol(at: address + offset))
        #expect(symbol.name == name)
        #expect(symbol.offset == offset)
      }
    }
    #expect(try file.symbol(at: 0) == nil)
    #expect(try file.symbol(at: UInt64.max) == nil)
  }

  @Test("A stripped library gives the symbols that it exports", arguments: ["gnu", "sysv"], [false, true])
  func strippedAddresses(style: String, hasSections: Bool) throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("x.so", Self.library("-Wl,--hash-style=\(style)"))
    try succeed(["strip", path])
    let functions = try Self.functions(path, "-D")
    #expect(functions.contains { $0.name == "box_live" })
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    let file = try ELFFile(MemoryBytes(hasSections ? bytes : Self.withoutSections(bytes)))
    for (address, _, name) in functions { #expect(try file.symbol(at: address)?.name == name) }
  }

  @Test("20,000 random changes to the tables give a result or an error")
  func mutated() throws {
    let library = try PluginDirectory.library(
      "healthy/box-library.c", ["-nostdlib", "-Wl,--build-id=none", "-Wl,--hash-style=both"])
    var regions: [Range<Int>] = [0..<64, library.long(at: 32)..<library.long(at: 32) + library.half(at: 56) * 56]
    var copy = library
    for tag in [4, 5, 6, 0x6FFF_FEF5] {
      try Self.change(&copy, tag: tag) { bytes, entry in
        regions.append(entry..<entry + 16)
        regions.append(bytes.long(at: entry + 8)..<bytes.long(at: entry + 8) + 160)
      }
    }
    regions.append(library.long(at: 40)..<library.count)
    var generator = SplitMix64(seed: 5)
    var found = 0
    for _ in 0..<20_000 {
      let bytes = try ELFDamageTests.damaged(library, in: regions, &generator)
      do {
        let file = try ELFFile(MemoryBytes(bytes))
        _ = try file.symbol(at: 4096)
        if let dynamic = try file.dynamicSection(), try file.defines("box_new", dynamic) { found += 1 }
      } catch {
        continue
      }
    }
    // Both outcomes occur, so the changes are neither all fatal nor all without effect.
    #expect((100..<19_900).contains(found))
  }
}
