import Foundation
import Testing
import TroupeContainer

@Suite("A tag has the type and value that it was made of")
struct TagTests {
  private enum Color: Hashable, Sendable { case red, custom(Int) }

  @Test("A tag equals a tag of the same value and type")
  func equality() throws {
    let uuid = UUID()
    #expect(AnySendableHashable("a") == AnySendableHashable("a"))
    #expect(AnySendableHashable(uuid) == AnySendableHashable(try #require(UUID(uuidString: uuid.uuidString))))
    #expect(AnySendableHashable(Color.custom(1)) == AnySendableHashable(Color.custom(1)))
    #expect(AnySendableHashable(Color.custom(1)) != AnySendableHashable(Color.custom(2)))
    #expect(AnySendableHashable("1") != AnySendableHashable(1))
    #expect(AnySendableHashable("red") != AnySendableHashable(Color.red))
    #expect(AnySendableHashable(uuid) != AnySendableHashable(uuid.uuidString))
  }

  @Test("The same number of two types is two tags")
  func numbers() {
    #expect(Set(elements: 1, UInt8(1), 1.0, 1, UInt8(1)).count == 3)
    #expect(Set(elements: 1) != Set(elements: Int64(1)))
  }

  @Test("The description of a string has quotes, and that of a UUID is in lower case")
  func text() throws {
    let uuid = try #require(UUID(uuidString: "5E110000-0000-4000-8000-00000000000A"))
    #expect("\(AnySendableHashable("a")) \(AnySendableHashable(7))" == "\"a\" 7")
    #expect("\(AnySendableHashable(uuid))" == "5e110000-0000-4000-8000-00000000000a")
    #expect(Key<Int>(tags: uuid).description.hasSuffix("5e110000-0000-4000-8000-00000000000a]"))
  }

  @Test("A tag of a tag is that tag")
  func nested() {
    let tag = AnySendableHashable("a")
    #expect(AnySendableHashable(tag) == tag)
    #expect(AnySendableHashable(AnySendableHashable(tag)).value is String)
    #expect(Set(elements: tag, "a").count == 1)
  }

  @Test("A tag of unknown type finds an instance, and the members of an array")
  func unknownType() async throws {
    let container = Container()
    container.register(Int.self, tags: "a") { _ in 1 }
    container.register(Int.self, tags: "a", 1) { _ in 2 }
    let tag = AnySendableHashable("a")
    let resolve: @Sendable () throws -> (Int, [Int]) = { (try container.resolve(tags: tag), try container.resolve(tags: tag)) }
    #expect(try resolve() == (1, [1, 2]))
    #expect(try await container.resolve(Int.self, tags: tag) == 1)
    #expect(try await container.resolve([Int].self, tags: tag) == [1, 2])
  }

  @Test("A set of tags has each tag once")
  func collected() {
    #expect(Set(elements: "a", 7, "a", Color.red, Color.red).count == 3)
  }

  @Test("A tag keeps its value")
  func value() {
    #expect(AnySendableHashable(Color.custom(3)).value as? Color == .custom(3))
  }

  @Test(
    "The description of a tag is its value, with quotes for strings and with the type of less common numbers and texts",
    arguments: [
      (AnySendableHashable("a \"b\""), #""a \"b\"""#), (AnySendableHashable(7), "7"), (AnySendableHashable(true), "true"),
      (AnySendableHashable(Color.red), "red"), (AnySendableHashable(1.5), "1.5"), (AnySendableHashable(UInt8(7)), "UInt8(7)"),
      (AnySendableHashable(Float(1.5)), "Float(1.5)"), (AnySendableHashable(Substring("a")), #"Substring("a")"#),
      (AnySendableHashable(String?("a")), #"Optional("a")"#), (AnySendableHashable(Int?(7)), "Optional(7)"),
    ])
  func description(tag: AnySendableHashable, text: String) {
    #expect(tag.description == text)
  }
}

@Suite("Lookups distinguish tags by equality, also with equal hashes")
struct TagHashTests {
  /// Tags that all have the same hash.
  private struct Constant: Hashable, Sendable {
    let value: Int
    func hash(into hasher: inout Hasher) { hasher.combine(0) }
  }

  /// Tags of another type with the same hash.
  private struct Other: Hashable, Sendable {
    let value: Int
    func hash(into hasher: inout Hasher) { hasher.combine(0) }
  }

  @Test(
    "Strings that are canonically equivalent are one tag, in any order of the tags",
    arguments: [
      ("\u{E9}", "e\u{301}"), ("caf\u{E9} au lait, long", "cafe\u{301} au lait, long"), ("\u{212B}", "A\u{30A}"),
      ("K", "\u{212A}"), (";", "\u{37E}"), ("`", "\u{1FEF}"), ("12345678K", "12345678\u{212A}"),
      ("\u{AC00}", "\u{1100}\u{1161}"),
    ])
  func canonical(left: String, right: String) throws {
    try #require(left == right)
    let container = Container()
    let key = container.register(Int.self, tags: left, 1) { _ in 7 }
    #expect(try container.resolve(Int.self, tags: right, 1) == 7)
    #expect(try container.resolve(Int.self, tags: 1, right) == 7)
    #expect(try container.resolve([Int].self, tags: right) == [7])
    #expect(Key<Int>(tags: right, 1) == key)
    #expect(Key<Int>(tags: right, left) == Key<Int>(tags: left))
    #expect(Set([key, Key<Int>(tags: 1, right)]).count == 1)
    container.register(Int.self, tags: right, 1) { _ in 8 }
    #expect(try container.resolve([Int].self) == [8])
  }

  @Test("Strings that differ in one character are two tags")
  func similar() throws {
    let container = Container()
    let texts = (0..<40).flatMap { length in
      let text = String(repeating: "a", count: length)
      return [text, text + "\0", text + "\u{7F}", text + "\u{80}"]
    }
    let distinct = Set(texts)
    for text in distinct { container.register(String.self, tags: text) { _ in text } }
    for text in distinct { #expect(try container.resolve(String.self, tags: text) == text) }
    #expect(try container.resolve([String].self).count == distinct.count)
  }

  @Test("Tags with one hash are distinguished by equality and type")
  func constant() throws {
    let container = Container()
    for number in 0..<50 {
      container.register(Int.self, tags: Constant(value: number)) { _ in number }
      container.register(Int.self, tags: Other(value: number)) { _ in 100 + number }
      container.register(Int.self, tags: Constant(value: number), Other(value: number)) { _ in 200 + number }
    }
    for number in 0..<50 {
      #expect(try container.resolve(Int.self, tags: Constant(value: number)) == number)
      #expect(try container.resolve(Int.self, tags: Other(value: number)) == 100 + number)
      #expect(try container.resolve(Int.self, tags: Other(value: number), Constant(value: number)) == 200 + number)
      #expect(try container.resolve([Int].self, tags: Constant(value: number)) == [number, 200 + number])
    }
    #expect(try container.resolve(Int?.self, tags: Constant(value: 1), Other(value: 2)) == nil)
  }

  @Test("Two tags with one hash on one registration are distinct, and each finds the registration once")
  func sameHashTwice() throws {
    let container = Container()
    container.register(Int.self, tags: Constant(value: 1), Constant(value: 2)) { _ in 7 }
    #expect(try container.resolve(Int.self, tags: Constant(value: 2), Constant(value: 1)) == 7)
    #expect(try container.resolve([Int].self, tags: Constant(value: 1)) == [7])
    #expect(try container.resolve([Int].self, tags: Constant(value: 2)) == [7])
    #expect(try container.resolve(Int?.self, tags: Constant(value: 1)) == nil)
    #expect(try container.resolve(Int?.self, tags: Constant(value: 1), Constant(value: 1)) == nil)
    container[Key<Int>(tags: Constant(value: 1), Constant(value: 2))] = nil
    #expect(try container.resolve([Int].self, tags: Constant(value: 2)) == [])
  }

  @Test("A repeated tag in a request does not match another tag with the same hash")
  func repeated() throws {
    let container = Container()
    container.register(Int.self, tags: Constant(value: 1), Constant(value: 2)) { _ in 7 }
    container.register(Int.self, tags: Constant(value: 1), Other(value: 1), "a") { _ in 8 }
    #expect(try container.resolve(Int.self, tags: Constant(value: 2), Constant(value: 1), Constant(value: 2)) == 7)
    #expect(try container.resolve(Int?.self, tags: Constant(value: 2), Constant(value: 2)) == nil)
    #expect(try container.resolve(Int?.self, tags: "a", Constant(value: 1), Constant(value: 1)) == nil)
    #expect(try container.resolve(Int.self, tags: Other(value: 1), "a", Constant(value: 1), "a") == 8)
  }

  @Test("The order and repetition of tags do not affect a request, also with many tags")
  func many() throws {
    let container = Container()
    container.register(Int.self, tags: 1, 2, 3, 4, 5, 6) { _ in 6 }
    container.register(Int.self, tags: 1, 2, 3, 4, 5) { _ in 5 }
    container.register(Int.self, tags: 1, 2, 3, 4) { _ in 4 }
    container.register(Int.self, tags: "a", "a", "b") { _ in 2 }
    #expect(try container.resolve(Int.self, tags: 6, 5, 4, 3, 2, 1) == 6)
    #expect(try container.resolve(Int.self, tags: 6, 6, 5, 4, 3, 3, 2, 1) == 6)
    #expect(try container.resolve(Int.self, tags: 5, 4, 1, 2, 3) == 5)
    #expect(try container.resolve(Int.self, tags: 4, 1, 2, 3) == 4)
    #expect(try container.resolve(Int.self, tags: 4, 1, 2, 3, 3) == 4)
    #expect(try container.resolve(Int.self, tags: "b", "a") == 2)
    #expect(try container.resolve(Int.self, tags: "b", "b", "a") == 2)
    #expect(try container.resolve(Int.self, tags: "b", "a", "b", "a", "b", "a") == 2)
    #expect(try container.resolve(Int?.self, tags: "b", "b") == nil)
    #expect(try container.resolve([Int].self, tags: 1, 2, 3, 4, 5) == [6, 5])
  }
}
