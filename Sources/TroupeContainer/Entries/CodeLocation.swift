extension CodeLocation {
  /// Creates a source location from the text that `Entry.location` returns, such as `Example/Services.swift:12`. Returns nil for any
  /// other text.
  init?(_ text: String) {
    guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")), let line = UInt32(text[text.utf8.index(after: colon)...])
    else { return nil }
    let file = String(text[..<colon])
    self.init(file: Self.files.withLock { $0.text(file) }, line: line)
  }

  private static let files = Lock(Files())

  /// The names of files as C strings, each stored once until the program ends, like a literal.
  private struct Files: @unchecked Sendable {
    // Sendable because the strings are constant.
    private var known: [String: UnsafePointer<UInt8>] = [:]

    mutating func text(_ file: String) -> UnsafePointer<UInt8> {
      if let text = known[file] { return text }
      let bytes = Array(file.utf8) + [0]
      let text = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
      text.initialize(from: bytes, count: bytes.count)
      known[file] = UnsafePointer(text)
      return UnsafePointer(text)
    }
  }
}
