import Testing

@testable import TroupeContainer

@Suite("A dynamic entry reads its arguments itself, unboxed where it can")
struct DynamicEntryTests {
  private struct SampleError: Error, Equatable {}

  /// Returns the type and value of an argument, for the types in these tests.
  private static func show(_ argument: ArgumentReference) -> String {
    switch argument.type {
    case ObjectIdentifier(Int8.self): "Int8 \(argument.address.load(as: Int8.self))"
    case ObjectIdentifier(Int32.self): "Int32 \(argument.address.load(as: Int32.self))"
    case ObjectIdentifier(Double.self): "Double \(argument.address.load(as: Double.self))"
    case ObjectIdentifier(Bool.self): "Bool \(argument.address.load(as: Bool.self))"
    case ObjectIdentifier(String.self): "String \(argument.address.load(as: String.self))"
    default: "?"
    }
  }

  private static func container(_ lifetime: Lifetime = .transient, key: Key<String> = Key()) -> Container {
    let container = Container()
    let entry = Entry.dynamic(String.self, tags: TagList(key.tagset), lifetime: lifetime) { arguments in
      arguments.count == 5 ? nil : "unboxed: " + arguments.map(show).joined(separator: ", ")
    } factory: { _, arguments in
      "boxed: " + arguments.map { "\(type(of: $0)) \($0)" }.joined(separator: ", ")
    }
    container.add(entry)
    return container
  }

  @Test("A factory reads unboxed arguments of any type and alignment in their order")
  func unboxed() throws {
    let container = Self.container()
    #expect(try container.resolve(String.self, args: Int32(1)) == "unboxed: Int32 1")
    #expect(
      try container.resolve(String.self, args: Int8(-1), 0.5, Int8(2), Int32(3))
        == "unboxed: Int8 -1, Double 0.5, Int8 2, Int32 3")
    #expect(
      try container.resolve(String.self, args: true, "a text that is too long to be kept in place", false)
        == "unboxed: Bool true, String a text that is too long to be kept in place, Bool false")
  }

  @Test("A dynamic entry is found by its tags or its key like any other registration")
  func tagged() throws {
    #expect(try Self.container(key: Key(tags: "a")).resolve(String.self, tags: "a", args: Int8(1)) == "unboxed: Int8 1")
    #expect(try Self.container(key: Key(tags: "a", 2)).resolve(String.self, tags: 2, "a", args: Int8(1)) == "unboxed: Int8 1")
    #expect(
      try Self.container(key: Key(tags: "a", 2, "c")).resolve(String.self, tags: "c", 2, "a", args: 0.5)
        == "unboxed: Double 0.5")
    #expect(try Self.container().resolve(key: Key<String>(), args: Int8(1)) == "unboxed: Int8 1")
    #expect(throws: ResolutionError.self) {
      try Self.container(key: Key(tags: "a", 2)).resolve(String.self, tags: 3, "a", args: 1)
    }
  }

  @Test("Arguments that a factory does not take unboxed are boxed, as are those of a singleton")
  func boxed() throws {
    #expect(
      try Self.container().resolve(String.self, args: 1, 2, 3, 4, 5) == "boxed: Int 1, Int 2, Int 3, Int 4, Int 5")
    #expect(try Self.container(.singleton).resolve(String.self, args: Int8(1)) == "boxed: Int8 1")
    #expect(try Self.container().resolve(String.self) == "boxed: ")
  }

  @Test("A resolve throws the error of a dynamic factory")
  func failure() throws {
    let container = Container()
    container.add(
      Entry.dynamic(Int.self, tags: TagList([]), lifetime: .transient) { _ in
        throw SampleError()
      } factory: { _, _ in
        0
      })
    #expect(throws: SampleError.self) { try container.resolve(Int.self, args: 1) }
  }

  @Test("An entry of a factory without arguments takes none")
  func plain() throws {
    let container = Container()
    container.add(Entry.plain(Int.self, tags: TagList(Key<Int>(tags: "a").tagset), lifetime: .transient) { _ in 7 })
    #expect(try container.resolve(Int.self, tags: "a") == 7)
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int.self, tags: "a", args: 1) }
    guard case .invalidArgsType = error.reason else {
      Issue.record("\(error.reason)")
      return
    }
  }
}
