/// The source location of a registration: a file's id, such as `Example/Services.swift`, and a line.
struct CodeLocation: @unchecked Sendable {
  // Sendable because the text is constant and never freed.
  /// A C string: a literal, or a copy.
  let file: UnsafePointer<UInt8>
  let line: UInt32
}

extension CodeLocation {
  init(file: StaticString, line: Int) { self.init(file: file.utf8Start, line: UInt32(truncatingIfNeeded: line)) }

  /// Parses a `text`. Returns nil for any other text.
  init?(_ text: String) {
    guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")), let line = UInt32(text[text.utf8.index(after: colon)...])
    else { return nil }
    let file = String(text[..<colon])
    let known = Self.files.withLock { files in
      if let known = files[file] { return known }
      let text = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: file.utf8.count + 1)
      _ = text.initialize(from: Array(file.utf8) + [0])
      let new = CodeLocation(file: UnsafePointer(text.baseAddress.unsafelyUnwrapped), line: 0)
      files[file] = new
      return new
    }
    self.init(file: known.file, line: line)
  }

  /// Such as `Example/Services.swift:12`.
  var text: String { String(cString: file) + ":\(line)" }

  /// The first location of each file that was parsed, so that its id is stored once until the program ends.
  private static let files = Lock<[String: CodeLocation]>([:])
}
