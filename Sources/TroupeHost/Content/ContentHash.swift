internal import CDigest

/// What a file contains, as its SHA-256 (FIPS 180-4), which libmd computes. Two files with the same hash are the same to the
/// host, whatever they are called.
public struct ContentHash: Hashable, Sendable, CustomStringConvertible {
  /// The number of bytes in a hash.
  static let size = 32

  private let words: (UInt64, UInt64, UInt64, UInt64)

  /// The hash of some bytes. Takes about 4 ms for each megabyte.
  public init(of bytes: [UInt8]) {
    self.init { SHA256Update(&$0, bytes, bytes.count) }
  }

  /// The hash of what can be read, a piece at a time. Throws an `ELFError` if it cannot be read.
  init(of source: some ByteSource) throws(ELFError) {
    try self.init { context throws(ELFError) in
      var offset: UInt64 = 0
      while offset < source.count {
        let count = min(Self.pieceSize, source.count - offset)
        SHA256Update(&context, try source.read(at: offset, count: Int(count)), Int(count))
        offset += count
      }
    }
  }

  /// The hash of what some files contain together: of one, that of its bytes, of several, that of their hashes. Nil if one of them
  /// cannot be read, or is not as it was any more.
  init?(of files: [RegistryFile.FileState]) {
    var hashes: [ContentHash] = []
    for file in files {
      guard let opened = try? PluginFile(path: file.path), opened.identity == file.identity,
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

  /// The hash that 64 hexadecimal digits spell, or nil if they are not that.
  public init?(_ text: String) {
    let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard digits.count == 2 * Self.size, text.utf8.count == digits.count else { return nil }
    self.init(bytes: (0..<Self.size).map { UInt8(digits[2 * $0] << 4 | digits[2 * $0 + 1]) })
  }

  /// The hash whose 32 bytes these are, or nil if there are more or fewer.
  init?(bytes: [UInt8]) {
    guard bytes.count == Self.size else { return nil }
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
    self.words = words
  }

  /// The 32 bytes.
  var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }

  /// The first digits, by which people tell one from another.
  var beginning: String { String(description.prefix(12)) }

  /// 64 hexadecimal digits in lower case, as `sha256sum` prints them.
  public var description: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Whether both stand for the same content.
  public static func == (one: Self, other: Self) -> Bool {
    one.words == other.words
  }

  /// Feeds what tells one hash from another.
  public func hash(into hasher: inout Hasher) {
    // Every part of a hash is as good as all of it.
    hasher.combine(words.0)
  }
}
