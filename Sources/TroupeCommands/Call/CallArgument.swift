internal import TroupeHost

/// An argument of `troupe call`: text, or a file or standard input with the text or the bytes.
struct CallArgument {
  /// The word on the command line, or the content of the file.
  private let bytes: [UInt8]
  /// The name of the file; nil for a word.
  private let file: String?

  /// Reads the arguments for words of the command line. Throws a `Diagnosis` if a file cannot be read.
  static func read(_ words: [String]) throws -> [CallArgument] {
    try words.map { try CallArgument($0) }
  }

  /// Throws a `Diagnosis` if several words are standard input.
  static func check(_ words: [String]) throws(Diagnosis) {
    if words.count(where: { $0 == "@-" }) > 1 {
      throw Diagnosis(
        .usage, problem: "@- is given twice, and standard input can be read once", remedy: "write one argument to a file")
    }
  }

  /// The argument's text if it is a word of the command line.
  var word: String? { file == nil ? String(decoding: bytes, as: UTF8.self) : nil }

  /// Reads an argument. `@FILE` and `@-` are the content of a file, `@@TEXT` is `@TEXT`.
  private init(_ word: String) throws {
    guard word.utf8.first == UInt8(ascii: "@"), word != "@" else {
      (bytes, file) = (Array(word.utf8), nil)
      return
    }
    let name = String(decoding: word.utf8.dropFirst(), as: UTF8.self)
    guard name.utf8.first != UInt8(ascii: "@") else {
      (bytes, file) = (Array(name.utf8), nil)
      return
    }
    bytes = try InputFile.named([name])[0].content()
    file = name == "-" ? "standard input" : name
  }

  /// The argument as JSON.
  func json() throws(Diagnosis) -> String {
    try text { Diagnosis(.invalidData, $0, problem: "is not UTF-8", remedy: "save the arguments as UTF-8") }
  }

  /// The argument for a parameter, nil for one beyond the declared ones. Throws a `Diagnosis` for a file that the parameter cannot
  /// take.
  func argument(for parameter: Signature.Parameter?) throws(Diagnosis) -> Signature.UnreadArgument {
    guard file != nil else { return .text(String(decoding: bytes, as: UTF8.self)) }
    if parameter?.takesBytes == true { return .bytes(bytes) }
    let text = try text {
      let subject = parameter?.name.map { "the parameter \"\($0)\"" } ?? "the parameter"
      return Diagnosis(
        .invalidData, $0, problem: "is not UTF-8, and \(subject) is no buffer of bytes", remedy: "name a text file")
    }
    // An editor ends a number with a line break.
    if parameter?.type == .string { return .text(text) }
    let end = text.lastIndex { !$0.isNewline }.map { text.index(after: $0) }
    return .text(String(text[..<(end ?? text.startIndex)]))
  }

  private func text(_ failure: (_ file: String) -> Diagnosis) throws(Diagnosis) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw failure(file ?? "") }
    return text
  }
}
