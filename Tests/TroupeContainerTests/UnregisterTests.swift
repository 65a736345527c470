import Testing

@testable import TroupeContainer

@Suite("Unregistering removes the registrations of keys, criteria and groups at once", .timeLimit(.minutes(60)))
struct UnregisterTests {
  private let container = Container()

  @Test("Unregistering a key removes its registrations with any arguments and no others")
  func key() throws {
    let key = container.register(Int.self, tags: "a") { _ in 1 }
    container.register(Int.self, tags: "a") { (_, number: Int) in number }
    container.register(Int.self, tags: "a", "b") { _ in 2 }
    container.register(String.self, tags: "a") { _ in "3" }
    #expect(container.unregister(key: key) == 2)
    #expect(container.unregister(key: key) == 0)
    #expect(container.unregister(key: AnyKey(String.self, tags: "a")) == 1)
    #expect(try container.resolve([Int].self) == [2])
    let any: any Keyed = Key<Int>(tags: "b", "a")
    #expect(container.unregister(key: any) == 1)
  }

  @Test("Unregistering ignores missing and repeated keys")
  func keys() throws {
    let keys = (0..<5).map { number in container.register(Int.self, tags: number) { _ in number } }
    container.register(String.self) { _ in "" }
    #expect(container.unregister(keys: [keys[0], keys[2], keys[0], Key(tags: "missing")]) == 2)
    #expect(try container.resolve([Int].self) == [1, 3, 4])
    #expect(container.unregister(keys: [AnyKey(keys[1]), AnyKey(String.self)]) == 2)
    #expect(container.unregister(keys: Set(keys)) == 2)
    #expect(container.unregister(keys: [Key<Int>]()) == 0)
  }

  @Test("Unregistering by criteria removes all matching keys")
  func criteria() throws {
    for number in 0..<4 { container.register(Int.self, tags: "number", number, number % 2 == 0) { _ in number } }
    container.register(Int.self, tags: "number") { _ in 4 }
    container.register(String.self, tags: "number") { _ in "" }
    #expect(container.unregister(Criteria<Int>(op: .subset, tags: true, "number")) == 2)
    #expect(container.unregister(Criteria<Int>(tags: "number")) == 1)
    #expect(container.unregister(Criteria<Int>()) == 0)
    #expect(container.unregister(Criteria<Double>(op: .subset)) == 0)
    #expect(container.unregister(Criteria<Int>(op: .subset)) == 2)
    #expect(try container.resolve(String.self, tags: "number") == "")
  }

  @Test("Clearing removes all registrations, returns their number and forgets assemblies, which may be assembled again")
  func clear() async throws {
    struct Numbers: Assembly {
      func register(in registrar: any Registrar) { registrar.register(instance: 1) }
    }
    struct Texts: Assembly {
      func register(in registrar: any Registrar) { registrar.register(instance: "text") }
    }
    let owner = Owner(name: "plugin")
    try await container.assemble(Numbers())
    container.register(assembly: Texts())
    container.registrar(owner: owner).register(Int.self, tags: "owned") { _ in 2 }
    #expect(container.clear() == 2)
    #expect(container.clear() == 0)
    #expect(container.unregister(owner: owner) == 0)
    try await container.assemble()
    #expect(container.find(Criteria<String>()).isEmpty && container.find(Criteria<Int>(op: .subset)).isEmpty)
    try await container.assemble(Numbers())
    #expect(try await container.resolve(Int.self) == 1)
  }

  @Test("Unregistering in a child does not affect its parent's registrations")
  func parent() throws {
    let child = Container(parent: container)
    let key = container.register(Int.self) { _ in 1 }
    child.register(Int.self) { _ in 2 }
    #expect(child.unregister(key: key) == 1)
    #expect(child.unregister(keys: [key]) == 0)
    #expect(child.unregister(Criteria<Int>(op: .subset)) == 0)
    #expect(child.clear() == 0)
    #expect(try child.resolve(Int.self) == 1)
  }

  @Test("Unregistering releases instances, including those of caches, the newest first")
  func disposal() throws {
    final class Resource: Sendable {
      let name: String
      let journal: Journal
      init(_ name: String, _ journal: Journal) { (self.name, self.journal) = (name, journal) }
      deinit { journal.write(name) }
    }
    let journal = Journal()
    for name in ["a", "b", "c"] {
      container.register(Resource.self, tags: name, lifetime: .singleton) { _ in Resource(name, journal) }
    }
    container.annotated(cached: false).register(Resource.self, tags: "d") { _ in Resource("d", journal) }
    _ = try container.resolve(Resource.self, tags: "b")
    _ = try container.resolve(key: Key<Resource>(tags: "d"), cached: true)
    _ = try container.resolve(Resource.self, tags: "a")
    _ = try container.resolve(Resource.self, tags: "c")
    #expect(container.unregister(Criteria<Resource>(op: .subset)) == 4)
    #expect(journal.lines == ["c", "a", "d", "b"])
  }

  @Test("Readers see all or none of the keys that are unregistered together")
  func atomic() throws {
    let end = Counter()
    let keys = (0..<20).map { Key<Int>(tags: "many", $0) }
    let seen = try onThreads(4) { thread -> Set<Int> in
      if thread == 0 {
        for round in 0..<150 {
          try container.batch { registrar in for key in keys { registrar.register(key: key) { _ in 1 } } }
          let count =
            switch round % 3 {
            case 0: container.unregister(keys: keys)
            case 1: container.unregister(Criteria<Int>(op: .subset, tags: "many"))
            default: container.clear()
            }
          if count != 20 { Issue.record("\(count) were unregistered") }
        }
        end.next()
        return []
      }
      var seen: Set<Int> = []
      while end.count == 0 { seen.insert(try container.resolve(keys: keys).count) }
      return seen
    }
    #expect(Set(seen.joined()).isSubset(of: [0, 20]))
  }
}
