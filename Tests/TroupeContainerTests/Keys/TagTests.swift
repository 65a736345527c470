import Foundation
import Testing
import TroupeContainer

@Suite("Tags")
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
