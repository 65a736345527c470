internal import CSandbox

/// Splits the bytes from a probe into messages; `TROUPE_PROBE_READY` in probe.h describes the format.
package struct ChildInbox {
  /// The keys that identify the processes of a probe.
  struct Keys: Sendable {
    let watching: [UInt8]
    let watched: [UInt8]

    init() {
      var generator = SystemRandomNumberGenerator()
      func key() -> [UInt8] { (0..<Int(TROUPE_PROBE_KEY_SIZE)).map { _ in generator.next() } }
      watching = key()
      watched = key()
    }

    /// The bytes before the request.
    var greeting: [UInt8] {
      let word = Array(TROUPE_PROBE_GREETING.utf8)
      return word + [UInt8](repeating: 0, count: Int(TROUPE_PROBE_GREETING_SIZE) - word.count) + watching + watched
    }

    /// The key of the process that sends messages of a kind.
    fileprivate func key(of kind: Int) -> [UInt8] { kind < TROUPE_PROBE_END ? watched : watching }
  }

  private let keys: Keys
  private var bytes: [UInt8] = []
  /// The offset of the first message.
  private var start = 0
  /// The violation of the protocol after which the rest is ignored; nil if all bytes are messages of the probe.
  private(set) var violation: Violation?

  package enum Violation: Equatable {
    /// The bytes contain something else than messages of the probe.
    case foreignBytes
    /// A message has more bytes than allowed.
    case tooLong(UInt32)
  }

  init(_ keys: Keys) { self.keys = keys }

  mutating func add(_ piece: ArraySlice<UInt8>) {
    guard violation == nil else { return }
    // Seldom, so that small messages do not move the rest each time.
    if start == bytes.count || start > 1 << 16 {
      bytes.removeFirst(start)
      start = 0
    }
    bytes += piece
  }

  /// Removes the next complete message; nil if there is none.
  mutating func next() -> (kind: Int, content: [UInt8])? {
    guard violation == nil, bytes.count - start >= Self.headerSize else { return nil }
    let count = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start, as: UInt32.self) }
    let kind = Int(bytes[start + 4])
    let end = start + Self.headerSize + Int(count)
    if !bytes[start + 5..<start + Self.headerSize].elementsEqual(keys.key(of: kind)) {
      violation = .foreignBytes
    } else if count > Self.messageLimit {
      violation = .tooLong(count)
    }
    guard violation == nil else {
      (bytes, start) = ([], 0)
      return nil
    }
    guard end <= bytes.count else { return nil }
    defer { start = end }
    return (kind, Array(bytes[start + Self.headerSize..<end]))
  }

  private static let headerSize = 5 + Int(TROUPE_PROBE_KEY_SIZE)

  /// The longest message. A plugin with a hundred thousand factories needs less.
  static let messageLimit: UInt32 = 1 << 26
}
