/// The source location of a registration: a file's id, such as `Example/Services.swift`, and a line.
struct CodeLocation: @unchecked Sendable {
  // Sendable because the text is constant and stays for as long as the program.
  /// A C string that lives as long as the program: a literal, or a copy that is never freed.
  let file: UnsafePointer<UInt8>
  let line: UInt32

  init(file: UnsafePointer<UInt8>, line: UInt32) {
    self.file = file
    self.line = line
  }

  init(file: StaticString, line: Int) {
    self.init(file: file.utf8Start, line: UInt32(truncatingIfNeeded: line))
  }

  /// Parses a `text`. Returns nil for any other text.
  init?(_ text: String) {
    guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")), let line = UInt32(text[text.utf8.index(after: colon)...])
    else { return nil }
    let file = String(text[..<colon])
    self.init(file: Self.files.withLock { $0.text(file) }, line: line)
  }

  /// Such as `Example/Services.swift:12`.
  var text: String { String(cString: file) + ":\(line)" }

  private static let files = Lock(Files())

  /// The ids of parsed files as C strings, each stored once until the program ends.
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
