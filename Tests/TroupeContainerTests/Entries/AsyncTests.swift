import Testing
import TroupeContainer

@Suite("An asynchronous registration resolves only in asynchronous contexts", .timeLimit(.minutes(60)))
struct AsyncTests {
  private let container = Container()

  @Test("Registrations of every context can be resolved asynchronously, alone, as optionals and in collections")
  func everything() async throws {
    container.register(Int.self, tags: "number", 1) { _ in 1 }
    container.register(Int.self, tags: "number", 2) { _ async in 2 }
    container.register(Int.self, isolation: MainActor.shared, tags: "number", 3) { _ in 3 }
    #expect(try await container.resolve([Int].self, tags: "number") == [1, 2, 3])
    #expect(try await container.resolve(Set<Int>.self) == [1, 2, 3])
    #expect(try await container.resolve(Int?.self, tags: 2, "number") == 2)
    #expect(try await container.resolve(Int?.self, tags: 3, "number") == 3)
    #expect(try await container.resolve(Int?.self) == nil)
    #expect(try await container.resolve([String].self) == [])
  }

  @Test("A registration of the optional or array type takes precedence")
  func exact() async throws {
    container.register(Int.self) { _ async in 1 }
    container.register(Int?.self) { _ async in 2 }
    container.register([Int].self) { _ async in [3] }
    #expect(try await container.resolve(Int?.self) == 2)
    #expect(try await container.resolve([Int].self) == [3])
  }

  @Test(
    "A synchronous resolve of an asynchronous registration is an error, also as an optional or in an array",
    arguments: [
      Lifetime.transient, .singleton,
    ])
  func synchronously(lifetime: Lifetime) throws {
    let key = container.register(Int.self, lifetime: lifetime) { _ async in 1 }
    container.register(String.self) { resolver in "\(try resolver.resolve(Int.self))" }
    let attempts: [() throws -> Void] = [
      { _ = try container.resolve(Int.self) }, { _ = try container.resolve(Int?.self) },
      { _ = try container.resolve([Int].self) }, { _ = try container.resolve(Set<Int>.self) },
      { _ = try container.resolve(String.self) }, { _ = try container.resolve(key: key) },
    ]
    for attempt in attempts {
      let error = try #require(throws: ResolutionError.self) { try attempt() }
      #expect(error.reason.name == "requiresAsync")
      #expect(error.key == key)
    }
  }

  @Test("A missing dependency of an optional is an error and not nil, in every context")
  func optionalDependency() async throws {
    container.register(Int.self, tags: "async") { resolver async throws in try await resolver.resolve([String: Int].self).count
    }
    container.register(Int.self, isolation: MainActor.shared, tags: "main") { resolver in
      try resolver.resolve([String: Int].self, isolation: MainActor.shared).count
    }
    for tag in ["async", "main"] {
      let error = try await #require(throws: ResolutionError.self) { try await container.resolve(Int?.self, tags: tag) }
      #expect(error.reason.name == "notFound")
      #expect(error.key == Key<[String: Int]>())
    }
    let error = try await #require(throws: ResolutionError.self) {
      try await MainActor.run { try container.resolve(Int?.self, isolation: MainActor.shared, tags: "main") }
    }
    #expect(error.key == Key<[String: Int]>())
  }

  @Test("One failing factory fails the whole array, in every context")
  func arrayFailure() async throws {
    container.register(Int.self, tags: 1) { _ in 1 }
    container.register(Int.self, isolation: MainActor.shared, tags: 2) { _ in throw SampleError() }
    await #expect(throws: SampleError.self) { try await container.resolve([Int].self) }
    await #expect(throws: SampleError.self) {
      try await MainActor.run { try container.resolve([Int].self, isolation: MainActor.shared) }
    }
  }

  @Test("Each factory of an array receives the arguments, in every context")
  func arrayArguments() async throws {
    container.register(Int.self, tags: 1) { (_, number: Int) in number }
    container.register(Int.self, isolation: MainActor.shared, tags: 2) { (_, number: Int) in number * 2 }
    #expect(try await MainActor.run { try container.resolve([Int].self, isolation: MainActor.shared, args: 5) } == [5, 10])
    container.register(Int.self, tags: 3) { (_, number: Int) async in number * 3 }
    #expect(try await container.resolve([Int].self, args: 5) == [5, 10, 15])
  }

  @Test("A transient is created for each resolve, and a singleton once for many concurrent tasks")
  func lifetimes() async throws {
    let (container, made) = (container, Counter())
    container.register(Instance.self, tags: "new") { _ async in Instance() }
    container.register(Instance.self, tags: "one", lifetime: .singleton) { _ async in
      made.next()
      await Task.yield()
      return Instance()
    }
    #expect(try await container.resolve(Instance.self, tags: "new") !== container.resolve(Instance.self, tags: "new"))
    let instances = try await withThrowingTaskGroup(of: Instance.self) { group in
      for _ in 0..<50 { group.addTask { try await container.resolve(Instance.self, tags: "one") } }
      return try await group.reduce(into: Set<ObjectIdentifier>()) { $0.insert(ObjectIdentifier($1)) }
    }
    #expect(instances.count == 1)
    #expect(made.count == 1)
  }

  @Test("A factory that throws runs again at the next resolve", arguments: [Lifetime.transient, .singleton])
  func retried(lifetime: Lifetime) async throws {
    let attempts = Counter()
    container.register(Int.self, lifetime: lifetime) { _ async throws in
      if attempts.next() < 3 { throw SampleError() }
      return attempts.count
    }
    for _ in 1...2 {
      await #expect(throws: SampleError.self) { try await container.resolve(Int.self) }
    }
    #expect(try await container.resolve(Int.self) == 3)
  }

  @Test("A factory may be isolated to any global actor")
  func globalActor() async throws {
    container.register(lifetime: .singleton) { @Elsewhere _, number async in
      Elsewhere.assertIsolated()
      return Far(number: number)
    }
    let far: Far = try await container.resolve(args: 7)
    #expect(await far.number == 7)
  }

  @Test("An instance that is not Sendable can be resolved in the caller's context")
  func notSendable() async throws {
    final class Local { var count = 0 }
    container.register { _ async in Local() }
    let local = try await container.resolve(Local.self)
    local.count += 1
    #expect(local.count == 1)
  }

  @Test("A task that outlives the factory that started it may resolve the same key")
  func outliving() async throws {
    let (over, results) = AsyncStream.makeStream(of: Void.self)
    let started = Counter()
    container.register(Task<Int, any Error>.self) { resolver async in
      guard started.next() == 1 else { return Task { 7 } }
      return Task {
        for await _ in over { break }
        return try await resolver.resolve(Task<Int, any Error>.self).value
      }
    }
    let task = try await container.resolve(Task<Int, any Error>.self)
    results.yield()
    #expect(try await task.value == 7)
  }
}

@globalActor
private actor Elsewhere {
  static let shared = Elsewhere()
}

@Elsewhere
private final class Far {
  private(set) var number: Int
  init(number: Int) { self.number = number }
}
