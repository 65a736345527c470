internal import CProbe

/// What a probe has sent and nobody has looked at yet, as messages; see `TROUPE_PROBE_READY` in probe.h for what one looks like.
struct ProbeInbox {
  /// What the processes of a probe are told by, so that nobody else is taken for them.
  struct Keys: Sendable {
    let watching: [UInt8]
    let watched: [UInt8]

    /// Keys that nobody can guess.
    init() {
      var generator = SystemRandomNumberGenerator()
      func key() -> [UInt8] { (0..<Int(TROUPE_PROBE_KEY_SIZE)).map { _ in generator.next() } }
      watching = key()
      watched = key()
    }

    /// What the host says before its request.
    var greeting: [UInt8] {
      let word = Array(TROUPE_PROBE_GREETING.utf8)
      return word + [UInt8](repeating: 0, count: Int(TROUPE_PROBE_GREETING_SIZE) - word.count) + watching + watched
    }

    /// The key of who sends messages of a kind.
    fileprivate func key(of kind: Int) -> [UInt8] { kind < TROUPE_PROBE_END ? watched : watching }
  }

  private let keys: Keys
  private var bytes: [UInt8] = []
  /// Where the first message begins.
  private var start = 0
  /// Whether something was received that is no message of the probe's. Nothing that follows is one, then.
  private(set) var isGarbled = false

  init(_ keys: Keys) { self.keys = keys }

  /// Adds what was received.
  mutating func add(_ piece: ArraySlice<UInt8>) {
    guard !isGarbled else { return }
    // Only now and then, so that many small messages are not moved for each of them.
    if start == bytes.count || start > 1 << 16 {
      bytes.removeFirst(start)
      start = 0
    }
    bytes += piece
  }

  /// The next message, or nil if it is not there yet.
  mutating func next() -> (kind: Int, content: [UInt8])? {
    guard !isGarbled, bytes.count - start >= Self.headerSize else { return nil }
    let count = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start, as: UInt32.self) }
    let kind = Int(bytes[start + 4])
    let end = start + Self.headerSize + Int(count)
    guard count <= Self.messageLimit, bytes[start + 5..<start + Self.headerSize].elementsEqual(keys.key(of: kind)) else {
      isGarbled = true
      bytes = []
      start = 0
      return nil
    }
    guard end <= bytes.count else { return nil }
    defer { start = end }
    return (kind, Array(bytes[start + Self.headerSize..<end]))
  }

  private static let headerSize = 5 + Int(TROUPE_PROBE_KEY_SIZE)

  /// No message is longer; a plugin with a hundred thousand factories stays below it.
  private static let messageLimit: UInt32 = 1 << 26
}
