import Synchronization
import Testing

@testable import TroupeContainer

@Suite("A load may use the container in every way", .timeLimit(.minutes(60)))
struct PendingLoadTests {
  private let container = Container()

  private func pend<T>(_ type: T.Type, load: @escaping @Sendable () throws -> Void) {
    container.add(.pending(type, tags: TagList([]), lifetime: .singleton, argumentTypes: [], load: load))
  }

  @Test("A load may register, unregister, assemble and resolve, also other pending registrations and inside factories")
  func everything() throws {
    let (first, second) = (Owner(name: "first"), Owner(name: "second"))
    container.add([.plain(Int.self, tags: TagList(Set(elements: "old")), lifetime: .singleton) { _ in 0 }], owner: second)
    pend(String.self) { [container] in
      container.register(Double.self, lifetime: .singleton) { resolver in Double(try resolver.resolve(Int.self)) }
      container.unregister(owner: second)
      try container.batch { registrar in registrar.register(Int.self, tags: 1) { _ in 1 } }
      let number = try container.resolve(Double.self)
      let entry = Entry.plain(String.self, tags: TagList([]), lifetime: .singleton) { _ in "\(number)" }
      container.replace(owner: nil, with: [entry], owner: first)
    }
    _ = LazyPlugin(container) { $0.register(Int.self) { _ in 7 } }
    container.register([String].self, lifetime: .singleton) { resolver in [try resolver.resolve(String.self)] }
    #expect(try container.resolve([String].self) == ["7.0"])
    #expect(try container.resolve([Int].self) == [7, 1])
  }

  @Test(
    "A singleton and a pending registration that need each other are a dependency cycle with its whole path",
    arguments: [Lifetime.transient, .singleton])
  func cycle(lifetime: Lifetime) async throws {
    pend(Int.self) { [container] in
      let text = try container.resolve(String.self)
      container.register { _ in text.count }
    }
    container.register(String.self, lifetime: lifetime) { resolver in "\(try resolver.resolve(Int.self))" }
    for attempt in [
      { [container] in _ = try container.resolve(String.self) }, { [container] in _ = try container.resolve([String].self) },
    ] as [() throws -> Void] {
      let error = try #require(throws: ResolutionError.self) { try attempt() }
      guard case .cycle(let keys) = error.reason else {
        Issue.record(error)
        return
      }
      #expect(keys == [AnyKey(Key<String>()), AnyKey(Key<Int>()), AnyKey(Key<String>())])
    }
    let error = try await #require(throws: ResolutionError.self) { try await container.resolve(String.self) }
    #expect(error.reason.name == "cycle")
    let other = try #require(throws: ResolutionError.self) { try container.resolve(Int.self) }
    #expect(other.reason.name == "cycle")
    container.register(String.self) { _ in "text" }
    #expect(try await container.resolve(Int.self) == 4)
  }

  @Test("A load does not wait for an asynchronous singleton that needs the loaded registration")
  func asynchronousCycle() async throws {
    pend(Int.self) { [container] in container.register { [text = try container.resolve([String].self)] _ in text.count } }
    let key = container.register(String.self, tags: "a", lifetime: .singleton) { resolver async throws in
      "\(try await resolver.resolve(Int.self))"
    }
    let error = try await #require(throws: ResolutionError.self) { try await container.resolve(key: key) }
    #expect(error.key == key)
    #expect(error.reason.name == "requiresAsync")
    container.register(key: key) { resolver in "\(try resolver.resolve(Int.self))" }
    let again = try await #require(throws: ResolutionError.self) { try await container.resolve(key: key) }
    #expect(again.reason.name == "cycle")
  }

  @Test("A load that resolves its own key, alone or in an array, is a dependency cycle")
  func itself() throws {
    let isArray = Atomic<Bool>(false)
    pend(Int.self) { [container] in
      if isArray.load(ordering: .relaxed) { _ = try container.resolve([Int].self) } else { _ = try container.resolve(Int.self) }
    }
    for _ in 0..<2 {
      for attempt in [
        { [container] in _ = try container.resolve(Int.self) }, { [container] in _ = try container.resolve([Int].self) },
      ] as [() throws -> Void] {
        let error = try #require(throws: ResolutionError.self) { try attempt() }
        #expect(error.reason.name == "cycle")
      }
      isArray.store(true, ordering: .relaxed)
    }
  }

  @Test("A load may resolve the registration that it has already replaced")
  func early() throws {
    pend(Int.self) { [container] in
      container.register(Int.self) { _ in 1 }
      let number = try container.resolve(Int.self)
      container.register(Int.self) { _ in number + 1 }
    }
    #expect(try container.resolve(Int.self) == 2)
  }

  @Test(
    "Two threads that each need the instance of the other throw the cycle if the load is a singleton")
  func mutualDependency() throws {
    // One thread loads and needs the singleton. The other creates the singleton and needs the loaded registration.
    struct Loaded: Sendable {}
    let loading = Container()
    let meeting = Rendezvous(2)
    loading.register(Loaded.self, lifetime: .singleton) { [container] _ in
      meeting.meet()
      _ = try container.resolve(String.self)
      container.register(Int.self) { _ in 1 }
      return Loaded()
    }
    pend(Int.self) { _ = try loading.resolve(Loaded.self) }
    container.register(String.self, lifetime: .singleton) { resolver in
      meeting.meet()
      return "\(try resolver.resolve(Int.self))"
    }
    let container = container
    let errors = try onThreads(2) { thread -> Substring? in
      do {
        if thread == 0 { _ = try container.resolve(Int.self) } else { _ = try container.resolve(String.self) }
        return nil
      } catch let error as ResolutionError {
        return error.reason.name
      }
    }
    #expect(errors == ["cycle", "cycle"])
  }

  @Test("Eight threads that trigger a load at the same time all receive the loaded instances")
  func together() throws {
    for round in 0..<200 {
      let container = Container()
      let plugin = LazyPlugin(container) { registrar in
        for number in 0..<4 { registrar.register(tags: number, lifetime: .singleton) { _ in Instance() } }
        registrar.register(Int.self) { resolver in try resolver.resolve([Instance].self).count }
      }
      let made = try onThreads(8) { thread -> [ObjectIdentifier] in
        switch (thread + round) % 3 {
        case 0: return try (0..<4).map { ObjectIdentifier(try container.resolve(Instance.self, tags: $0)) }
        case 1: return try container.resolve([Instance].self).map { ObjectIdentifier($0) }
        default:
          if try container.resolve(Int.self) != 4 { Issue.record("an array lacks a member") }
          return try container.resolve([Instance].self).map { ObjectIdentifier($0) }
        }
      }
      #expect(Set(made).count == 1)
      #expect(made[0].count == 4)
      #expect(plugin.loads.count >= 1)
    }
  }
}
