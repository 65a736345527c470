import Testing

@testable import TroupeContainer

@Suite("A resolve by keys returns the instances in the order of the keys")
struct ResolveKeysTests {
  private let container = Container()

  @Test("The instances are in the order of the keys, without missing ones")
  func order() throws {
    let keys = (0..<4).map { number in container.register(Int.self, tags: number) { _ in number } }
    let wanted = [keys[3], Key(tags: "missing"), keys[0], keys[3]]
    #expect(try container.resolve(keys: wanted) == [3, 0, 3])
    #expect(try container.resolve(keys: [Key<Int>]()) == [])
    #expect(try container.resolve(keys: [Key<String>()]) == [])
    #expect(Set(try container.resolve(keys: container.find(Criteria<Int>(op: .subset)))) == [0, 1, 2, 3])
    #expect(try container.resolve(keys: [keys[1]: "a"].keys) == [1])
  }

  @Test("The errors of factories are thrown, including those of missing dependencies")
  func failure() throws {
    let first = container.register(Int.self) { _ in 1 }
    let faulty = container.register(Int.self, tags: "faulty") { _ in throw SampleError() }
    let lacking = container.register(Int.self, tags: "lacking") { try $0.resolve(Int.self, tags: "missing") }
    #expect(throws: SampleError.self) { try container.resolve(keys: [first, faulty]) }
    let other = try #require(throws: ResolutionError.self) { try container.resolve(keys: [first, lacking]) }
    #expect(other.key == Key<Int>(tags: "missing") && other.reason.name == "notFound")
  }

  @Test("Each factory receives the arguments, which choose among the registrations of a key")
  func arguments() throws {
    let key = container.register(String.self) { (_, number: Int) in "number \(number)" }
    container.register(String.self) { (_, text: String) in "text \(text)" }
    #expect(try container.resolve(keys: [key], args: 1) == ["number 1"])
    #expect(try container.resolve(keys: [key], args: "a") == ["text a"])
    #expect(throws: ResolutionError.self) { try container.resolve(keys: [key], args: 1.5) }
  }

  @Test("Keys of any types return each instance with its key")
  func anyKeys() throws {
    let number = AnyKey(container.register(Int.self) { _ in 1 })
    let text = AnyKey(container.register(String.self, tags: "a") { _ in "text" })
    let found = try container.resolve(keys: [text, AnyKey(Double.self), number])
    #expect(found.map(\.key) == [text, number])
    #expect(found[0].instance as? String == "text" && found[1].instance as? Int == 1)
    #expect(try container.resolve(key: text) as? String == "text")
    let error = try #require(throws: ResolutionError.self) { try container.resolve(key: AnyKey(Double.self)) as Any }
    #expect(error.key == Key<Double>() && error.reason.name == "notFound")
  }

  @Test("A child's registrations take precedence over those of its parent")
  func parents() throws {
    let child = Container(parent: container)
    let (both, above) = (Key<Int>(tags: "both"), Key<Int>(tags: "above"))
    container.register(key: both) { _ in 1 }
    container.register(key: above) { _ in 2 }
    child.register(key: both) { _ in 3 }
    #expect(try child.resolve(keys: [above, both]) == [2, 3])
  }

  @Test("Collections and optionals are resolved from their elements")
  func composites() throws {
    container.register(Int.self, tags: "a") { _ in 1 }
    #expect(try container.resolve(keys: [Key<[Int]>(tags: "a"), Key<[Int]>(tags: "b")]) == [[1], []])
    #expect(try container.resolve(keys: [Key<Int?>(tags: "a"), Key<Int?>(tags: "b")]) == [1, nil])
  }

  @Test("Asynchronous and main-actor registrations are resolved in their contexts")
  @MainActor
  func contexts() async throws {
    let late = container.register(Int.self, tags: "async", lifetime: .singleton) { _ async in 1 }
    let main = container.register(Int.self, isolation: MainActor.shared, tags: "main") { _ in 2 }
    #expect(try await container.resolve(keys: [main, Key(tags: "missing"), late]) == [2, 1])
    #expect(try await container.resolve(keys: [Key<[Int]>(tags: "main")]) == [[2]])
    #expect(try container.resolve(keys: [main, Key(tags: "missing")], isolation: MainActor.shared) == [2])
    let other = container.register(Int.self, tags: "other") { _ async in 3 }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(keys: [other], isolation: MainActor.shared) }
    #expect(error.reason.name == "requiresAsync")
  }

  @Test("Pending registrations are loaded first, and then all keys are looked up again")
  func pending() throws {
    let plugin = LazyPlugin(container) { registrar in
      for tag in ["a", "b"] { registrar.register(String.self, tags: tag) { _ in tag } }
    }
    #expect(try container.resolve(keys: [Key<String>(tags: "b"), Key(tags: "c"), Key(tags: "a")]) == ["b", "a"])
    #expect(plugin.loads.count <= 2)
  }
}
