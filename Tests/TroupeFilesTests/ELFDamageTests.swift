import TestSupport
import Testing
import TroupeFiles

@Suite("Damaged ELF files") struct ELFDamageTests {
  /// Reads the same parts of a file as the host. Returns whether they are valid and include a manifest.
  static func isPlugin(_ bytes: [UInt8]) -> Bool {
    do {
      let file = try ELFFile(MemoryBytes(bytes))
      _ = try file.holdsSwift()
      return try file.manifestNote() != nil
    } catch {
      return false
    }
  }

  /// A minimal plugin.
  static func library() throws -> [UInt8] {
    try PluginDirectory.library("healthy/empty.c", ["-nostdlib", "-s", "-Wl,--build-id=none"])
  }

  /// Returns a copy of a library with up to six other bytes, each within one of the regions.
  static func damaged(_ library: [UInt8], in regions: [Range<Int>], _ generator: inout SplitMix64) throws -> [UInt8] {
    var bytes = library
    for _ in 0..<Int.random(in: 1...6, using: &generator) {
      let region = try #require(regions.randomElement(using: &generator))
      let value: UInt8 =
        Bool.random(using: &generator)
        ? .random(in: 0...255, using: &generator) : [0, 1, 0x7F, 0x80, 0xFF][Int.random(in: 0..<5, using: &generator)]
      bytes[Int.random(in: region, using: &generator)] = value
    }
    return bytes
  }

  @Test("A truncated library is an error at every length")
  func truncated() throws {
    let library = try Self.library()
    #expect(Self.isPlugin(library))
    // Every length in the headers and at the end. Between them, a stride that hits each kind of offset.
    let lengths =
      Array(0..<1024) + Array(stride(from: 1024, to: library.count - 64, by: 13)) + Array(library.count - 64..<library.count)
    for length in lengths where Self.isPlugin(Array(library[..<length])) {
      Issue.record("\(length) of \(library.count) bytes are accepted as a plugin")
    }
  }

  @Test("20,000 random changes to the headers, the notes and the section table give a result or an error")
  func mutated() throws {
    let library = try Self.library()
    let notes = try #require((0..<library.half(at: 56)).map { library.long(at: 32) + $0 * 56 }.first { library[$0] == 4 })
    let regions = [
      0..<64, library.long(at: 32)..<library.long(at: 32) + library.half(at: 56) * 56,
      library.long(at: notes + 8)..<library.long(at: notes + 8) + library.long(at: notes + 32),
      library.long(at: 40)..<library.count,
    ]
    var generator = SplitMix64(seed: 2)
    var sound = 0
    for _ in 0..<20_000 {
      let bytes = try Self.damaged(library, in: regions, &generator)
      if Self.isPlugin(bytes) { sound += 1 }
    }
    // Both outcomes occur, so the changes are neither all fatal nor all without effect.
    #expect((100..<19_900).contains(sound))
  }
}
