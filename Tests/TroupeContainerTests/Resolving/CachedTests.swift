import Testing

@testable import TroupeContainer

@Suite("A resolve uses or bypasses the cache of a cached registration", .timeLimit(.minutes(60)))
struct CachedTests {
  private let container = Container()
  private let count = Counter()

  @Test("A cached registration creates one instance, and a resolve past the cache leaves it unchanged")
  func cached() throws {
    let key = container.annotated(cached: true).register(Int.self) { [count] _ in count.next() }
    #expect(try container.resolve(key: Key<Int>(), cached: false) == 1)
    #expect(try container.resolve(Int.self) == 2)
    #expect(try container.resolve(Int.self) == 2)
    #expect(try container.resolve(key: Key<Int>(), cached: false) == 3)
    #expect(try container.resolve(key: Key<Int>(), cached: true) == 2)
    #expect(try container.resolve(key: key, cached: false) == 4)
    #expect(try container.resolve(Int.self) == 2)
    #expect(container[key]?.lifetime == .singleton)
  }

  @Test("Only a resolve with cached: true fills and uses the cache of an uncached registration")
  func uncached() throws {
    let key = container.annotated(cached: false).register(Int.self, tags: "a") { [count] _ in count.next() }
    #expect(try container.resolve(Int.self, tags: "a") == 1)
    #expect(try container.resolve(key: Key<Int>(tags: "a"), cached: true) == 2)
    #expect(try container.resolve(Int.self, tags: "a") == 3)
    #expect(try container.resolve(key: Key<Int>(tags: "a"), cached: true) == 2)
    #expect(try container.resolve(key: Key<Int>(tags: "a"), cached: false) == 4)
    #expect(container[key]?.lifetime == .transient)
    #expect(try container.resolve([Int].self) == [5])
  }

  @Test("Registrations without a cache setting ignore the override")
  func ignored() throws {
    container.register(Int.self, lifetime: .singleton) { [count] _ in count.next() }
    container.register(Int.self, tags: "transient") { [count] _ in count.next() }
    #expect(try container.resolve(key: Key<Int>(), cached: false) == 1)
    #expect(try container.resolve(key: Key<Int>(), cached: false) == 1)
    #expect(try container.resolve(key: Key<Int>(tags: "transient"), cached: true) == 2)
    #expect(try container.resolve(key: Key<Int>(tags: "transient"), cached: true) == 3)
    #expect(throws: ResolutionError.self) { try container.resolve(key: Key<String>(), cached: true) }
  }

  @Test("The override applies to members of arrays and to optionals, but not to resolves inside a factory")
  func reach() throws {
    container.annotated(cached: true).register(Int.self) { [count] _ in count.next() }
    container.register(Int.self, tags: "plain", lifetime: .singleton) { _ in 0 }
    #expect(try container.resolve([Int].self) == [1, 0])
    #expect(try container.resolve(key: Key<[Int]>(), cached: false) == [2, 0])
    #expect(try container.resolve([Int].self) == [1, 0])
    #expect(try container.resolve(key: Key<Int?>(), cached: false) == 3)
    container.annotated(cached: true).register(String.self) { "\(try $0.resolve(Int.self))" }
    #expect(try container.resolve(key: Key<String>(), cached: false) == "1")
  }

  @Test("A filled cache ignores arguments")
  func arguments() throws {
    container.annotated(cached: true).register(String.self) { (_, number: Int) in "\(number)" }
    #expect(try container.resolve(String.self, args: 1) == "1")
    #expect(try container.resolve(String.self, args: 2) == "1")
    #expect(try container.resolve(key: Key<String>(), args: 3, cached: false) == "3")
    let error = try #require(throws: ResolutionError.self) {
      try container.resolve(key: Key<String>(), args: "a", cached: false)
    }
    #expect(error.reason.name == "invalidArgsType")
    #expect(error.description.components(of: "(Swift.Int)") == 1)
    #expect(try container.resolve(String.self, args: "a") == "1")
  }

  @Test("The override applies to asynchronous and main-actor registrations")
  @MainActor
  func contexts() async throws {
    container.annotated(cached: true).register(Int.self) { [count] _ async in count.next() }
    container.annotated(cached: false).register(Int.self, isolation: MainActor.shared, tags: "main") { [count] _ in count.next()
    }
    #expect(try await container.resolve(Int.self) == 1)
    #expect(try await container.resolve(key: Key<Int>(), cached: false) == 2)
    #expect(try await container.resolve(key: Key<Int>(), cached: true) == 1)
    #expect(try container.resolve(key: Key<Int>(tags: "main"), isolation: MainActor.shared, cached: true) == 3)
    #expect(try container.resolve(Int.self, isolation: MainActor.shared, tags: "main") == 4)
    #expect(try await container.resolve(key: Key<Int>(tags: "main"), cached: true) == 3)
    #expect(try await container.resolve(key: Key<[Int]>(), cached: true) == [1, 3])
  }

  @Test("Copies have their own caches, also under another type")
  func copies() throws {
    let key = container.annotated(cached: true).register(Int.self) { [count] _ in count.next() }
    #expect(try container.resolve(Int.self) == 1)
    container[Key<Int>(tags: "copy")] = container[key]
    container[Key<Any>()] = container[key]
    #expect(try container.resolve(Int.self, tags: "copy") == 2)
    #expect(try container.resolve(key: Key<Int>(tags: "copy"), cached: false) == 3)
    #expect(try container.resolve(Any.self) as? Int == 4)
    #expect(try container.resolve(key: Key<Any>(), cached: false) as? Int == 5)
    #expect(try container.resolve(Any.self) as? Int == 4)
    #expect(try container.resolve(Int.self) == 1)
  }

  @Test("A parent's cached instance uses only the parent's registrations; a resolve past the cache uses the child's")
  func parent() throws {
    let child = Container(parent: container)
    container.annotated(cached: true).register(String.self) { "\(try $0.resolve(Int.self))" }
    container.register(Int.self) { _ in 1 }
    child.register(Int.self) { _ in 2 }
    #expect(try child.resolve(key: Key<String>(), cached: false) == "2")
    #expect(try child.resolve(String.self) == "1")
  }

  @Test("An error is not cached")
  func failure() throws {
    container.annotated(cached: false).register(Int.self) { [count] _ in
      if count.next() == 1 { throw SampleError() }
      return count.count
    }
    #expect(throws: SampleError.self) { try container.resolve(key: Key<Int>(), cached: true) }
    #expect(try container.resolve(key: Key<Int>(), cached: true) == 2)
    #expect(try container.resolve(key: Key<Int>(), cached: true) == 2)
  }

  @Test("A dependency cycle is an error, cached or not", arguments: [true, false], [true, false])
  func cycle(isCached: Bool, override: Bool) throws {
    container.annotated(cached: isCached).register(Int.self) { try $0.resolve(key: Key<String>(), cached: override).count }
    container.annotated(cached: isCached).register(String.self) { "\(try $0.resolve(key: Key<Int>(), cached: override))" }
    for cached in [true, false] {
      let error = try #require(throws: ResolutionError.self) { try container.resolve(key: Key<Int>(), cached: cached) }
      #expect(error.reason.name == "cycle")
    }
  }

  @Test("Threads fill a cache once while other threads bypass it")
  func threads() throws {
    for round in 0..<50 {
      let key = container.annotated(cached: round % 2 == 0).register(Instance.self, tags: round) { _ in Instance() }
      let meeting = Rendezvous(8)
      let made = try onThreads(8) { thread in
        meeting.meet()
        return try container.resolve(key: key, cached: thread % 2 == 0)
      }
      #expect(Set(made.enumerated().filter { $0.offset % 2 == 0 }.map { ObjectIdentifier($0.element) }).count == 1)
      #expect(Set(made.map { ObjectIdentifier($0) }).count == 5)
    }
  }

  @Test("A factory that runs past the cache causes no false dependency cycle")
  func noFalseCycle() throws {
    // Thread 0 runs the factory of A past the cache and waits for B. Thread 1 creates B and waits for A's cached instance.
    // Thread 2 creates that instance, which needs only "other". There is no dependency cycle.
    for _ in 0..<100 {
      let container = Container()
      let meeting = Rendezvous(3)
      container.register(Int.self, tags: "other") { _ in 1 }
      container.annotated(cached: true).register(Int.self, tags: "A") { (resolver: any Resolver, isPastCache: Bool) in
        meeting.meet()
        if isPastCache { return try resolver.resolve(Int.self, tags: "B") }
        // Takes long enough for the other threads to wait for each other.
        return try (0..<1000).reduce(0) { sum, _ in try sum + resolver.resolve(Int.self, tags: "other") }
      }
      container.register(Int.self, tags: "B", lifetime: .singleton) { resolver in
        meeting.meet()
        return try resolver.resolve(Int.self, tags: "A", args: false) + 1
      }
      let made = try onThreads(3) { thread in
        switch thread {
        case 0: try container.resolve(key: Key<Int>(tags: "A"), args: true, cached: false)
        case 1: try container.resolve(Int.self, tags: "B")
        default: try container.resolve(Int.self, tags: "A", args: false)
        }
      }
      #expect(made == [1001, 1001, 1000])
    }
  }
}

extension String {
  /// Returns the number of occurrences of a text.
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
