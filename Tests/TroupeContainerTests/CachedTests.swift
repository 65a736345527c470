import Testing

@testable import TroupeContainer

@Suite("Cached registrations and their override")
struct CachedTests {
  private let container = Container()
  private let count = Counter()

  @Test("What is cached is made once, and a resolve that overrides it leaves the cache alone")
  func cached() throws {
    let key = container.register(Int.self, cached: true) { [count] _ in count.next() }
    #expect(try container.resolve(Int.self, cached: false) == 1)
    #expect(try container.resolve(Int.self) == 2)
    #expect(try container.resolve(Int.self) == 2)
    #expect(try container.resolve(Int.self, cached: false) == 3)
    #expect(try container.resolve(Int.self, cached: true) == 2)
    #expect(try container.resolve(key: key, cached: false) == 4)
    #expect(try container.resolve(Int.self) == 2)
    #expect(container[key]?.lifetime == .singleton)
  }

  @Test("What is not cached is made each time, but for who wants it cached, who fills and uses the cache")
  func uncached() throws {
    let key = container.register(Int.self, tags: "a", cached: false) { [count] _ in count.next() }
    #expect(try container.resolve(Int.self, tags: "a") == 1)
    #expect(try container.resolve(Int.self, tags: "a", cached: true) == 2)
    #expect(try container.resolve(Int.self, tags: "a") == 3)
    #expect(try container.resolve(Int.self, tags: "a", cached: true) == 2)
    #expect(try container.resolve(Int.self, tags: "a", cached: false) == 4)
    #expect(container[key]?.lifetime == .transient)
    #expect(try container.resolve([Int].self) == [5])
  }

  @Test("Any other registration ignores the override")
  func ignored() throws {
    container.register(Int.self, lifetime: .singleton) { [count] _ in count.next() }
    container.register(Int.self, tags: "transient") { [count] _ in count.next() }
    #expect(try container.resolve(Int.self, cached: false) == 1)
    #expect(try container.resolve(Int.self, cached: false) == 1)
    #expect(try container.resolve(Int.self, tags: "transient", cached: true) == 2)
    #expect(try container.resolve(Int.self, tags: "transient", cached: true) == 3)
    #expect(throws: ResolutionError.self) { try container.resolve(String.self, cached: true) }
  }

  @Test("The override reaches the members of arrays and what an optional is, and nothing that a factory resolves")
  func reach() throws {
    container.register(Int.self, cached: true) { [count] _ in count.next() }
    container.register(Int.self, tags: "plain", lifetime: .singleton) { _ in 0 }
    #expect(try container.resolve([Int].self) == [1, 0])
    #expect(try container.resolve([Int].self, cached: false) == [2, 0])
    #expect(try container.resolve([Int].self) == [1, 0])
    #expect(try container.resolve(Int?.self, cached: false) == 3)
    container.register(String.self, cached: true) { "\(try $0.resolve(Int.self))" }
    #expect(try container.resolve(String.self, cached: false) == "1")
  }

  @Test("With arguments the cache ignores them once it is filled")
  func arguments() throws {
    container.register(String.self, cached: true) { (_, number: Int) in "\(number)" }
    #expect(try container.resolve(String.self, args: 1) == "1")
    #expect(try container.resolve(String.self, args: 2) == "1")
    #expect(try container.resolve(String.self, args: 3, cached: false) == "3")
    let error = try #require(throws: ResolutionError.self) { try container.resolve(String.self, args: "a", cached: false) }
    #expect(error.reason.name == "invalidArgsType")
    #expect(error.description.components(of: "(Swift.Int)") == 1)
    #expect(try container.resolve(String.self, args: "a") == "1")
  }

  @Test("Asynchronous and main actor registrations can be overridden as well")
  @MainActor
  func contexts() async throws {
    container.register(Int.self, cached: true) { [count] _ async in count.next() }
    container.register(Int.self, isolation: MainActor.shared, tags: "main", cached: false) { [count] _ in count.next() }
    #expect(try await container.resolve(Int.self) == 1)
    #expect(try await container.resolve(Int.self, cached: false) == 2)
    #expect(try await container.resolve(Int.self, cached: true) == 1)
    #expect(try container.resolve(Int.self, isolation: MainActor.shared, tags: "main", cached: true) == 3)
    #expect(try container.resolve(Int.self, isolation: MainActor.shared, tags: "main") == 4)
    #expect(try await container.resolve(Int.self, tags: "main", cached: true) == 3)
    #expect(try await container.resolve([Int].self, cached: true) == [1, 3])
  }

  @Test("Copies have caches of their own, also under another type")
  func copies() throws {
    let key = container.register(Int.self, cached: true) { [count] _ in count.next() }
    #expect(try container.resolve(Int.self) == 1)
    container[Key<Int>(tags: "copy")] = container[key]
    container[Key<Any>()] = container[key]
    #expect(try container.resolve(Int.self, tags: "copy") == 2)
    #expect(try container.resolve(Int.self, tags: "copy", cached: false) == 3)
    #expect(try container.resolve(Any.self) as? Int == 4)
    #expect(try container.resolve(Any.self, cached: false) as? Int == 5)
    #expect(try container.resolve(Any.self) as? Int == 4)
    #expect(try container.resolve(Int.self) == 1)
  }

  @Test("A parent's cache is filled with what the parent has; without it a child's registrations are seen")
  func parent() throws {
    let child = Container(parent: container)
    container.register(String.self, cached: true) { "\(try $0.resolve(Int.self))" }
    container.register(Int.self) { _ in 1 }
    child.register(Int.self) { _ in 2 }
    #expect(try child.resolve(String.self, cached: false) == "2")
    #expect(try child.resolve(String.self) == "1")
  }

  @Test("What throws is not cached")
  func failure() throws {
    container.register(Int.self, cached: false) { [count] _ in
      if count.next() == 1 { throw Fault() }
      return count.count
    }
    #expect(throws: Fault.self) { try container.resolve(Int.self, cached: true) }
    #expect(try container.resolve(Int.self, cached: true) == 2)
    #expect(try container.resolve(Int.self, cached: true) == 2)
  }

  @Test("A ring is an error, cached or not", arguments: [true, false], [true, false])
  func ring(isCached: Bool, override: Bool) throws {
    container.register(Int.self, cached: isCached) { try $0.resolve(String.self, cached: override).count }
    container.register(String.self, cached: isCached) { "\(try $0.resolve(Int.self, cached: override))" }
    for cached in [true, false] {
      let error = try #require(throws: ResolutionError.self) { try container.resolve(Int.self, cached: cached) }
      #expect(error.reason.name == "cycle")
    }
  }

  @Test("Many threads fill a cache once, while others go past it", .timeLimit(.minutes(10)))
  func threads() throws {
    for round in 0..<50 {
      let key = container.register(Instance.self, tags: round, cached: round % 2 == 0) { _ in Instance() }
      let meeting = Rendezvous(8)
      let made = try onThreads(8) { thread in
        meeting.meet()
        return try container.resolve(key: key, cached: thread % 2 == 0)
      }
      #expect(Set(made.enumerated().filter { $0.offset % 2 == 0 }.map { ObjectIdentifier($0.element) }).count == 1)
      #expect(Set(made.map { ObjectIdentifier($0) }).count == 5)
    }
  }

  @Test("Nobody is taken to wait in a ring for a factory that runs past the cache", .timeLimit(.minutes(10)))
  func noFalseRing() throws {
    // One thread runs the factory of A past the cache and waits for B, which another one makes, who waits for A's cached instance,
    // which a third makes and which needs nothing. There is no ring.
    for _ in 0..<100 {
      let container = Container()
      let meeting = Rendezvous(3)
      container.register(Int.self, tags: "other") { _ in 1 }
      container.register(Int.self, tags: "A", cached: true) { (resolver: any Resolver, isPastCache: Bool) in
        meeting.meet()
        if isPastCache { return try resolver.resolve(Int.self, tags: "B") }
        // Long enough for the others to wait for each other.
        return try (0..<1000).reduce(0) { sum, _ in try sum + resolver.resolve(Int.self, tags: "other") }
      }
      container.register(Int.self, tags: "B", lifetime: .singleton) { resolver in
        meeting.meet()
        return try resolver.resolve(Int.self, tags: "A", args: false) + 1
      }
      let made = try onThreads(3) { thread in
        switch thread {
        case 0: try container.resolve(Int.self, tags: "A", args: true, cached: false)
        case 1: try container.resolve(Int.self, tags: "B")
        default: try container.resolve(Int.self, tags: "A", args: false)
        }
      }
      #expect(made == [1001, 1001, 1000])
    }
  }
}

extension String {
  /// How often a text is in it.
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
