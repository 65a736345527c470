import TestSupport
@testable import TroupeCall

/// A generator of C types, the same on every run.
struct ConformanceTypes {
  /// A type with its spelling in C and in signatures.
  struct Spelled: Sendable {
    /// The words before a name, such as `double` or `struct r12`.
    let text: String
    let size: Int
    let alignment: Int
    /// Whether a callback may return it and a union may contain it: it has no string.
    var isPlain = true
  }

  /// A record with a tag.
  struct Record: Sendable {
    let spelled: Spelled
    /// `struct r12 { … }`. In C, `packed` is a macro.
    let definition: String
    /// The same in C.
    let c: String
    /// The records that it mentions.
    var uses: [Spelled] = []
    /// Whether it ends with a flexible array member, so that it exists only behind a pointer.
    var isFlexible = false
  }

  private(set) var records: [Record] = []
  /// Records that point to other memory.
  private(set) var linked: [Record] = []
  var generator: SplitMix64

  static let sizes = 1...64

  /// The records for the edge cases of the register rules.
  var cornerRecords: [Spelled] { records.map(\.spelled).suffix(Self.corners.count) }

  /// The records that may be passed in registers.
  var smallRecords: [Spelled] { records.map(\.spelled).filter { $0.size <= 16 } }

  /// The enumerations in signatures and in C. C11 gets the type after the colon by an attribute for the smallest type or, for the
  /// last one, from the values.
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
  static let long = Spelled(text: "long", size: 8, alignment: 8)
  static let floats = [Spelled(text: "float", size: 4, alignment: 4), Spelled(text: "double", size: 8, alignment: 8)]
  static let complexes = [
    Spelled(text: "float _Complex", size: 8, alignment: 4), Spelled(text: "double _Complex", size: 16, alignment: 8),
  ]
  /// The types with registers of their own on x86-64, which other machines lack.
  static let longs =
    CType.hasLongDouble
    ? [
      Spelled(text: "long double", size: 16, alignment: 16), Spelled(text: "long double _Complex", size: 32, alignment: 16),
    ] : []
  static let strings = [Spelled(text: "const char *", size: 8, alignment: 8, isPlain: false)]

  static let scalars = integers + floats + complexes + longs + strings

  init(seed: UInt64) {
    generator = SplitMix64(seed: seed)
    for size in Self.sizes {
      // The shape matters only up to the size of two registers; larger values go to memory.
      for style in 0..<(size <= 16 ? 27 : 5) { add(size: size, style: size <= 16 ? style % 9 : (style * 2 + size) % 9) }
    }
    for (index, corner) in Self.corners.enumerated() { records.append(corner.record(tag: "corner\(index)")) }
    for index in 0..<100 { linked.append(linkedRecord(tag: "l\(index)")) }
  }

  /// A record for an edge case of the register rules.
  private struct Corner {
    var kind = "struct"
    let members: String
    var isPacked = false
    let size: Int
    let alignment: Int

    func record(tag: String) -> Record {
      let definition = "\(kind) \(tag) { \(members) }" + (isPacked ? " packed" : "")
      return Record(
        spelled: Spelled(text: "\(kind) \(tag)", size: size, alignment: alignment), definition: definition, c: definition)
    }
  }

  private static let corners =
    mixedCorners + packedCorners + (CType.hasLongDouble ? longCorners : [])

  /// Structs whose words are passed in registers of both kinds, or just not.
  private static let mixedCorners = [
    Corner(members: "long i; double d;", size: 16, alignment: 8),
    Corner(members: "double d; long i;", size: 16, alignment: 8),
    Corner(members: "int64_t i; float f;", size: 16, alignment: 8),
    Corner(members: "float f; int64_t i;", size: 16, alignment: 8),
    Corner(members: "float f; int i; double d;", size: 16, alignment: 8),
    Corner(members: "double d; uint8_t b[3];", size: 16, alignment: 8),
    Corner(members: "float f[3]; int8_t b;", size: 16, alignment: 4),
    Corner(members: "void *p; float _Complex z;", size: 16, alignment: 8),
    Corner(kind: "union", members: "struct { long i; double d; } whole; double other;", size: 16, alignment: 8),
  ]

  /// Packed structs of at most 16 bytes, with and without misaligned members.
  private static let packedCorners = [
    Corner(members: "uint8_t kind; double d;", isPacked: true, size: 9, alignment: 1),
    Corner(members: "uint8_t kind; union { int64_t whole; double d; } value;", isPacked: true, size: 9, alignment: 1),
    Corner(members: "float f; double d;", isPacked: true, size: 12, alignment: 1),
    Corner(members: "double d; float f;", isPacked: true, size: 12, alignment: 1),
    Corner(members: "uint16_t a; int64_t b; float c;", isPacked: true, size: 14, alignment: 1),
    Corner(members: "int64_t a; double b;", isPacked: true, size: 16, alignment: 1),
    Corner(members: "int8_t a; struct { int16_t b; } inner[2];", isPacked: true, size: 5, alignment: 1),
    Corner(members: "struct { char c; float z[2]; } packed inner; char more;", size: 10, alignment: 1),
  ]

  /// Records with a `long double`; some are results in x87 registers.
  private static let longCorners = [
    Corner(members: "long double v;", size: 16, alignment: 16),
    Corner(members: "long double v[1];", size: 16, alignment: 16),
    Corner(members: "struct { struct { long double v; } b; } a;", size: 16, alignment: 16),
    Corner(members: "long double v;", isPacked: true, size: 16, alignment: 1),
    Corner(members: "uint8_t a; long double v;", isPacked: true, size: 17, alignment: 1),
    Corner(members: "long double _Complex v;", size: 32, alignment: 16),
    Corner(members: "long double v; double d;", size: 32, alignment: 16),
    Corner(kind: "union", members: "long double whole;", size: 16, alignment: 16),
    Corner(kind: "union", members: "long double whole; int i;", size: 16, alignment: 16),
    Corner(kind: "union", members: "long double whole; double d;", size: 16, alignment: 16),
    Corner(kind: "union", members: "long double whole; long i[2];", size: 16, alignment: 16),
    Corner(kind: "union", members: "long double a; struct { long i; double d; } whole;", size: 16, alignment: 16),
    Corner(members: "union { long double whole; } u;", size: 16, alignment: 16),
  ]

  /// Returns a random element.
  mutating func pick<Element>(_ list: [Element]) -> Element { list[Int.random(in: list.indices, using: &generator)] }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

  mutating func chance(_ parts: Int, of whole: Int) -> Bool { Int.random(in: 0..<whole, using: &generator) < parts }

  /// Types that use integer registers, floating-point registers or both, and types that are passed in several backends.
  mutating func parameters(_ count: Int, _ profile: Int) -> [Spelled] {
    (0..<count).map { index in
      switch profile {
      case 0: pick(Self.integers)
      case 1: pick(Self.floats)
      case 2: pick(index.isMultiple(of: 2) ? Self.integers : Self.floats)
      case 3: pick(Self.scalars)
      // Mostly types that are passed in registers, so at most 16 bytes.
      case 4: chance(1, of: 2) ? pick(smallRecords) : pick(Self.scalars)
      default: pick(records).spelled
      }
    }
  }

  // MARK: Records

  private mutating func add(size: Int, style: Int) {
    let tag = "r\(records.count)"
    let isPacked = style == 7
    let isUnion = style == 8
    // The possible alignments of a record of the size.
    let alignment = isPacked ? 16 : pick([1, 2, 4, 8, 16].filter { size.isMultiple(of: $0) }.suffix(2))
    let scalars: [Spelled] =
      switch style {
      case 0: Self.floats + Self.complexes
      case 1: Self.integers
      case 2: Self.integers + Self.floats
      default: Self.scalars
      }
    var body = Body()
    if isUnion {
      body = union(size: size, alignment: alignment, scalars: scalars, depth: 0)
    } else {
      body = structure(size: size, alignment: alignment, scalars: scalars, isPacked: isPacked, depth: style < 3 ? 3 : 0)
    }
    let name = "\(isUnion ? "union" : "struct") \(tag)"
    let definition = "\(name) { \(body.text)}\(isPacked ? " packed" : "")"
    records.append(
      Record(
        spelled: Spelled(text: name, size: size, alignment: body.alignment, isPlain: body.isPlain), definition: definition,
        c: definition))
  }

  /// The text between the braces.
  private struct Body {
    var text = ""
    var alignment = 1
    var isPlain = true

    mutating func add(_ inner: Body) { isPlain = isPlain && inner.isPlain }
  }

  /// A member: the text before and after its name.
  private struct Member {
    var before: String
    var after = ""
    var size: Int
    var alignment: Int
    var body = Body()
  }

  /// Returns members that fill a size, with padding in some positions.
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

  /// Returns members of which one has the whole size.
  private mutating func union(size: Int, alignment: Int, scalars: [Spelled], depth: Int) -> Body {
    let plain = scalars.filter(\.isPlain)
    var body = Body()
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
      let body =
        isUnion
        ? union(size: size, alignment: own, scalars: scalars, depth: depth + 1)
        : structure(
          size: size, alignment: isPacked ? 16 : own, scalars: scalars, isPacked: isPacked, depth: depth + 1)
      let text = "\(isUnion ? "union" : "struct") { \(body.text)}\(isPacked ? " packed" : "")"
      return Member(before: text, size: size, alignment: body.alignment, body: body)
    }
    // If no other type fits, a byte does.
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
