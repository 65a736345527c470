internal import TroupeBase
internal import TroupeSignature

/// The C declarations that the signatures of an adoption file share, so that each struct is written once.
///
///     "types": ["struct point { double x, y; };", "typedef struct point *point_ref;"]
///     "signature": "double (point_ref from)"
///
///     struct point { double x, y; }; typedef struct point *point_ref; double (point_ref from)
///
/// A signature gets the declarations that it mentions and those that they mention, in the order of the file. A tag that a signature declares
/// itself takes the place of the file's.
package struct SharedDeclarations {
  private struct Declaration {
    let text: String
    /// The indices of the declarations that it mentions.
    var references: [Int] = []
  }

  private var declarations: [Declaration] = []
  /// The indices of the declarations by what they declare, such as `struct point` and `point_ref`.
  private var indices: [String: Int] = [:]
  /// The indices of the declarations that a signature has been parsed with.
  private var parsed: Set<Int> = []

  /// Adds declarations, which may mention each other. The first one of a name counts.
  ///
  /// - Parameter texts: One declaration each, with its semicolon.
  package init(_ texts: [String] = []) {
    let names = texts.map { DeclarationNames($0) }
    for (index, names) in names.enumerated() {
      for name in names.declared where indices[name] == nil { indices[name] = index }
    }
    declarations = zip(texts, names).map { text, names in Declaration(text: text, references: references(names)) }
  }

  private func references(_ names: DeclarationNames) -> [Int] {
    names.mentioned.subtracting(names.declared).compactMap { indices[$0] }
  }

  /// The indices of the declarations that a signature needs, in order.
  private func needed(by signature: String) -> [Int] {
    if declarations.isEmpty { return [] }
    let names = DeclarationNames(signature)
    var needed: Set<Int> = []
    var rest = references(names)
    while let index = rest.popLast() {
      if needed.insert(index).inserted { rest += declarations[index].references }
    }
    return needed.subtracting(names.declared.compactMap { indices[$0] }).sorted()
  }

  private func text(_ signature: String, behind needed: [Int]) -> String {
    (needed.map { declarations[$0].text } + [signature]).joined(separator: " ")
  }

  /// Returns a signature with the declarations that it needs in front of it. Cost: linear in the length of the result.
  package func complete(_ signature: String) -> String { text(signature, behind: needed(by: signature)) }

  /// Parses a signature behind the declarations that it needs.
  mutating func type(_ signature: String, of subject: @autoclosure () -> String) throws(Diagnosis) -> FunctionType {
    let needed = needed(by: signature)
    let type = try RegistrationDescription.type(text(signature, behind: needed), of: subject())
    parsed.formUnion(needed)
    return type
  }

  /// Returns the first malformed declaration, by its index. Those that a signature has been parsed with are right.
  func firstError() -> (index: Int, error: SignatureError)? {
    for index in declarations.indices where !parsed.contains(index) {
      do throws(SignatureError) {
        _ = try Signature(parsing: complete(declarations[index].text) + " void (void)")
      } catch {
        return (index, error)
      }
    }
    return nil
  }
}

/// The tags and typedefs in C declarations, and in a signature behind declarations.
private struct DeclarationNames {
  /// Such as `struct point`, for `struct point { … }` and `struct point;`, and the name of a typedef.
  private(set) var declared: Set<String> = []
  /// Tags with their keywords, and all other words.
  private(set) var mentioned: Set<String> = []

  init(_ text: String) {
    let tokens = Self.tokens(text)
    var depth = 0
    /// The name of the typedef that is being read, so far; empty in front of it.
    var typedef: String?
    var definesUnnamed: Substring?
    for (index, token) in tokens.enumerated() {
      let next = index + 1 < tokens.count ? tokens[index + 1] : ""
      switch token {
      case "struct", "union", "enum":
        guard Self.isWord(next) else {
          if depth == 0, typedef != nil { definesUnnamed = token }
          continue
        }
        let name = "\(token) \(next)"
        let behind = index + 2 < tokens.count ? tokens[index + 2] : ""
        if depth == 0, typedef == nil || behind != ";", ["{", ";", ":"].contains(behind) {
          declared.insert(name)
        } else {
          mentioned.insert(name)
        }
      case "typedef": typedef = ""
      case "{", "(":
        depth += 1
        // The name of a pointer to a function stands in the first parentheses.
        if typedef != nil, token == "(", depth == 1, next == "*", index + 2 < tokens.count {
          declared.insert(String(tokens[index + 2]))
          typedef = nil
        }
      case "}", ")": depth -= 1
      case ";" where depth == 0:
        if let name = typedef, !name.isEmpty {
          declared.insert(name)
          if let keyword = definesUnnamed { declared.insert("\(keyword) \(name)") }
        }
        (typedef, definesUnnamed) = (nil, nil)
      default:
        guard Self.isWord(token), index == 0 || !["struct", "union", "enum"].contains(tokens[index - 1]) else { continue }
        mentioned.insert(String(token))
        if depth == 0, typedef != nil { typedef = String(token) }
      }
    }
  }

  private static func isWord(_ token: Substring) -> Bool {
    token.utf8.first.map { isPart($0) && !isDigit($0) } ?? false
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
    default: isDigit(byte)
    }
  }

  /// Splits a text into words, numbers and single symbols, without white space.
  private static func tokens(_ text: String) -> [Substring] {
    var tokens: [Substring] = []
    let bytes = text.utf8
    var start = bytes.startIndex
    while start < bytes.endIndex {
      var end = bytes.index(after: start)
      if isPart(bytes[start]) {
        while end < bytes.endIndex, isPart(bytes[end]) { end = bytes.index(after: end) }
      }
      if bytes[start] > UInt8(ascii: " ") { tokens.append(text[start..<end]) }
      start = end
    }
    return tokens
  }
}
