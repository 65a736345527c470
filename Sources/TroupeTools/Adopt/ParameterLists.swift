/// The parameters of functions as the preprocessed text of headers has them.
///
/// A syntax tree has the types to which C adjusts parameters: `int x[static 4]` and `uuid_t id` are pointers there, and their lengths are lost. It
/// has the attribute `nonnull(1, 2)` without the numbers.
struct ParameterLists {
  /// The texts of the parameters by the name of the function.
  private var lists: [String: [Substring]] = [:]
  /// The numbers in `nonnull` by the name of the function: parameters from 1, or 0 for all pointers.
  private var nonnull: [String: Set<Int>] = [:]

  /// - Parameter text: What `clang -E` writes. Cost: linear in its length.
  init(preprocessed text: String) {
    let bytes = text.utf8
    var position = bytes.startIndex
    var depth = 0
    var isAtLineStart = true
    // Of the declaration at the position, which has attributes in front of its name or behind its parameters.
    var (names, attributes): ([String], [Substring]) = ([], [])
    while position < bytes.endIndex {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "#") where isAtLineStart:
        position = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
        continue
      case UInt8(ascii: "{"), UInt8(ascii: ";"):
        if depth == 0 {
          if let numbers = Self.nonnull(attributes) { for name in names { nonnull[name, default: []].formUnion(numbers) } }
          (names, attributes) = ([], [])
        }
        if byte == UInt8(ascii: "{") { depth += 1 }
      case UInt8(ascii: "}"): depth -= 1
      case _ where depth == 0 && Self.isPart(byte):
        let end = bytes[position...].firstIndex { !Self.isPart($0) } ?? bytes.endIndex
        let start = bytes[end...].firstIndex { $0 != UInt8(ascii: " ") } ?? bytes.endIndex
        let name = String(text[position..<end])
        position = end
        if start < bytes.endIndex, bytes[start] == UInt8(ascii: "(") {
          let (list, last) = Self.list(text, from: bytes.index(after: start))
          if name == "__attribute__" { attributes += list } else { names.append(name) }
          if lists[name] == nil { lists[name] = list }
          position = last
        }
        isAtLineStart = false
        continue
      default: break
      }
      isAtLineStart = byte == UInt8(ascii: "\n")
      position = bytes.index(after: position)
    }
  }

  /// Returns the texts of the parameters; empty for an unknown function.
  subscript(_ function: String) -> [Substring] { lists[function] ?? [] }

  /// Returns whether each parameter of a function is a pointer that is never null.
  func nonnullParameters(of function: String) -> (Int) -> Bool {
    let numbers = nonnull[function]
    let own = self[function].map { Self.nonnull([$0]) != nil }
    return { index in
      numbers?.isDisjoint(with: [0, index + 1]) == false || own.indices.contains(index) && own[index]
    }
  }

  /// Returns the numbers in `nonnull(1, 2)`, and 0 for `nonnull` alone. Returns nil without that word.
  private static func nonnull(_ attributes: [Substring]) -> Set<Int>? {
    let words = attributes.joined(separator: ",").split { !isPart($0.utf8.first ?? 0) }
    var numbers: Set<Int> = []
    var rest = words[...]
    while let start = rest.firstIndex(where: isNonnull) {
      let list = rest[(start + 1)...].prefix { Int($0) != nil }
      numbers.formUnion(list.isEmpty ? [0] : list.compactMap { Int($0) })
      rest = rest[list.endIndex...]
    }
    return numbers.isEmpty ? nil : numbers
  }

  private static func isNonnull(_ word: Substring) -> Bool { word == "nonnull" || word == "__nonnull__" }

  private static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  /// Splits a text at commas up to the closing parenthesis. Returns the index behind that.
  private static func list(_ text: String, from start: String.Index) -> ([Substring], String.Index) {
    var parts: [Substring] = []
    var (depth, part, position) = (0, start, start)
    while position < text.utf8.endIndex {
      switch text.utf8[position] {
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: ")") where depth == 0:
        return (parts + [text[part..<position]], text.utf8.index(after: position))
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: ",") where depth == 0:
        parts.append(text[part..<position])
        part = text.utf8.index(after: position)
      default: break
      }
      position = text.utf8.index(after: position)
    }
    return (parts, position)
  }
}

extension Header {
  /// Returns the number of elements that a parameter must have: that of `x[static 4]`, or of a typedef of an array of several elements.
  ///
  /// - Parameter text: The parameter as it is written, such as `const uuid_t id`.
  func arrayLength(_ text: Substring) -> Int? {
    let words = text.split { !($0.isLetter || $0.isNumber || $0 == "_") }
    if let bracket = text.firstIndex(of: "["), text[..<bracket].allSatisfy({ $0 != "(" && $0 != "[" }) {
      let length = text[bracket...].dropFirst().prefix { $0 != "]" }.split(separator: " ")
      guard length.count == 2, length[0] == "static", text.last(where: { $0 != " " && $0 != "\n" }) == "]",
        text.count(where: { $0 == "[" }) == 1
      else { return nil }
      return Int(length[1].prefix { $0.isNumber })
    }
    let names = words.filter { !["const", "volatile", "restrict", "__restrict"].contains($0) }
    guard !text.contains("*"), !text.contains("("), names.count <= 2, let name = names.first.map(String.init),
      case .array(.base, let count?)? = (try? HeaderTypeParser.type(name)).flatMap({ try? resolve($0) }), count > 1
    else { return nil }
    return count
  }
}
