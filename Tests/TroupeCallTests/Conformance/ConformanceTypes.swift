import TestSupport
@testable import TroupeCall

/// Writes C types at random, the same on every run.
struct ConformanceTypes {
  /// A type as C and a signature both spell it.
  struct Spelled {
    /// The words before a name, such as `double` or `struct r12`.
    let text: String
    let size: Int
    let alignment: Int
    /// Whether a callback may give it back, and a union hold it: there is no text in it.
    var isPlain = true
  }

  /// A record with a tag.
  struct Record {
    let spelled: Spelled
    /// `struct r12 { … }`, which C reads with `packed` as a macro.
    let definition: String
    let isPacked: Bool
    let hasUnion: Bool
  }

  private(set) var records: [Record] = []
  private(set) var generator: Generator

  static let sizes = 1...64

  /// Those that may be passed in registers.
  var smallRecords: [Spelled] { records.map(\.spelled).filter { $0.size <= 16 } }

  /// How C and the signatures define the enumerations. C11 gives them the types behind the colon by being told to take the smallest
  /// or, for the last, by its value.
  static let enumerations: [(tag: String, signature: String, c: String, size: Int)] = [
    ("natural", "enum natural { natural0, natural1, natural2 = 77 }", "enum natural { natural0, natural1, natural2 = 77 }", 4),
    ("negative", "enum negative { negative0 = -5, negative1 }", "enum negative { negative0 = -5, negative1 }", 4),
    ("small", "enum small : uint8_t { small0, small1 = 200 }", "enum small { small0, small1 = 200 } packed", 1),
    ("tiny", "enum tiny : int8_t { tiny0 = -3, tiny1 }", "enum tiny { tiny0 = -3, tiny1 } packed", 1),
    (
      "middle", "enum middle : int16_t { middle0 = -3, middle1 = 300 }", "enum middle { middle0 = -3, middle1 = 300 } packed", 2
    ),
    (
      "large", "enum large : unsigned long { large0, large1 = 0x7fffffffffffffff }",
      "enum large { large0, large1 = 0xffffffffffffffff }", 8
    ),
  ]

  static let integers =
    CType.Integer.all.map { Spelled(text: $0.name, size: $0.width / 8, alignment: $0.width / 8) }
    + ["bool", "_Bool"].map { Spelled(text: $0, size: 1, alignment: 1) }
    + enumerations.map { Spelled(text: "enum \($0.tag)", size: $0.size, alignment: $0.size) }
    + ["void *", "const double *", "struct opaque *", "char **"].map { Spelled(text: $0, size: 8, alignment: 8) }
  static let floats = [Spelled(text: "float", size: 4, alignment: 4), Spelled(text: "double", size: 8, alignment: 8)]
  static let complexes = [
    Spelled(text: "float _Complex", size: 8, alignment: 4), Spelled(text: "double _Complex", size: 16, alignment: 8),
  ]
  /// What x86-64 computes with in registers of their own, and no other machine has.
  static let longs =
    LongDouble.isSupported
    ? [
      Spelled(text: "long double", size: 16, alignment: 16), Spelled(text: "long double _Complex", size: 32, alignment: 16),
    ] : []
  static let strings = [Spelled(text: "const char *", size: 8, alignment: 8, isPlain: false)]

  static let scalars = integers + floats + complexes + longs + strings

  init(seed: UInt64) {
    generator = Generator(seed: seed)
    for size in Self.sizes {
      // What at most fills two registers is where the shape matters; all else goes to memory.
      for style in 0..<(size <= 16 ? 27 : 5) { add(size: size, style: size <= 16 ? style % 9 : (style * 2 + size) % 9) }
    }
  }

  /// One of several.
  mutating func pick<Element>(_ list: [Element]) -> Element { list[Int.random(in: list.indices, using: &generator)] }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

  mutating func chance(_ parts: Int, of whole: Int) -> Bool { Int.random(in: 0..<whole, using: &generator) < parts }

  // MARK: Records

  private mutating func add(size: Int, style: Int) {
    let tag = "r\(records.count)"
    let isPacked = style == 7
    let isUnion = style == 8
    // The alignments that a record of the size can have.
    let alignment = isPacked ? 16 : pick([1, 2, 4, 8, 16].filter { size.isMultiple(of: $0) }.suffix(2))
    let scalars: [Spelled] =
      switch style {
      case 0: Self.floats + Self.complexes
      case 1: Self.integers
      case 2: Self.integers + Self.floats
      default: Self.scalars
      }
    var body = Body(isPlain: true, hasUnion: isUnion)
    if isUnion {
      body = union(size: size, alignment: alignment, scalars: scalars, depth: 0)
    } else {
      body = structure(size: size, alignment: alignment, scalars: scalars, isPacked: isPacked, depth: style < 3 ? 3 : 0)
    }
    records.append(
      Record(
        spelled: Spelled(
          text: "\(isUnion ? "union" : "struct") \(tag)", size: size, alignment: body.alignment, isPlain: body.isPlain),
        definition: "\(isUnion ? "union" : "struct") \(tag) { \(body.text)}\(isPacked ? " packed" : "")",
        isPacked: body.isPacked || isPacked, hasUnion: body.hasUnion))
  }

  /// What stands between the braces.
  private struct Body {
    var text = ""
    var alignment = 1
    var isPlain = true
    var isPacked = false
    var hasUnion = false

    mutating func add(_ inner: Body) {
      isPlain = isPlain && inner.isPlain
      isPacked = isPacked || inner.isPacked
      hasUnion = hasUnion || inner.hasUnion
    }
  }

  /// A member: its text around the name.
  private struct Member {
    var before: String
    var after = ""
    var size: Int
    var alignment: Int
    var body = Body()
  }

  /// Members that fill a size, with padding here and there.
  private mutating func structure(
    size: Int, alignment: Int, scalars: [Spelled], isPacked: Bool, depth: Int
  ) -> Body {
    var body = Body()
    var (end, count) = (0, 0)
    while end < size {
      if end > 0, end.roundedUp(to: body.alignment) == size, chance(1, of: 2) { break }
      let member = self.member(scalars, room: size - end, alignment: alignment, depth: depth)
      let own = isPacked ? 1 : member.alignment
      let offset = end.roundedUp(to: own)
      guard offset + member.size <= size else { continue }
      body.text += "\(member.before) m\(count)\(member.after); "
      body.alignment = max(body.alignment, own)
      body.add(member.body)
      (end, count) = (offset + member.size, count + 1)
    }
    return body
  }

  /// Members of which one is as large as the whole.
  private mutating func union(size: Int, alignment: Int, scalars: [Spelled], depth: Int) -> Body {
    let plain = scalars.filter(\.isPlain)
    var body = Body(hasUnion: true)
    let large = structure(size: size, alignment: alignment, scalars: plain, isPacked: false, depth: depth + 1)
    var texts = ["struct { \(large.text)} "]
    body.alignment = large.alignment
    body.add(large)
    var names = ["whole"]
    for index in 0..<Int.random(in: 0...3, using: &generator) {
      let member = self.member(plain, room: size, alignment: large.alignment, depth: depth + 1)
      texts.append(member.before)
      names.append("m\(index)\(member.after)")
      body.add(member.body)
    }
    let start = Int.random(in: texts.indices, using: &generator)
    for index in texts.indices {
      let place = (start + index) % texts.count
      body.text += "\(texts[place]) \(names[place]); "
    }
    return body
  }

  private mutating func member(_ scalars: [Spelled], room: Int, alignment: Int, depth: Int) -> Member {
    let fitting = scalars.filter { $0.size <= room && $0.alignment <= alignment }
    if depth < 3, room > 1, chance(1, of: 4) {
      let size = Int.random(in: 1...room, using: &generator)
      let own = pick([1, 2, 4, 8, 16].filter { size.isMultiple(of: $0) && $0 <= alignment })
      let isUnion = chance(1, of: 6)
      let isPacked = !isUnion && chance(1, of: 10)
      var body =
        isUnion
        ? union(size: size, alignment: own, scalars: scalars, depth: depth + 1)
        : structure(
          size: size, alignment: isPacked ? 16 : own, scalars: scalars, isPacked: isPacked, depth: depth + 1)
      body.isPacked = body.isPacked || isPacked
      let text = "\(isUnion ? "union" : "struct") { \(body.text)}\(isPacked ? " packed" : "")"
      return Member(before: text, size: size, alignment: body.alignment, body: body)
    }
    // Where nothing else fits, a byte does.
    let scalar = fitting.isEmpty ? Spelled(text: "uint8_t", size: 1, alignment: 1) : pick(fitting)
    let body = Body(isPlain: scalar.isPlain)
    if chance(1, of: 4) {
      let count = Int.random(in: 1...max(1, room / scalar.size), using: &generator)
      if count.isMultiple(of: 2), chance(1, of: 3) {
        return Member(
          before: scalar.text, after: "[2][\(count / 2)]", size: count * scalar.size, alignment: scalar.alignment, body: body)
      }
      return Member(
        before: scalar.text, after: "[\(count)]", size: count * scalar.size, alignment: scalar.alignment, body: body)
    }
    return Member(before: scalar.text, size: scalar.size, alignment: scalar.alignment, body: body)
  }
}
