import Foundation
import TestSupport
import Testing

@testable import TroupeFiles

@Suite("Names of files")
struct FileNamesTests {
  @Test("Names are sorted by their bytes, also if they share a long prefix")
  func order() {
    var generator = SplitMix64(seed: 1)
    let bytes: [UInt8] = [0x01, 0x2E, 0x61, 0x7F, 0x80, 0xFF]
    let names = (0..<2000).map { _ in
      (0..<Int.random(in: 1...12, using: &generator)).map { _ in bytes.randomElement(using: &generator) ?? 0 }
    }
    var sorted = FileNames()
    for name in names { sorted.append(name) }
    sorted.sort()
    #expect(sorted.map(Array.init) == names.sorted { $0.lexicographicallyPrecedes($1) })
  }

  @Test("A name comes before a longer name that begins with it")
  func prefixes() {
    let names = ["a", "aa", "aaaaaaaa", "aaaaaaaaa", "aaaaaaaaaa"].map { Array($0.utf8) }
    var sorted = FileNames()
    for name in names.reversed() { sorted.append(name) }
    sorted.sort()
    #expect(sorted.map(Array.init) == names)
  }

  @Test("A file is reachable only if its name is UTF-8, also if U+FFFD has the same length as the invalid bytes")
  func reachable() throws {
    let temporary = try TemporaryDirectory()
    let names: [[UInt8]] = [Array("é".utf8), [0xF0, 0x90, 0x80], [0xFF]].map { $0 + Array(".so".utf8) }
    for name in names {
      let descriptor = Glibc.open(
        (Array((temporary.path + "/").utf8) + name + [0]).map { CChar(bitPattern: $0) }, O_CREAT | O_WRONLY, 0o600)
      try #require(descriptor >= 0)
      close(descriptor)
    }
    let directory = try DirectoryListing(TrustedPath().locate(temporary.path), path: temporary.path)
    let files = (0..<directory.count).map { directory[$0] }
    #expect(files.map(\.name) == ["é.so", "\u{FFFD}.so", "\u{FFFD}.so"])
    #expect(files.map(\.path) == files.map { temporary.path + "/" + $0.name })
    #expect(files.map(\.isUTF8) == [true, false, false])
  }
}
