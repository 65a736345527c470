import Foundation
import Testing

@testable import TroupeContainer

@Suite("Some tags find a registration of a plugin if no other has them")
struct PartialTagsTests {
  private let container = Container()
  private let first = Owner(name: "org.example.first", allowsPartialTags: true)
  private let second = Owner(name: "org.example.second", allowsPartialTags: true)
  private let one = UUID()
  private let two = UUID()

  /// Registers words for both owners, which share the tag "word".
  private init() {
    container.registrar(owner: first).register(String.self, tags: one, "word", "first") { _ in "one" }
    container.registrar(owner: second).register(String.self, tags: two, "word", "second") { _ in "two" }
  }

  @Test("The UUID, a unique tag, and all tags find a registration")
  func found() throws {
    #expect(try container.resolve(String.self, tags: one) == "one")
    #expect(try container.resolve(String.self, tags: "second") == "two")
    #expect(try container.resolve(String.self, tags: two, "word") == "two")
    #expect(try container.resolve(String.self, tags: "word", one, "first") == "one")
    #expect(try container.resolve(key: Key<String>(tags: "first")) == "one")
    #expect(try container.resolve(String?.self, tags: "first") == "one")
    #expect(try container.resolve(ifPresent: String.self, tags: "second") == "two")
    #expect(try container.resolve(LazyResolver<String>.self, tags: "second").resolve() == "two")
    #expect(try Container(parent: container).resolve(String.self, tags: "first") == "one")
    let scope = container.scope()
    for _ in 0..<3 { #expect(try scope.resolve(String.self, tags: "first") == "one") }
  }

  @Test("Asynchronous resolves find a registration by some of its tags")
  func contexts() async throws {
    #expect(try await container.resolve(String.self, tags: "first") == "one")
    #expect(try await container.resolve(String?.self, tags: two) == "two")
  }

  @Test("Main-actor resolves find a registration by some of its tags")
  @MainActor
  func mainActor() throws {
    #expect(try container.resolve(String.self, isolation: .shared, tags: "first") == "one")
    #expect(try container.resolve(ifPresent: String.self, isolation: .shared, tags: two) == "two")
  }

  @Test("Two matches are an error that names both owners and UUIDs")
  func ambiguous() async throws {
    func expectAmbiguity(_ resolve: () throws -> Void) throws {
      let error = try #require(#expect(throws: ResolutionError.self) { try resolve() })
      guard case .error(let cause as AmbiguityError) = error.reason else { throw error }
      #expect(cause.key == AnyKey(String.self, tags: "word"))
      #expect(cause.matches.map(\.owner) == ["org.example.first", "org.example.second"])
      #expect(
        cause.matches.map(\.key) == [
          AnyKey(String.self, tags: "word", "first", one), AnyKey(String.self, tags: "word", "second", two),
        ])
      let (one, two) = (one.uuidString.lowercased(), two.uuidString.lowercased())
      #expect(
        error.description
          == "several registrations match Swift.String [\"word\"]: org.example.first as \(one), org.example.second as \(two); add the UUID of one of them to the tags"
      )
    }
    try expectAmbiguity { _ = try container.resolve(String.self, tags: "word") as String }
    try expectAmbiguity { _ = try container.resolve(String?.self, tags: "word") as String? }
    try expectAmbiguity { _ = try container.resolve(ifPresent: String.self, tags: "word") }
    await #expect(throws: ResolutionError.self) { try await container.resolve(String.self, tags: "word") as String }
  }

  @Test("A registration with exactly the tags takes precedence, in the container or a parent, with any owner")
  func exact() throws {
    container.register(String.self, tags: "word") { _ in "own" }
    #expect(try container.resolve(String.self, tags: "word") == "own")
    let child = Container(parent: container)
    child.registrar(owner: Owner(name: "org.example.third", allowsPartialTags: true))
      .register(String.self, tags: UUID(), "word") { _ in "three" }
    #expect(try child.resolve(String.self, tags: "word") == "own")
  }

  @Test("A request without tags finds the only registration")
  func untagged() throws {
    #expect(throws: ResolutionError.self) { try container.resolve(String.self) as String }
    container.unregister(owner: first)
    #expect(try container.resolve(String.self) == "two")
    #expect(container.explain(String.self).outcome == .instance)
    container.register(String.self) { _ in "own" }
    #expect(try container.resolve(String.self) == "own")
  }

  @Test("Partial tags do not apply to sets of keys, arrays and other owners")
  func unchanged() throws {
    #expect(try container.resolve(keys: [Key<String>(tags: "first")]).isEmpty)
    #expect(container[Key<String>(tags: "first")] == nil)
    #expect(try container.resolve([String].self, tags: "word") == ["one", "two"])
    container.register(Int.self, tags: "a", "b") { _ in 1 }
    container.registrar(owner: Owner(name: "service")).register(Int.self, tags: "c", "d") { _ in 2 }
    #expect(try container.resolve(Int?.self, tags: "a") == nil)
    #expect(try container.resolve(Int?.self, tags: "c") == nil)
    container.unregister(owner: first)
    #expect(try container.resolve(String.self, tags: "word") == "two")
    container.unregister(owner: second)
    #expect(try container.resolve(String?.self, tags: "word") == nil)
  }

  @Test("An override with the whole key takes precedence, and arguments must be those of the registration found")
  func overridden() throws {
    let child = Container(parent: container)
    child.register(String.self, tags: one, "word", "first") { _ in "overridden" }
    #expect(try child.resolve(String.self, tags: "first") == "overridden")
    container.registrar(owner: first).register(Double.self, tags: UUID(), "half") { (_, number: Double) in number / 2 }
    #expect(try container.resolve(Double.self, tags: "half", args: 3.0) == 1.5)
    let error = #expect(throws: ResolutionError.self) { try container.resolve(Double.self, tags: "half", args: "3") as Double }
    guard case .invalidArgsType? = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("A pending registration is loaded once")
  func pending() throws {
    let loads = Counter()
    let (container, owner, uuid) = (container, first, UUID())
    let pending = Entry.pending(
      Int.self, tags: TagList(Set(elements: uuid, "lazy")), lifetime: .singleton, argumentTypes: []
    ) {
      loads.next()
      container.registrar(owner: owner).register(Int.self, tags: uuid, "lazy", lifetime: .singleton) { _ in 7 }
    }
    container.add([pending], owner: owner)
    for _ in 0..<3 { #expect(try container.resolve(Int.self, tags: "lazy") == 7) }
    #expect(try container.resolve(Int.self, tags: uuid) == 7)
    #expect(loads.count == 1)
  }

  @Test("Validation and explanation find the same registration, and report an ambiguous dependency as missing")
  func validated() throws {
    #expect(container.explain(String.self, tags: "first").outcome == .instance)
    #expect(container.explain(String.self, tags: "word").outcome == .notFound)
    container.annotated(dependsOn: Key<String>(tags: "second")).register(Int.self) { _ in 1 }
    #expect(container.validate().problems.isEmpty)
    container.annotated(dependsOn: Key<String>(tags: "word")).register(Double.self) { _ in 1 }
    #expect(container.validate().problems.count == 1)
  }
}
