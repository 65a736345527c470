import Foundation
import Testing
import TroupeContainer
import TroupeScopes

private final class Instance: Sendable {}
private final class Other: Sendable {
  let instance: Instance?
  init(_ instance: Instance? = nil) { self.instance = instance }
}

/// A type with the name of a type in another module.
private struct Data: Equatable, Sendable {}

@Suite("A builder builds independent containers of its registrations")
struct ScopedContainerTests {
  private let builder = ContainerBuilder()

  @Test("A registration after a build appears only in later builds")
  func frozen() {
    builder.transient { 1 }
    let first = builder.build()
    let scope = first.scope()
    builder.transient { 2 }
    builder.transient { "new" }
    let second = builder.build()
    for resolver: any DependencyResolutionScope in [first, scope, scope.scope(), first.scope()] {
      #expect(resolver.resolve(Int.self) == 1)
      #expect(resolver.tryResolve(String.self) == nil)
    }
    #expect(second.resolve(Int.self) == 2 && second.scope().resolve() == "new")
  }

  @Test("A factory without a scope parameter has no dependencies in validate()")
  func withoutScope() {
    builder.transient { 1 }
    builder.scoped(String.self) { "" }
    let registry: any DependencyRegistry = builder
    registry.singleton { Instance() }
    #expect(builder.build().container.validate().findings.isEmpty)
  }

  @Test("The descriptions of a builder and its containers have the number of registrations in one line")
  func printed() {
    builder.transient { 1 }
    let container = builder.build()
    #expect("\(builder)" == "ContainerBuilder of Container (1 registration)")
    #expect("\(container)" == "Container (1 registration)")
    #expect("\(container.scope())" == "Scope (0 registrations) in Container (1 registration)")
  }

  @Test("Two builds share no instance")
  func builds() {
    builder.singleton { Instance() }
    builder.scoped { Other() }
    let (first, second) = (builder.build(), builder.build())
    #expect(first.resolve(Instance.self) !== second.resolve(Instance.self))
    #expect(first.resolve(Other.self) !== second.resolve(Other.self))
    #expect(first.resolve(Instance.self) === first.scope().scope().resolve(Instance.self))
  }

  @Test("Types with one name from two modules or scopes are different types")
  func names() {
    do {
      struct Service: Sendable { let number: Int }
      builder.singleton { Service(number: 1) }
    }
    struct Service: Sendable { let number: Int }
    builder.singleton { Service(number: 2) }
    builder.singleton { Data() }
    builder.singleton { Foundation.Data([7]) }
    let container = builder.build()
    #expect(container.resolve(Service.self).number == 2)
    #expect(container.resolve(Data.self) == Data())
    #expect(container.resolve(Foundation.Data.self) == Foundation.Data([7]))
    #expect(container.container.registeredTypes.count == 4)
  }

  @Test("An optional of a registered type is the instance, and that of another type nil")
  func optionals() {
    builder.scoped { Instance() }
    let container = builder.build()
    let some: Instance? = container.resolve()
    #expect(some === container.resolve(Instance.self))
    let none: String? = container.resolve()
    #expect(none == nil)
    #expect(container.tryResolve(String.self) == nil)
    #expect(container.tryResolve(Instance.self) === some)
    let inferred: Instance? = container.tryResolve()
    #expect(inferred === some)
  }

  @Test("A scope has a constant, unique id")
  func ids() {
    let container = builder.build()
    let scope = container.scope()
    let nested = scope.scope()
    #expect(Set([container.id, scope.id, nested.id, container.scope().id, builder.build().id]).count == 5)
    #expect(scope.id == scope.id)
    builder.scoped(String.self) { $0.id }
    let root = builder.build()
    root.scope { #expect($0.resolve(String.self) == $0.id) }
    #expect(root.resolve(String.self) == root.id)
  }

  private final class Resource: Sendable {
    let name: String
    let journal: Journal

    init(_ name: String, _ journal: Journal) { (self.name, self.journal) = (name, journal) }
    deinit { journal.write(name) }
  }

  @Test("A closure's scope ends with the closure and releases its instances, the newest first")
  func closures() async throws {
    let journal = Journal()
    builder.scoped { Resource("needed", journal) }
    builder.scoped([Resource].self) { scope in [Resource("needs \(scope.resolve(Resource.self).name)", journal)] }
    let container = builder.build()
    let count = container.scope { scope in scope.resolve([Resource].self).count }
    #expect(count == 1)
    #expect(journal.lines == ["needs needed", "needed"])
    let id = await container.scope { scope in
      await Task.yield()
      _ = scope.resolve([Resource].self)
      return scope.id
    }
    #expect(id != container.id)
    #expect(journal.lines == ["needs needed", "needed", "needs needed", "needed"])
    struct TestError: Error {}
    #expect(throws: TestError.self) { try container.scope { _ in throw TestError() } }
    await #expect(throws: TestError.self) {
      try await container.scope { _ in
        await Task.yield()
        throw TestError()
      }
    }
  }

  @Test("A scope outlives the scope that created it")
  func outliving() {
    builder.scoped { Instance() }
    builder.singleton { scope in Other(scope.resolve()) }
    func make() -> any DependencyResolutionScope { builder.build().scope().scope() }
    let scope = make()
    #expect(scope.resolve(Instance.self) === scope.resolve(Instance.self))
    #expect(scope.resolve(Other.self).instance !== scope.resolve(Instance.self))
  }

  @Test("Concurrent tasks share one singleton across scopes, and each scope has one scoped instance")
  func concurrency() async {
    let (singletons, scoped) = (Counter(), Counter())
    builder.singleton { () -> Instance in
      singletons.next()
      return Instance()
    }
    builder.scoped { scope -> Other in
      scoped.next()
      return Other(scope.resolve())
    }
    let container = builder.build()
    let shared = container.scope()
    let builder = builder
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<32 {
        group.addTask {
          let own = container.scope()
          let first = own.resolve(Other.self)
          #expect(own.resolve(Other.self) === first)
          #expect(shared.resolve(Other.self) === shared.resolve(Other.self))
          #expect(own.resolve(Instance.self) === container.resolve(Instance.self))
          // Other tasks register and build at the same time.
          builder.transient { number }
          #expect(builder.build().tryResolve(Int.self) != nil)
        }
      }
    }
    #expect(singletons.count == 1)
    #expect(scoped.count == 33)
  }

  @Test("A ScopedContainer of a Container resolves its registrations")
  func wrappedContainer() throws {
    let container = Container()
    container.register(lifetime: .scoped) { _ in Instance() }
    container.register(Int.self, tags: "a") { _ in 1 }
    container.register(Int.self, tags: "b") { _ in 2 }
    let wrapper = ScopedContainer(container)
    #expect(try wrapper.resolve(Instance.self) === container.resolve(Instance.self))
    #expect(wrapper.resolve([Int].self) == [1, 2])
    #expect(try wrapper.container.resolve(Int.self, tags: "b") == 2)
  }
}

@Suite("A failed resolve of a scoped container ends the program with the reason")
struct FatalTests {
  private struct Missing {}

  /// Returns the standard error output of an ended process.
  private static func message(_ bytes: [UInt8]?) -> String { String(decoding: bytes ?? [], as: UTF8.self) }

  @Test("Resolving an unregistered type names the type, the dependency path and similar registrations")
  func missing() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let builder = ContainerBuilder()
      builder.scoped { scope -> Int in
        _ = scope.resolve(Missing.self)
        return 1
      }
      builder.transient { "text" }
      _ = builder.build().scope().resolve(Int.self)
    }
    let message = Self.message(result?.standardErrorContent)
    #expect(message.contains(".(Missing) cannot be resolved: nothing is registered as"))
    #expect(message.contains("dependency path: Swift.Int (TroupeScopesTests/ScopedContainerTests.swift:"))
    #expect(message.contains("registered are in all: Swift.Int, Swift.String"))
  }

  @Test("The error of an empty container states that nothing is registered")
  func empty() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ContainerBuilder().build().resolve(Missing.self)
    }
    let message = Self.message(result?.standardErrorContent)
    #expect(message.contains("nothing at all is registered"))
  }

  @Test("The error of a dependency cycle has its path, even if the dependency is optional")
  func cycle() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let builder = ContainerBuilder()
      builder.singleton { scope in scope.resolve(String.self).count }
      builder.scoped { scope in "\(scope.resolve(Double.self))" }
      builder.transient { scope in Double(scope.tryResolve(Int.self) ?? 0) }
      _ = builder.build().scope().resolve(Int.self)
    }
    let message = Self.message(result?.standardErrorContent)
    // The path without source locations.
    let names = message.replacing(#/ \([^)]*\)/#, with: "")
    #expect(names.contains("Swift.Int → Swift.String → Swift.Double → Swift.Int"))
  }
}
