import Testing
@testable import TroupeContainer

@Suite("An owner unregisters its registrations together", .timeLimit(.minutes(60)))
struct OwnerTests {
  /// Registers a number under tags on behalf of an owner.
  private func register(_ number: Int, _ container: Container, _ owner: Owner?, lifetime: Lifetime = .transient) {
    let registrar: any Registrar = owner.map { container.registrar(owner: $0) } ?? container
    registrar.register(Int.self, tags: "number", number, lifetime: lifetime) { _ in number }
  }

  @Test("Unregistering an owner removes its registrations, returns their number and leaves the others")
  func unregister() throws {
    let container = Container()
    let (first, second) = (Owner(name: "plugin"), Owner(name: "plugin"))
    for number in 0..<5 { register(number, container, first) }
    for number in 5..<7 { register(number, container, second) }
    register(7, container, nil)
    #expect(try container.resolve([Int].self, tags: "number") == Array(0..<8))
    #expect(container.unregister(owner: first) == 5)
    #expect(try container.resolve([Int].self, tags: "number") == [5, 6, 7])
    #expect(container[Key<Int>(tags: "number", 0)] == nil)
    #expect(container.find(Criteria<Int>(op: .subset)).count == 3)
    #expect(container.unregister(owner: first) == 0)
    #expect(container.unregister(owner: second) == 2)
    #expect(try container.resolve([Int].self) == [7])
  }

  @Test("Unregistering an owner without registrations removes nothing")
  func nothing() {
    let container = Container()
    register(1, container, nil)
    #expect(container.unregister(owner: Owner(name: "plugin")) == 0)
    #expect(container[Key<Int>(tags: "number", 1)] != nil)
  }

  @Test("A registration belongs to its last registrant")
  func replaced() throws {
    let container = Container()
    let (first, second) = (Owner(name: "first"), Owner(name: "second"))
    register(1, container, first)
    register(1, container, second)
    register(2, container, second)
    register(2, container, nil)
    #expect(container.unregister(owner: first) == 0)
    #expect(container.unregister(owner: second) == 1)
    #expect(try container.resolve([Int].self) == [2])
  }

  @Test("Unregistering an owner releases its singletons")
  func released() throws {
    let container = Container()
    let owner = Owner(name: "plugin")
    container.registrar(owner: owner).register(Instance.self, lifetime: .singleton) { _ in Instance() }
    weak let instance = try container.resolve(Instance.self)
    #expect(instance != nil)
    container.unregister(owner: owner)
    #expect(instance == nil)
  }

  @Test("A singleton may use the container when it is deinitialized by unregistering or replacing")
  func deinitUsesContainer() throws {
    final class Closing: Sendable {
      let container: Container
      init(_ container: Container) { self.container = container }
      deinit { container.register(String.self) { _ in "closed" } }
    }
    let container = Container()
    let owner = Owner(name: "plugin")
    let key = Key<Closing>()
    for end in [
      { container[key] = nil }, { container.register(key: key) { [unowned container] _ in Closing(container) } },
      { container.unregister(owner: owner) },
    ] as [() -> Void] {
      container.registrar(owner: owner).register(key: key, lifetime: .singleton) { [unowned container] _ in Closing(container) }
      _ = try container.resolve(key: key)
      container[Key<String>()] = nil
      end()
      container.waitForReaders()
      #expect(try container.resolve(String.self) == "closed")
    }
  }

  @Test("Readers see all or none of an owner's registrations")
  func atomic() throws {
    let container = Container()
    let owner = Owner(name: "plugin")
    for number in 0..<1000 { register(number, container, owner) }
    let counts = try onThreads(3) { thread -> Set<Int> in
      if thread == 0 {
        container.unregister(owner: owner)
        return []
      }
      var seen: Set<Int> = []
      while !seen.contains(0) { seen.insert(container.find(Criteria<Int>(op: .subset, tags: "number")).count) }
      return seen
    }
    #expect(Set(counts.joined()).isSubset(of: [0, 1000]))
  }

  @Test("Unregistering an owner removes the registrations of its assemblies, which may be assembled again")
  func assemblies() async throws {
    struct Inner: Assembly {
      func register(in registrar: any Registrar) { registrar.register(Int.self, tags: "inner") { _ in 1 } }
    }
    struct Outer: Assembly {
      func register(in registrar: any Registrar) {
        registrar.register(assemblies: Inner())
        registrar.register(Int.self, tags: "outer") { _ in 2 }
      }
    }
    let container = Container()
    register(0, container, nil)
    for _ in 0..<2 {
      let owner = Owner(name: "plugin")
      container.registrar(owner: owner).register(assembly: Outer())
      try await container.assemble()
      #expect(container.find(Criteria<Int>(op: .subset)).count == 3)
      #expect(container.unregister(owner: owner) == 2)
      #expect(container.find(Criteria<Int>(op: .subset)).count == 1)
    }
    let owner = Owner(name: "plugin")
    container.registrar(owner: owner).register(assembly: Outer())
    container.unregister(owner: owner)
    try await container.assemble()
    #expect(container.find(Criteria<Int>(op: .subset)).count == 1)
  }

  @Test("Owners are equal only if they are identical, even with the same name")
  func identity() {
    let owner = Owner(name: "plugin")
    #expect(owner == owner)
    #expect(owner != Owner(name: "plugin"))
    #expect(Set([owner, owner, Owner(name: "plugin")]).count == 2)
    #expect("\(owner)" == "plugin")
  }
}
