import Testing

@testable import TroupeFiles

@Suite("Content hashes")
struct ContentHashTests {
  @Test("The hash is SHA-256, as in the examples of the standard")
  func standard() {
    // The examples of FIPS 180-2, appendix B, and the hash of empty data.
    let examples = [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ]
    for (text, hash) in examples { #expect("\(ContentHash(of: Array(text.utf8)))" == hash) }
  }

  @Test("A file that is read in pieces has the same hash")
  func pieces() throws {
    let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    #expect(try ContentHash(of: MemoryBytes(bytes)) == ContentHash(of: bytes))
  }

  @Test("A hash is parsed from 64 digits in either case and from no other text")
  func text() {
    let hash = ContentHash(of: [1, 2, 3])
    #expect(ContentHash(hash.description) == hash)
    #expect(ContentHash(hash.description.uppercased()) == hash)
    #expect(ContentHash(bytes: hash.bytes) == hash)
    for other in ["", "12", hash.description.dropLast() + "g", hash.description + "0", "é" + hash.description.dropFirst(2)] {
      #expect(ContentHash(String(other)) == nil)
    }
    #expect(ContentHash(bytes: [1]) == nil)
  }
}
