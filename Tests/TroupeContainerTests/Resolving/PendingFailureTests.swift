import Synchronization
import Testing

@testable import TroupeContainer

@Suite("A failed load is an error of the resolve, and the next resolve repeats it", .timeLimit(.minutes(60)))
struct PendingFailureTests {
  private let container = Container()

  /// Registers a pending number.
  private func pend(_ tag: String, lifetime: Lifetime = .transient, load: @escaping @Sendable () throws -> Void) {
    container.add(.pending(Int.self, tags: TagList(Set(elements: tag)), lifetime: lifetime, argumentTypes: [], load: load))
  }

  @Test("The error of a load is thrown by every form of resolve")
  func thrown() async throws {
    pend("a") { throw SampleError() }
    let container = container
    let child = Container(parent: container)
    let key = Key<Int>(tags: "a")
    let attempts: [() throws -> Void] = [
      { _ = try container.resolve(Int.self, tags: "a") }, { _ = try container.resolve(key: key) },
      { _ = try container.resolve(Int.self, tags: "a", args: 1) }, { _ = try container.resolve(Int?.self, tags: "a") },
      { _ = try container.resolve([Int].self) }, { _ = try container.resolve(Set<Int>.self) },
      { _ = try LazyResolver<Int>(tags: "a", with: container).resolve() }, { _ = try child.resolve(Int.self, tags: "a") },
      { _ = try container.instance(of: #require(container[key]), arguments: []) },
    ]
    for attempt in attempts { #expect(throws: SampleError.self) { try attempt() } }
    await #expect(throws: SampleError.self) { try await container.resolve(Int.self, tags: "a") }
    await #expect(throws: SampleError.self) { try await container.resolve([Int].self) }
    await MainActor.run {
      for attempt in [
        { _ = try container.resolve(Int.self, isolation: MainActor.shared, tags: "a") },
        { _ = try container.resolve([Int].self, isolation: MainActor.shared) },
      ] as [@MainActor () throws -> Void] {
        #expect(throws: SampleError.self) { try attempt() }
      }
    }
  }

  @Test("The next resolve repeats a failed load")
  func again() throws {
    let loads = Counter()
    pend("a") { [container] in
      if loads.next() == 1 { throw SampleError() }
      container.register(Int.self, tags: "a") { _ in 1 }
    }
    #expect(throws: SampleError.self) { try container.resolve(Int.self, tags: "a") }
    #expect(try container.resolve(Int.self, tags: "a") == 1)
  }

  @Test("The first failed load fails an array, and later members are not loaded")
  func array() throws {
    let journal = Journal()
    pend("a") { [container] in
      journal.write("a")
      container.register(Int.self, tags: "a") { _ in 1 }
    }
    pend("b") {
      journal.write("b")
      throw SampleError()
    }
    pend("c") { journal.write("c") }
    #expect(throws: SampleError.self) { try container.resolve([Int].self) }
    #expect(journal.lines == ["a", "b"])
  }

  @Test("A resolution error of a load keeps its key, and a cancellation is thrown")
  func kept() throws {
    pend("a") { [container] in _ = try container.resolve(String.self) }
    pend("b") { throw CancellationError() }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int.self, tags: "a") }
    #expect(error.key == Key<String>())
    #expect(error.reason.name == "notFound")
    #expect(throws: CancellationError.self) { try container.resolve(Int.self, tags: "b") }
  }

  @Test("A registration that is still pending after its load is not found by any form of resolve")
  func stillPending() async throws {
    let loads = Counter()
    pend("a") { loads.next() }
    let container = container
    let attempts: [() throws -> Void] = [
      { _ = try container.resolve(Int.self, tags: "a") }, { _ = try container.resolve(Int?.self, tags: "a") },
      { _ = try container.resolve([Int].self) },
      { _ = try Container(parent: container).resolve(Int.self, tags: "a") },
      { _ = try container.instance(of: #require(container[Key<Int>(tags: "a")]), arguments: []) },
    ]
    for attempt in attempts {
      let error = try #require(throws: ResolutionError.self) { try attempt() }
      #expect(error.reason.name == "notFound")
      #expect(error.key == Key<Int>(tags: "a"))
      #expect(
        error.description
          == #"what was to register Swift.Int ["a"] was loaded and did not register it; check what its entry registers"#)
    }
    #expect(loads.count == attempts.count)
    let error = try await #require(throws: ResolutionError.self) { try await container.resolve(Int.self, tags: "a") }
    #expect(error.reason.name == "notFound")
  }

  @Test("A registration that is removed by its load is not found, and an optional of it is nil")
  func removedByLoad() throws {
    for _ in 0..<2 { pend("a") { [container] in container[Key<Int>(tags: "a")] = nil } }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int.self, tags: "a") }
    #expect(error.reason.name == "notFound")
    pend("a") { [container] in container[Key<Int>(tags: "a")] = nil }
    #expect(try container.resolve(Int?.self, tags: "a") == nil)
  }

  @Test("A registration that is pending again is loaded again, up to a limit")
  func pendingAnew() throws {
    let loads = Counter()
    @Sendable func pendAgain(_ container: Container, until last: Int) {
      container.add(
        .pending(Int.self, tags: TagList(Set(elements: "a")), lifetime: .transient, argumentTypes: []) {
          if loads.next() < last { return pendAgain(container, until: last) }
          container.register(Int.self, tags: "a") { _ in 7 }
        })
    }
    pendAgain(container, until: 10)
    #expect(try container.resolve(Int.self, tags: "a") == 7)
    #expect(loads.count == 10)
    pendAgain(container, until: .max)
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int.self, tags: "a") }
    #expect(error.reason.name == "notFound")
    let arrayError = try #require(throws: ResolutionError.self) { try container.resolve([Int].self) }
    #expect(arrayError.reason.name == "notFound")
  }

  @Test("A loaded factory that needs another context is an error with that context")
  func context() throws {
    _ = LazyPlugin(container) { $0.register(tags: "async") { _ async in 1 } }
    _ = LazyPlugin(container) { $0.register(isolation: MainActor.shared, tags: "main") { _ in 1 } }
    let asynchronous = try #require(throws: ResolutionError.self) { try container.resolve(Int.self, tags: "async") }
    #expect(asynchronous.reason.name == "requiresAsync")
    let isolated = try #require(throws: ResolutionError.self) { try container.resolve(Int.self, tags: "main") }
    #expect(isolated.reason.name == "requiresIsolation")
  }

  @Test("Arguments that the loaded factory does not take are invalid, as for any factory")
  func arguments() throws {
    let plugin = LazyPlugin(container) { $0.register(tags: "a") { (_: any Resolver, number: Int) in number } }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int.self, tags: "a", args: "text") }
    #expect(error.reason.name == "invalidArgsType")
    #expect(plugin.loads.count == 1)
    #expect(try container.resolve(Int.self, tags: "a", args: 1) == 1)
  }
}
