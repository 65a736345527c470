internal import CDigest
internal import TroupeBase

/// The SHA-256 (FIPS 180-4) of a file's content, computed by libmd. The host treats two files with the same hash as the same, under
/// any names.
public struct ContentHash: Hashable, Sendable, CustomStringConvertible {
  static let size = 32

  private let words: (UInt64, UInt64, UInt64, UInt64)

  /// The hash of some bytes. Cost: about 4 ms per megabyte.
  public init(of bytes: [UInt8]) {
    self.init { SHA256Update(&$0, bytes, bytes.count) }
  }

  /// Reads the source in pieces.
  package init(of source: some ByteSource) throws(ReadError) {
    try self.init { context throws(ReadError) in
      var offset: UInt64 = 0
      while offset < source.count {
        let count = min(Self.pieceSize, source.count - offset)
        SHA256Update(&context, try source.read(at: offset, count: Int(count)), Int(count))
        offset += count
      }
    }
  }

  /// Combines several files: the result is the hash of their hashes. One file has the hash of its bytes. Returns nil if a file cannot be read
  /// or has changed.
  package init?(of files: [FileState]) {
    var hashes: [ContentHash] = []
    for file in files {
      guard let opened = try? RegularFile(path: file.path), opened.stamp == file.stamp,
        let hash = try? ContentHash(of: opened.bytes)
      else { return nil }
      hashes.append(hash)
    }
    guard let first = hashes.first else { return nil }
    self = hashes.count == 1 ? first : ContentHash(of: hashes.flatMap(\.bytes))
  }

  private static let pieceSize: UInt64 = 1 << 18

  private init<Failure>(_ feed: (inout SHA2_CTX) throws(Failure) -> Void) throws(Failure) {
    var context = SHA2_CTX()
    SHA256Init(&context)
    try feed(&context)
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    withUnsafeMutableBytes(of: &words) { SHA256Final($0.baseAddress?.assumingMemoryBound(to: UInt8.self), &context) }
    self.words = words
  }

  /// Parses 64 hexadecimal digits. Returns nil for any other text.
  public init?(_ text: String) {
    let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == 2 * Self.size, text.utf8.count == digits.count else { return nil }
    self.init(bytes: (0..<Self.size).map { UInt8(digits[2 * $0] << 4 | digits[2 * $0 + 1]) })
  }

  /// Returns nil unless there are 32 bytes.
  init?(bytes: [UInt8]) {
    guard bytes.count == Self.size else { return nil }
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
    self.words = words
  }

  var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }

  /// The first 12 hexadecimal digits, for messages.
  var beginning: String { String(description.prefix(12)) }

  /// 64 hexadecimal digits in lower case, as `sha256sum` prints them.
  public var description: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Returns true if the hashes are equal.
  public static func == (one: Self, other: Self) -> Bool {
    one.words == other.words
  }

  /// Hashes the first eight bytes.
  public func hash(into hasher: inout Hasher) {
    // Every part of a SHA-256 is equally well distributed.
    hasher.combine(words.0)
  }
}

extension ContentHash: Recordable {
  package func write(to writer: inout RecordWriter) { writer.append(bytes) }

  package init(from reader: inout RecordReader) throws(ReadError) {
    guard let hash = ContentHash(bytes: Array(try reader.bytes(ContentHash.size))) else { throw ReadError("no hash") }
    self = hash
  }
}
