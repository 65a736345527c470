import Foundation
import Testing
import TroupeContainer

/// A class whose instances with one name are equal, including those of subclasses.
private class Named: Hashable, @unchecked Sendable {
  // Sendable because it and its subclass are constant.
  let name: String
  init(_ name: String) { self.name = name }
  static func == (left: Named, right: Named) -> Bool { left.name == right.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

// Sendable because its base is and it adds nothing.
private final class Special: Named, @unchecked Sendable {}

private enum Color: Hashable, Sendable { case red, mixed(String), level(Int) }
private enum Shade: Hashable, Sendable { case red }
private enum Number: Int, Hashable, Sendable { case one = 1 }

/// A type with a string as its `AnyHashable` representation.
private struct Alias: Hashable, Sendable, _HasCustomAnyHashableRepresentation {
  let name: String
  func _toCustomAnyHashable() -> AnyHashable? { AnyHashable(name) }
}

@Suite("Two tags are equal exactly if they have the same type and are equal values of it")
struct TagEqualityTests {
  let container = Container()

  /// Registers the name of the type of each tag under this tag alone.
  private func register<each Value: Hashable & Sendable>(_ tag: repeat each Value) {
    repeat registerName(each tag)
  }

  private func registerName<Value: Hashable & Sendable>(_ tag: Value) {
    container.register(String.self, tags: tag) { _ in "\(Value.self)" }
  }

  /// Resolves the names that are registered under each of the tags.
  private func names<each Value: Hashable & Sendable>(_ tag: repeat each Value) throws -> [String] {
    var names: [String] = []
    repeat names.append(try container.resolve(String.self, tags: each tag))
    return names
  }

  // MARK: Types

  @Test("The same number of each integer and floating-point type is a different tag")
  func numbers() throws {
    register(1 as Int, 1 as Int8, 1 as Int16, 1 as Int32, 1 as Int64, 1 as Int128)
    register(1 as UInt, 1 as UInt8, 1 as UInt16, 1 as UInt32, 1 as UInt64, 1 as UInt128)
    register(1 as Float16, 1 as Float, 1 as Double, 1 as CGFloat, 1 as Decimal)
    let signed = try names(1 as Int, 1 as Int8, 1 as Int16, 1 as Int32, 1 as Int64, 1 as Int128)
    #expect(signed == ["Int", "Int8", "Int16", "Int32", "Int64", "Int128"])
    let unsigned = try names(1 as UInt, 1 as UInt8, 1 as UInt16, 1 as UInt32, 1 as UInt64, 1 as UInt128)
    #expect(unsigned == ["UInt", "UInt8", "UInt16", "UInt32", "UInt64", "UInt128"])
    let others = try names(1 as Float16, 1 as Float, 1 as Double, 1 as CGFloat, 1 as Decimal)
    #expect(others == ["Float16", "Float", "Double", "CGFloat", "Decimal"])
    #expect(try container.resolve([String].self).count == 17)
    #expect(try container.resolve([String].self, tags: 1 as UInt8) == ["UInt8"])
    #expect(try container.resolve(String?.self, tags: true) == nil)
  }

  @Test("A string, a substring, a character, a UUID, its string and a custom type are different tags")
  func texts() throws {
    let id = try #require(UUID(uuidString: "5E110000-0000-4000-8000-00000000000A"))
    register("a", Substring("a"), Character("a"), Unicode.Scalar("a"), Alias(name: "a"), id, id.uuidString)
    let found = try names("a", Substring("a"), Character("a"), Unicode.Scalar("a"), Alias(name: "a"), id, id.uuidString)
    #expect(found == ["String", "Substring", "Character", "Scalar", "Alias", "UUID", "String"])
    #expect(try names(Substring("bab".dropFirst().dropLast())) == ["Substring"])
  }

  @Test("An optional and its wrapped value are different tags, and so are nils of different types")
  func optionals() throws {
    register(1, Int?(1), Int??(1), UInt8?(1), Int?.none, String?.none, Color?(.red), Color.red)
    let found = try names(1, Int?(1), Int??(1), UInt8?(1), Int?.none, String?.none, Color?(.red), Color.red)
    #expect(
      found == [
        "Int", "Optional<Int>", "Optional<Optional<Int>>", "Optional<UInt8>", "Optional<Int>", "Optional<String>",
        "Optional<Color>", "Color",
      ])
    #expect(try container.resolve(String?.self, tags: Double?.none) == nil)
    #expect(try container.resolve(String?.self, tags: Int??.none) == nil)
  }

  @Test("A class and its superclass are different tags for equal instances; the static type decides")
  func classes() throws {
    let (named, special) = (Named("a"), Special("a"))
    register(named, special)
    #expect(named == special)
    #expect(try names(named, special, special as Named) == ["Named", "Special", "Named"])
    #expect(Key<Int>(tags: special as Named) == Key<Int>(tags: named))
    #expect(AnySendableHashable(special as Named) == AnySendableHashable(named))
    #expect(AnySendableHashable(special) != AnySendableHashable(named))
    // In a key, a set and another key, the tag keeps its type.
    let again = Key<String>(tagset: AnyKey(String.self, tags: special as Named).tagset)
    #expect(try container.resolve(key: again) == "Named")
  }

  @Test("Cases with one name, raw values and associated values of two types are different tags")
  func enumerations() throws {
    register(Color.red, Shade.red, "red", Number.one, 1, Color.level(1), Color.mixed("a"))
    let found = try names(Color.red, Shade.red, "red", Number.one, 1, Color.level(1), Color.mixed("a"))
    #expect(found == ["Color", "Shade", "String", "Number", "Int", "Color", "Color"])
    #expect(try container.resolve(String?.self, tags: Color.level(2)) == nil)
  }

  @Test("Collections of equal elements of two types are different tags")
  func collections() throws {
    register([1], [1.0], [1 as UInt8], [Int?(1)], Set([1]), Set([1.0]), [1: "a"], [1.0: "a"], ContiguousArray([1]), [[1]])
    let found = try names([1], [1.0], [1 as UInt8], [Int?(1)], Set([1]), Set([1.0]), [1: "a"], [1.0: "a"], ContiguousArray([1]))
    #expect(
      found == [
        "Array<Int>", "Array<Double>", "Array<UInt8>", "Array<Optional<Int>>", "Set<Int>", "Set<Double>",
        "Dictionary<Int, String>", "Dictionary<Double, String>", "ContiguousArray<Int>",
      ])
    #expect(try container.resolve(String?.self, tags: [Int]()) == nil)
  }

  // MARK: Values of one type

  @Test("Equal values of one type are one tag, and a value that does not equal itself matches no tag")
  func values() throws {
    register(0.0, "caf\u{E9}", Double.nan)
    #expect(try names(-0.0, "cafe\u{301}") == ["Double", "String"])
    #expect(try container.resolve(String?.self, tags: Double.nan) == nil)
    #expect(Key<Int>(tags: 0.0) == Key<Int>(tags: -0.0))
    #expect(Key<Int>(tags: 1, 1, Int?(1), Int?(1)).tagset.count == 2)
  }

  @Test("Equal values of several types on one registration are several tags, and a request must name each")
  func several() throws {
    container.register(Int.self, tags: Named("a"), Special("a"), [1], [1.0], 1, Int?.some(1)) { _ in 7 }
    #expect(try container.resolve(Int.self, tags: Int?(1), 1, [1.0], [1], Special("a"), Named("a")) == 7)
    #expect(try container.resolve(Int?.self, tags: 1, [1.0], [1], Special("a"), Named("a")) == nil)
    #expect(try container.resolve(Int?.self, tags: 1.0, Int?(1), [1.0], [1], Special("a"), Named("a")) == nil)
    #expect(try container.resolve([Int].self, tags: Special("a"), Int?(1)) == [7])
    #expect(try container.resolve([Int].self, tags: Special("a"), 1.0) == [])
    #expect(Key<Int>(tags: Named("a"), Special("a")).tagset.count == 2)
  }

  // MARK: AnySendableHashable

  @Test("A tag of a tag is that tag at any depth, and a tag in an optional is another one")
  func nested() throws {
    let tag = AnySendableHashable(1 as UInt8)
    let nested = AnySendableHashable(AnySendableHashable(tag))
    #expect(nested == tag && nested.hashValue == tag.hashValue && nested.value is UInt8)
    #expect(AnySendableHashable(Optional(tag)) != tag)
    #expect(Set(elements: tag, nested, 1 as UInt8).count == 1)
    #expect(Set(elements: tag, 1) == [AnySendableHashable(1), tag])
    registerName(nested)
    #expect(try container.resolve(String?.self, tags: 1 as UInt8) == "AnySendableHashable")
    #expect(try container.resolve(String?.self, tags: tag) == "AnySendableHashable")
    #expect(try container.resolve(String?.self, tags: AnySendableHashable(1)) == nil)
    #expect(try container.resolve(String?.self, tags: Optional(tag)) == nil)
    // With other tags, and in addition to the value of the same tag.
    container.register(Int.self, tags: tag, "a") { _ in 7 }
    #expect(try container.resolve(Int.self, tags: "a", 1 as UInt8, nested) == 7)
    #expect(try container.resolve(Int?.self, tags: nested, 1) == nil)
  }

  @Test("The tag of an existential is its value with the type of the value")
  func existential() {
    let values: [any Hashable & Sendable] = [1, 1 as UInt8, "a", Substring("a"), Int?(1), Special("a")]
    let tags = Set(values.map { AnySendableHashable($0) })
    #expect(tags == Set(elements: 1, 1 as UInt8, "a", Substring("a"), Int?(1), Special("a")))
    #expect(tags.count == 6)
  }

  @Test("A tag returns the value it was created from")
  func given() throws {
    let tags = Key<Int>(tags: Special("a"), 1.5, [UInt8(1)], Alias(name: "a")).tagset.map(\.value)
    #expect(tags.contains { $0 is Special })
    #expect(tags.contains { $0 as? Double == 1.5 })
    #expect(tags.contains { $0 as? [UInt8] == [1] })
    #expect(tags.contains { $0 is Alias })
  }

  // MARK: Every pair in a table

  private var samples: [any AnySample] {
    let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    var samples: [any AnySample] = []
    func add<each Value: Hashable & Sendable>(_ value: repeat each Value) { repeat samples.append(Sample(value: each value)) }
    add("1", "a", "red", Substring("a"), Character("a"), "e\u{301}", "\u{E9}", true, false, id, id.uuidString)
    add(Color.red, Color.mixed("a"), Color.level(1), Shade.red, Number.one, Alias(name: "a"), Alias(name: "1"))
    add(Named("a"), Special("a"), Special("a") as Named, Special("b"), Named?(Named("a")), Named?(Special("a")))
    add(Decimal(1), Decimal(0), Date(timeIntervalSinceReferenceDate: 1))
    add(Int?(1), Int?.none, UInt8?(1), String?("a"), String?.none, Int??(1), Int??.none, Double?(1.5), Color?(.red))
    add([1], [1.0], [UInt8(1)], [Int?(1)], ["a"], [Substring("a")], [Int](), [String](), ContiguousArray([1]), [[1]])
    add(Set([1]), Set([1.0]), Set(["a"]), [1: "a"], [1.0: "a"], [UInt8(1): "a"], 1..<2, 1...2)
    add(AnySendableHashable?(AnySendableHashable(1)), [AnySendableHashable(1)], Group("a"), Group(1))
    for integer in [0, 1, -1, 127, 255, 1 << 53, (1 << 53) + 1, .max, .min] {
      add(integer, Double(integer), Float(integer), CGFloat(integer), Float16(Float(integer)), Int128(integer))
      #if arch(x86_64)
        add(Float80(integer))
      #endif
      if let small = Int8(exactly: integer) { add(small, Int16(small), Int32(small), Int64(small)) }
      if let small = UInt8(exactly: integer) {
        add(small, UInt16(small), UInt32(small), UInt64(small), UInt(small), UInt128(small))
      }
    }
    add(UInt64.max, UInt.max, UInt64(1) << 63, UInt128(1) << 100, Int128(1) << 100, 0x1p63, 0x1p64, 0x1p100, Float(0x1p100))
    add(-0.0, Float(-0.0), 0.1, Float(0.1), 1.5, Float(1.5), Float16(1.5), CGFloat(1.5), Double.nan, Float.nan)
    add(Double.infinity, Float.infinity, -Double.infinity, Float16.infinity, 1e300)
    return samples
  }

  @Test("Keys, criteria, sets and lookups of a container agree on each pair in a table of values")
  func table() throws {
    let samples = samples
    var disagreements: [String] = []
    for left in samples {
      let container = Container()
      left.register(in: container)
      for right in samples {
        let isEqual = left.isSame(as: right)
        var answers = right.lookups(in: container)
        answers["Key"] = left.key == right.key
        answers["AnyKey"] = left.anyKey == right.anyKey
        answers["Key and AnyKey"] = left.key == right.anyKey
        answers["AnySendableHashable"] = left.tag == right.tag
        answers["Set"] = Set([left.tag]) == Set([right.tag])
        answers["Set(elements:)"] = left.elements == right.elements
        if isEqual {
          answers["hash of Key"] = left.key.hashValue == right.key.hashValue
          answers["hash of AnySendableHashable"] = left.tag.hashValue == right.tag.hashValue
        }
        disagreements += answers.filter { $0.value != isEqual }.map { "\($0.key) of \(left.name) and \(right.name)" }
      }
    }
    #expect(disagreements == [])
  }
}

/// A tag of any type in a table.
private protocol AnySample {
  var name: String { get }
  var key: Key<Int> { get }
  var anyKey: AnyKey { get }
  var tag: AnySendableHashable { get }
  var elements: Set<AnySendableHashable> { get }
  /// Returns whether another tag has the same type and an equal value.
  func isSame(as other: any AnySample) -> Bool
  func register(in container: Container)
  /// Returns whether each form of lookup finds a registration under this tag in a container.
  func lookups(in container: Container) -> [String: Bool]
}

private struct Sample<Value: Hashable & Sendable>: AnySample {
  let value: Value

  var name: String { "\(Value.self) \(value)" }
  var key: Key<Int> { Key(tags: value) }
  var anyKey: AnyKey { AnyKey(Int.self, tags: value) }
  var tag: AnySendableHashable { AnySendableHashable(value) }
  var elements: Set<AnySendableHashable> { Set(elements: value) }

  func isSame(as other: any AnySample) -> Bool { (other as? Sample<Value>)?.value == value }

  func register(in container: Container) { container.register(Int.self, tags: value) { _ in 1 } }

  func lookups(in container: Container) -> [String: Bool] {
    [
      "resolve": (try? container.resolve(Int.self, tags: value)) != nil,
      "resolve with a tag": (try? container.resolve(Int.self, tags: tag)) != nil,
      "resolve(key:)": (try? container.resolve(key: key)) != nil,
      "array": (try? container.resolve([Int].self, tags: value)) == [1],
      "find equal": container.find(Criteria<Int>(tags: value)) == [key],
      "find subset": container.find(Criteria<Int>(op: .subset, tagset: elements)) == [key],
      "filter": container.filter(Int.self, tags: value).count == 1,
      "subscript": container[key] != nil,
    ]
  }
}
