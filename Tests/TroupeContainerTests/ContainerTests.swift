import Testing
import TroupeContainer

@Suite("The description of a container counts its registrations")
struct DescriptionTests {
  private struct Words: Assembly {
    func register(in registrar: any Registrar) {}
  }

  @Test("The description counts registrations, created singletons and unassembled assemblies in one line")
  func counts() throws {
    let container = Container()
    #expect("\(container)" == "Container (0 registrations)")
    container.register(Int.self) { _ in 1 }
    #expect("\(container)" == "Container (1 registration)")
    container.register(lifetime: .singleton) { _ in Instance() }
    container.register(assemblies: Words())
    #expect("\(container)" == "Container (2 registrations, 0 singletons made, 1 assembly not assembled)")
    _ = try container.resolve(Instance.self)
    #expect("\(container)" == "Container (2 registrations, 1 singleton made, 1 assembly not assembled)")
  }

  @Test("The description includes the parents and names scopes and the null container")
  func kinds() {
    let parent = Container()
    parent.register(Int.self) { _ in 1 }
    #expect("\(Container(parent: parent))" == "Container (0 registrations) in Container (1 registration)")
    #expect("\(parent.scope())" == "Scope (0 registrations) in Container (1 registration)")
    #expect("\(Container.null)" == "Container.null (0 registrations)")
  }
}

@Suite("The null container ignores registrations and finds nothing")
struct NullContainerTests {
  @Test("The null container ignores registrations and finds nothing, through every protocol it conforms to")
  func nothing() throws {
    let container: any Registrar & Resolver & Assembler = Container.null
    let key = container.register(Int.self, lifetime: .singleton) { _ in 1 }
    container.register(weak: Instance())
    container.annotated(metadata: 1).register(instance: "text")
    #expect(key == Key<Int>())
    #expect(container.find(Criteria<Int>()).isEmpty)
    #expect((container as any Resolver)[key] == nil)
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int.self) }
    #expect(error.key == key && error.reason.name == "notFound")
    #expect(try container.resolve(Int?.self) == nil)
    #expect(try container.resolve([Int].self).isEmpty)
    #expect(try container.resolve(keys: [key]).isEmpty)
    #expect(try container.resolve(ifPresent: Int.self) == nil)
    #expect(container.filter(Int.self).isEmpty)
    let lazy: LazyResolver<Int> = try container.resolve()
    #expect(throws: ResolutionError.self) { try lazy.resolve() }
    #expect(try container.resolve(LazyResolver<Int?>.self).resolve() == nil)
  }

  @Test("Asynchronous and main-actor resolves find nothing")
  @MainActor
  func contexts() async throws {
    Container.null.register(Int.self) { _ async in 1 }
    await #expect(throws: ResolutionError.self) { try await Container.null.resolve(Int.self) }
    #expect(try await Container.null.resolve(Int?.self) == nil)
    #expect(try Container.null.resolve([Int].self, isolation: MainActor.shared).isEmpty)
  }

  @Test("Batches, owners, subscripts and assemblies add nothing, and there is nothing to remove")
  func changes() async throws {
    struct Numbers: Assembly {
      func register(in registrar: any Registrar) { Issue.record("the assembly registered") }
    }
    let (null, other) = (Container.null, Container())
    let owner = Owner(name: "plugin")
    let batched = try null.batch { registrar in registrar.register(Int.self) { _ in 1 } }
    #expect(null[batched] == nil)
    null.registrar(owner: owner).register(Int.self) { _ in 1 }
    other.register(Int.self) { _ in 1 }
    null[Key<Int>()] = other[Key<Int>()]
    try await null.assemble(Numbers())
    #expect(null[Key<Int>()] == nil)
    #expect(null.unregister(owner: owner) == 0 && null.clear() == 0 && null.unregister(group: Group(1)) == 0)
    #expect(null.unregister(key: Key<Int>()) == 0)
  }

  @Test("A child of the null container has its own registrations")
  func parent() throws {
    let child = Container(parent: .null)
    child.register(Int.self) { _ in 1 }
    #expect(try child.resolve(Int.self) == 1)
    #expect(throws: ResolutionError.self) { try child.resolve(String.self) }
  }

  @Test("The null container releases the captures of a registration")
  func released() {
    weak var object: Instance?
    do {
      let instance = Instance()
      object = instance
      Container.null.register(Instance.self) { _ in instance }
    }
    #expect(object == nil)
  }
}
