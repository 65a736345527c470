@testable import TroupeCall

/// Structs that point to other memory: to as many elements as a member says, to structs, texts and objects.
extension ConformanceTypes {
  /// The declarations of the structs that references point to.
  static let references = (0..<4).map { "struct handle\($0)" }
  static let wideTexts = ["const wchar_t *", "const char16_t *", "const char32_t *"]
    .map { Spelled(text: $0, size: 8, alignment: 8, isPlain: false) }

  /// The types that elements of a buffer may have that ends at a zero.
  static let terminable =
    CType.Integer.all.map { Spelled(text: $0.name, size: $0.width / 8, alignment: $0.width / 8) } + strings

  /// Members in a signature and in C.
  private struct Linked {
    var signature: String
    var c: String
    var uses: [Spelled] = []

    init(_ text: String, c: String? = nil, uses: [Spelled] = []) { (signature, self.c, self.uses) = (text, c ?? text, uses) }
  }

  mutating func linkedRecord(tag: String) -> Record {
    var members = (0..<number(1...5)).map { linkedMember($0) }
    let isFlexible = chance(1, of: 4)
    if isFlexible { members.append(flexibleMember()) }
    func text(_ members: [String]) -> String { "struct \(tag) { \(members.joined(separator: " ")) }" }
    return Record(
      spelled: Spelled(text: "struct \(tag)", size: 0, alignment: 0, isPlain: false),
      definition: text(members.map(\.signature)),
      c: text(members.map(\.c)), uses: members.flatMap(\.uses), isFlexible: isFlexible)
  }

  private mutating func linkedMember(_ index: Int) -> Linked {
    let name = "m\(index)"
    let element = pick(Self.scalars + records.map(\.spelled))
    let count = "\(pick(["size_t", "int", "uint8_t", "unsigned short"])) n\(index);"
    let record = pick(records.map(\.spelled).filter { $0.text.hasPrefix("struct") })
    switch number(0...11) {
    case 0...4:
      let length = pick([
        "n\(index)", "n\(index) * 2", "n\(index) + 1", "2 * n\(index) + 3", "n\(index) * \(element.size) bytes",
      ])
      let pointer = "\(element.text) (*\(name))[\(length)];"
      let c = "\(element.text) *\(name);"
      let isFirst = chance(1, of: 2)
      return Linked(isFirst ? count + pointer : pointer + count, c: isFirst ? count + c : c + count, uses: [element])
    case 5:
      let element = pick(Self.terminable).text
      return Linked("\(element) (*\(name))[];", c: "\(element) *\(name);")
    case 6: return Linked("\(element.text) (*\(name))[2];", c: "\(element.text) *\(name);", uses: [element])
    case 7:
      let handle = pick(Self.references)
      return Linked("\(handle) *\(chance(1, of: 2) ? "_Nullable " : "")\(name);", c: "\(handle) *\(name);")
    case 8: return Linked("const \(record.text) *\(name);", uses: [record])
    case 9:
      return Linked(
        "union { double whole\(name); int \(name); }; struct { char first\(name); \(element.text) second\(name); };",
        uses: [element])
    case 10: return Linked("int (*\(name))(int);")
    default: return Linked("\(pick(Self.wideTexts).text)\(name); \(element.text) other\(index);", uses: [element])
    }
  }

  /// A flexible array member with a length in another one, or up to a zero.
  private mutating func flexibleMember() -> Linked {
    if chance(1, of: 3) { return Linked("short before; \(pick(Self.terminable).text) xs[];") }
    let element = pick(Self.scalars + records.map(\.spelled))
    return Linked("int n; \(element.text) xs[n];", c: "int n; \(element.text) xs[];", uses: [element])
  }
}
