import Testing

@testable import TroupeFiles
@testable import TroupeSandbox

@Suite("The registry's file")
struct ProbeCacheFileTests {
  private static let sample: ProbeCacheFile = {
    var file = ProbeCacheFile(host: "host", directory: "/plugins")
    file.entries = ["a.so": .sample("/plugins/a.so"), "b.so": .sample("/plugins/b.so", content: [2])]
    return file
  }()

  @Test("A file is read as it was written")
  func roundTrip() throws {
    #expect(try ProbeCacheFile(bytes: Self.sample.bytes) == Self.sample)
    let empty = ProbeCacheFile(host: "", directory: "")
    #expect(try ProbeCacheFile(bytes: empty.bytes) == empty)
  }

  @Test("Equal entries give equal bytes")
  func stable() {
    var other = ProbeCacheFile(host: "host", directory: "/plugins")
    for (name, entry) in Self.sample.entries.sorted(by: { $0.key > $1.key }) { other.entries[name] = entry }
    #expect(other.bytes == Self.sample.bytes)
  }

  @Test("A truncated file is refused at every length")
  func truncation() {
    let bytes = Self.sample.bytes
    for count in bytes.indices { #expect(throws: ReadError.self) { try ProbeCacheFile(bytes: Array(bytes[..<count])) } }
    #expect(throws: ReadError.self) { try ProbeCacheFile(bytes: bytes + [0]) }
  }

  @Test("A file with any damaged byte is refused")
  func damage() {
    let bytes = Self.sample.bytes
    for index in bytes.indices {
      for change: UInt8 in [1, 0x80, 0xFF] {
        var damaged = bytes
        damaged[index] ^= change
        #expect(throws: ReadError.self) { try ProbeCacheFile(bytes: damaged) }
      }
    }
  }

  @Test("A file with another title, also of a later version, is refused")
  func title() {
    for title in ["Troupe registry 8\n", "Trouge registry 9\n", "", "{}"] {
      let bytes = Array(title.utf8) + Self.sample.bytes.dropFirst(18)
      #expect(throws: ReadError.self) { try ProbeCacheFile(bytes: bytes) }
    }
    #expect(throws: ReadError("it is no registry of this version")) {
      try ProbeCacheFile(bytes: Array("Troupe registry 10\n".utf8) + Self.sample.bytes.dropFirst(18))
    }
  }

  @Test("A file with too large a count is refused although its checksum is right")
  func claims() {
    var records = RecordWriter()
    records.write("host")
    records.write("/plugins")
    records.write(number: UInt32.max)
    #expect(throws: ReadError("4294967295 elements are announced and 0 bytes are left")) {
      try ProbeCacheFile(bytes: ProbeCacheFile.sealed(records.bytes))
    }
  }

  @Test("The checksum depends on the position of a byte and covers the last incomplete word")
  func checksum() {
    let one = ProbeCacheFile.Checksum.of([1, 0, 0, 0, 0, 0, 0, 0, 0, 0][...])
    let other = ProbeCacheFile.Checksum.of([0, 0, 0, 0, 0, 0, 0, 0, 0, 1][...])
    #expect(one != other)
    #expect(ProbeCacheFile.Checksum.of([]) == 0xcbf2_9ce4_8422_2325)
    #expect(ProbeCacheFile.Checksum.of([7, 1, 2][1...]) == ProbeCacheFile.Checksum.of([1, 2]))
  }
}
