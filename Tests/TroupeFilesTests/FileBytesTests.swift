import Foundation
import TestSupport
import Testing

@testable import TroupeFiles

@Suite("Bytes of a file")
struct FileBytesTests {
  /// Creates random bytes and opens a file with them.
  static func file(_ count: Int) throws -> (bytes: [UInt8], path: String, file: FileBytes, directory: TemporaryDirectory) {
    let directory = try TemporaryDirectory()
    var generator = SplitMix64(seed: UInt64(count))
    let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let path = try directory.write("file", bytes)
    return (bytes, path, try open(path, size: count), directory)
  }

  static func open(_ path: String, size: Int, memory: BufferPool = BufferPool()) throws -> FileBytes {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    return FileBytes(FileDescriptor(owning: descriptor), size: UInt64(size), memory: memory)
  }

  @Test(
    "Each part of a file has the right bytes, in any order of reads", arguments: [0, 1, 100, 5000, 50_000])
  func parts(_ count: Int) throws {
    let (bytes, _, file, directory) = try Self.file(count)
    defer { withExtendedLifetime(directory) {} }
    var generator = SplitMix64(seed: 1)
    for _ in 0..<2000 {
      let offset = Int.random(in: 0...count, using: &generator)
      let limit = Bool.random(using: &generator) ? 64 : count
      let length = Int.random(in: 0...min(limit, count - offset), using: &generator)
      #expect(try file.read(at: UInt64(offset), count: length) == Array(bytes[offset..<offset + length]))
    }
  }

  @Test(
    "Borrowed bytes stay unchanged after the file is closed, its memory is reused, or another part is read")
  func memory() throws {
    let (bytes, path, _, directory) = try Self.file(20_000)
    let (other, otherPath, _, otherDirectory) = try Self.file(20_001)
    defer { withExtendedLifetime((directory, otherDirectory)) {} }
    let memory = BufferPool()
    var file: FileBytes? = try Self.open(path, size: bytes.count, memory: memory)
    let (head, part) = (try file?.view(at: 0, count: 100), try file?.view(at: 9_000, count: 100))
    _ = try file?.view(at: 15_000, count: 100)
    #expect(part?.array == Array(bytes[9_000..<9_100]))
    file = nil
    for offset in [0, 100, 9_000, 20_001 - 100] {
      let next = try Self.open(otherPath, size: other.count, memory: memory)
      #expect(try next.view(at: UInt64(offset), count: 100).array == Array(other[offset..<offset + 100]))
    }
    #expect(head?.array == Array(bytes[..<100]) && part?.array == Array(bytes[9_000..<9_100]))
  }

  @Test(
    "A read beyond the end is refused, also if its end overflows",
    arguments: [(0, 5001), (5000, 1), (5001, 0), (4999, 2), (UInt64.max, 1), (UInt64.max, Int.max), (0, -1)] as [(UInt64, Int)])
  func beyond(_ offset: UInt64, _ count: Int) throws {
    let (_, _, file, directory) = try Self.file(5000)
    defer { withExtendedLifetime(directory) {} }
    let fault = #expect(throws: ReadError.self) { try file.read(at: offset, count: count) }
    #expect(fault?.description == "is truncated: \(count) bytes at \(offset) reach beyond its end")
  }

  @Test("A file that became shorter gives its remaining bytes, and an error beyond them")
  func shorter() throws {
    let (bytes, path, _, directory) = try Self.file(20_000)
    defer { withExtendedLifetime(directory) {} }
    #expect(truncate(path, 10_000) == 0)
    let file = try Self.open(path, size: 20_000)
    #expect(try file.read(at: 9_000, count: 1_000) == Array(bytes[9_000..<10_000]))
    for (offset, count) in [(9_999, 2), (10_000, 1), (19_999, 1), (0, 20_000)] as [(UInt64, Int)] {
      let fault = #expect(throws: ReadError.self) { try file.read(at: offset, count: count) }
      #expect(fault?.description == "became shorter while it was read")
    }
  }

  @Test("An unreadable file is an error with the system's message")
  func unreadable() throws {
    let directory = try TemporaryDirectory()
    let fault = #expect(throws: ReadError.self) { try Self.open(directory.path, size: 10).read(at: 0, count: 1) }
    #expect(fault?.description == "cannot be read: is a directory")
  }
}
