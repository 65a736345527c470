import Testing
import TroupeContainer

/// An instance that records the dependency it was created with.
private struct Report: Sendable, Equatable { let text: String }

@Suite("A child inherits the registrations of its parents and overrides them", .timeLimit(.minutes(60)))
struct NestedContainerTests {
  private let parent = Container()
  private let child: Container

  init() {
    child = Container(parent: parent)
  }

  @Test("A child inherits the registrations of its parents, in every context and by key")
  func inherited() async throws {
    let grandchild = Container(parent: child)
    parent.register(Int.self) { _ in 1 }
    parent.register(String.self) { (_, number: Int) async in "\(number)" }
    parent.register(isolation: MainActor.shared) { _ in Report(text: "main") }
    #expect(try { try grandchild.resolve(Int.self) }() == 1)
    #expect(try await grandchild.resolve(key: Key<String>(), args: 7) == "7")
    #expect(try await MainActor.run { try grandchild.resolve(Report.self, isolation: MainActor.shared).text } == "main")
    #expect(try { try grandchild.resolve(Int?.self) }() == 1)
    #expect(grandchild.find(Criteria<Int>()) == [Key<Int>()])
    #expect(grandchild[Key<Int>()] === parent[Key<Int>()])
    #expect(grandchild[AnyKey(Int.self)] != nil)
    #expect((grandchild as any Resolver)[Key<Int>()] != nil)
  }

  @Test("A parent does not see the registrations of its child")
  func upwards() throws {
    child.register(Int.self) { _ in 1 }
    #expect(try parent.resolve(Int?.self) == nil)
    #expect(try parent.resolve([Int].self) == [])
    #expect(parent.find(Criteria<Int>(op: .subset)) == [])
    #expect(parent[Key<Int>()] == nil)
    let error = try #require(throws: ResolutionError.self) { try parent.resolve(Int.self) }
    #expect(error.reason.name == "notFound")
  }

  @Test("A child overrides the same key, and unregistering there restores the parent's registration")
  func override() throws {
    let key = parent.register(Int.self, tags: "a") { _ in 1 }
    child.register(Int.self, tags: "a") { _ in 2 }
    child.register(Int.self) { _ in 3 }
    #expect(try child.resolve(key: key) == 2)
    #expect(try parent.resolve(key: key) == 1)
    child[key] = nil
    #expect(try child.resolve(key: key) == 1)
    #expect(try child.resolve(Int.self) == 3)
    child[key] = nil
    #expect(try parent.resolve(key: key) == 1)
  }

  @Test("A registration with the same key but other arguments is not an override")
  func otherArguments() throws {
    parent.register(String.self) { (_, number: Int) in "parent \(number)" }
    child.register(String.self) { (_, text: String) in "child \(text)" }
    #expect(try child.resolve(String.self, args: 1) == "parent 1")
    #expect(try child.resolve(String.self, args: "a") == "child a")
    let error = try #require(throws: ResolutionError.self) { try child.resolve(String.self, args: true) }
    #expect(error.reason.name == "invalidArgsType")
  }

  @Test("An array merges both in the order of registration, with the child's override in place of the parent's")
  func array() async throws {
    parent.register(Int.self, tags: "n", 1) { _ in 1 }
    child.register(Int.self, tags: "n", 2) { _ in 2 }
    parent.register(Int.self, tags: "n", 3, lifetime: .singleton) { _ in 3 }
    child.register(Int.self, tags: "n", 1) { _ in 10 }
    parent.register(Int.self, tags: "other") { _ in 4 }
    #expect(try { try child.resolve([Int].self, tags: "n") }() == [2, 3, 10])
    #expect(try { try child.resolve([Int].self) }() == [2, 3, 10, 4])
    #expect(try { try parent.resolve([Int].self, tags: "n") }() == [1, 3])
    #expect(try await child.resolve([Int].self, tags: "n") == [2, 3, 10])
    #expect(try await MainActor.run { try child.resolve([Int].self, isolation: MainActor.shared, tags: "n") } == [2, 3, 10])
    #expect(try { try child.resolve(Set<Int>.self, tags: "n") }() == [2, 3, 10])
    #expect(child.find(Criteria<Int>(op: .subset, tags: "n")).count == 3)
  }

  @Test("An array of created singletons merges as well")
  func builtArray() throws {
    parent.register(Instance.self, tags: 1, lifetime: .singleton) { _ in Instance() }
    parent.register(Instance.self, tags: 2, lifetime: .singleton) { _ in Instance() }
    child.register(Instance.self, tags: 2, lifetime: .singleton) { _ in Instance() }
    let first = try child.resolve([Instance].self).map { ObjectIdentifier($0) }
    #expect(try child.resolve([Instance].self).map { ObjectIdentifier($0) } == first)
    #expect(try parent.resolve([Instance].self).map { ObjectIdentifier($0) }.first == first.first)
    #expect(try parent.resolve([Instance].self).map { ObjectIdentifier($0) }.last != first.last)
    #expect(first.count == 2)
  }

  @Test("A parent's singleton is shared by all children and created with the parent's dependencies")
  func parentSingleton() async throws {
    parent.register(tags: "name", instance: "parent")
    child.register(tags: "name", instance: "child")
    parent.register(tags: "sync", lifetime: .singleton) { resolver in Report(text: try resolver.resolve(tags: "name")) }
    parent.register(tags: "async", lifetime: .singleton) { resolver async throws in
      Report(text: try await resolver.resolve(tags: "name"))
    }
    parent.register(isolation: MainActor.shared, tags: "main", lifetime: .singleton) { resolver in
      Report(text: try resolver.resolve(tags: "name"))
    }
    parent.register(tags: "main too", lifetime: .singleton) { resolver in Report(text: try resolver.resolve(tags: "name")) }
    #expect(try { try child.resolve(Report.self, tags: "sync") }().text == "parent")
    #expect(try await child.resolve(Report.self, tags: "async").text == "parent")
    for tag in ["main", "main too"] {
      let report = try await MainActor.run { try child.resolve(Report.self, isolation: MainActor.shared, tags: tag) }
      #expect(report.text == "parent")
    }
    parent.register(Instance.self, lifetime: .singleton) { _ in Instance() }
    #expect(try { try child.resolve(Instance.self) === Container(parent: parent).resolve(Instance.self) }())
  }

  @Test("A parent's singleton that is created for a child's array does not use the child's registrations")
  func parentSingletonInArray() throws {
    parent.register(tags: "name", instance: "parent")
    child.register(tags: "name", instance: "child")
    parent.register(tags: 1, lifetime: .singleton) { resolver in Report(text: try resolver.resolve(tags: "name")) }
    parent.register(tags: 2) { resolver in Report(text: try resolver.resolve(tags: "name")) }
    #expect(try child.resolve([Report].self).map(\.text) == ["parent", "child"])
  }

  @Test("A parent's transient that is resolved through a child uses the child's overrides at any depth")
  func parentTransient() async throws {
    parent.register(tags: "name", instance: "parent")
    child.register(tags: "name", instance: "child")
    parent.register(tags: "inner") { resolver in Report(text: try resolver.resolve(tags: "name")) }
    parent.register(tags: "sync") { resolver in Report(text: try resolver.resolve(Report.self, tags: "inner").text) }
    parent.register(tags: "args") { (resolver, end: String) in Report(text: try resolver.resolve(tags: "name") + end) }
    parent.register(tags: "async") { resolver async throws in Report(text: try await resolver.resolve(tags: "name")) }
    parent.register(isolation: MainActor.shared, tags: "main") { resolver in Report(text: try resolver.resolve(tags: "name")) }
    #expect(try { try child.resolve(Report.self, tags: "sync") }().text == "child")
    #expect(try { try child.resolve(Report.self, tags: "args", args: "!") }().text == "child!")
    #expect(try await child.resolve(Report.self, tags: "async").text == "child")
    #expect(try await child.resolve(Report.self, tags: "main").text == "child")
    #expect(try { try parent.resolve(Report.self, tags: "sync") }().text == "parent")
  }

  @Test("A child's singleton may depend on the parent's singletons and on the one that it overrides")
  func childSingleton() throws {
    parent.register(Int.self, lifetime: .singleton) { _ in 1 }
    child.register(String.self, lifetime: .singleton) { resolver in "\(try resolver.resolve(Int.self))" }
    #expect(try child.resolve(String.self) == "1")
    // An override that resolves the overridden key from the parent is not a dependency cycle.
    child.register(Int.self, lifetime: .singleton) { [parent] _ in try parent.resolve(Int.self) + 1 }
    #expect(try child.resolve(Int.self) == 2)
  }

  @Test("A child retains its parent")
  func lifetime() throws {
    func make() -> Container {
      let parent = Container()
      parent.register(Int.self) { _ in 7 }
      return Container(parent: parent)
    }
    #expect(try make().resolve(Int.self) == 7)
  }

  @Test(
    "Threads resolve through a child while another thread registers and unregisters in the parent")
  func threads() throws {
    let (parent, child) = (parent, child)
    parent.register(Int.self, tags: "fixed") { _ in 1 }
    _ = try onThreads(4) { thread in
      for round in 0..<200 {
        if thread == 0 {
          let key = parent.register(Int.self, tags: "fixed", round) { _ in 2 }
          parent[key] = nil
        } else {
          let all = try child.resolve([Int].self, tags: "fixed")
          if all != [1] && all != [1, 2] { throw SampleError() }
          if try child.resolve(Int.self, tags: "fixed") != 1 { throw SampleError() }
        }
      }
    }
  }

  @Test("An array of 20,000 registrations each of a child and its parent is merged in order")
  func manyOverrides() throws {
    let parent = Container()
    let child = Container(parent: parent)
    for (container, offset) in [(parent, 0), (child, 10_000)] {
      try container.batch { registrar in
        for number in 0..<20_000 { registrar.register(Int.self, tags: "all", offset + number) { _ in offset + number } }
      }
    }
    let numbers = try child.resolve([Int].self, tags: "all")
    #expect(numbers.count == 30_000)
    #expect(numbers == Array(0..<30_000))
  }

  @Test("In every context, a parent's singleton uses the parent's dependencies, and a parent's transient the child's")
  func homes() async throws {
    for lifetime in [Lifetime.transient, .singleton] {
      let parent = Container()
      let child = Container(parent: parent)
      parent.register(Int.self) { _ in 1 }
      child.register(Int.self) { _ in 2 }
      parent.register(String.self, tags: "sync", lifetime: lifetime) { resolver in "\(try resolver.resolve(Int.self))" }
      parent.register(String.self, tags: "async", lifetime: lifetime) { resolver async throws in
        "\(try await resolver.resolve(Int.self))"
      }
      parent.register(String.self, isolation: MainActor.shared, tags: "main", lifetime: lifetime) { resolver in
        "\(try resolver.resolve(Int.self, isolation: MainActor.shared))"
      }
      let expected = lifetime == .singleton ? "1" : "2"
      for tag in ["sync", "async", "main"] {
        #expect(try await child.resolve(String.self, tags: tag) == expected)
        #expect(try await child.resolve([String].self, tags: tag) == [expected])
        #expect(try await child.resolve(String?.self, tags: tag) == expected)
        #expect(try await parent.resolve(String.self, tags: tag) == "1")
      }
    }
  }
}
