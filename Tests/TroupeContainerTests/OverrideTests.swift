import Testing
import TroupeContainer
import TroupeTesting

/// Registers a greeting and a sentence that depends on it.
private func registerGreetings(in container: Container) {
  container.register((any Greeting).self) { _ in Hello() }
  container.register(String.self, tags: "sentence") { resolver in
    try resolver.resolve((any Greeting).self).text + " Ann"
  }
}

@Suite("Overrides apply to an operation and its tasks, and to nothing else", .container(registerGreetings))
struct OverrideTests {
  private let container = Container.current

  private func sentence() throws -> String { try container.resolve(tags: "sentence") }

  @Test("Resolves in the operation and in its factories use the overrides, and later resolves do not")
  func synchronous() throws {
    let seen = try container.withOverrides {
      $0.register((any Greeting).self) { _ in Greeter(text: "bye") }
    } operation: {
      try (sentence(), container.resolve((any Greeting).self).text)
    }
    #expect(seen == ("bye Ann", "bye"))
    #expect(try sentence() == "hello Ann")
  }

  @Test("An asynchronous operation and the tasks it starts use the overrides, but detached tasks do not")
  func asynchronous() async throws {
    let container = container
    let seen = try await container.withOverrides {
      $0.register((any Greeting).self) { _ async in Greeter(text: "bye") }
    } operation: {
      await Task.yield()
      async let child = try container.resolve(String.self, tags: "sentence")
      let inherited = Task { try await container.resolve((any Greeting).self).text }
      let detached = Task.detached { try await container.resolve((any Greeting).self).text }
      _ = try? await child
      return try await [inherited.value, detached.value]
    }
    #expect(seen == ["bye", "hello"])
    #expect(try await container.resolve((any Greeting).self).text == "hello")
  }

  @Test(
    "The factory of an override wraps the original, of any lifetime, also from a scope",
    arguments: [Lifetime.transient, .scoped, .singleton])
  func wrapping(lifetime: Lifetime) throws {
    let texts = try container.withOverrides {
      $0.register((any Greeting).self, lifetime: lifetime) { resolver in
        Greeter(text: try resolver.withoutOverrides { try $0.resolve((any Greeting).self) }.text + "!")
      }
    } operation: {
      try [container.resolve((any Greeting).self).text, container.scope().resolve((any Greeting).self).text, sentence()]
    }
    #expect(texts == ["hello!", "hello!", "hello! Ann"])
  }

  @Test("An asynchronous factory of an override wraps the original, which uses no overrides itself")
  func asynchronousWrapping() async throws {
    let texts = try await container.withOverrides {
      $0.register((any Greeting).self) { _ async in Greeter(text: "bye") }
      $0.register(String.self, tags: "sentence") { resolver async throws in
        try await resolver.withoutOverrides { try await $0.resolve(String.self, tags: "sentence") } + "!"
      }
    } operation: {
      try await [container.resolve(String.self, tags: "sentence"), container.resolve((any Greeting).self).text]
    }
    #expect(texts == ["hello Ann!", "bye"])
  }

  @Test("The error for an override that requests its own key says how to reach the original")
  func ownKey() throws {
    let error = try #require(throws: ResolutionError.self) {
      try container.withOverrides {
        $0.register((any Greeting).self) { resolver in try resolver.resolve((any Greeting).self) }
      } operation: {
        try container.resolve((any Greeting).self)
      }
    }
    #expect(error.reason.name == "cycle")
    #expect(error.description.hasSuffix("; reach the registration that it overrides with withoutOverrides"), "\(error)")
  }

  @Test("The error for a dependency cycle of several overrides proposes a LazyResolver, which ends the cycle")
  func cycle() throws {
    func text(_ makeSentence: @escaping @Sendable (any Resolver) throws -> String) throws -> String {
      try container.withOverrides {
        $0.register((any Greeting).self) { resolver in Greeter(text: try resolver.resolve(String.self, tags: "sentence")) }
        $0.register(String.self, tags: "sentence", factory: makeSentence)
      } operation: {
        try container.resolve((any Greeting).self).text
      }
    }
    let error = try #require(throws: ResolutionError.self) { try text { try $0.resolve((any Greeting).self).text } }
    #expect(error.description.hasSuffix("; have one of them take a LazyResolver of the next"), "\(error)")
    #expect(
      try text {
        _ = try $0.resolve(LazyResolver<any Greeting>.self); return "lazy"
      } == "lazy")
  }

  @Test("A task that outlives the operation does not use its overrides, even with overrides of its own")
  func outlived() async throws {
    let container = container
    let (over, end) = AsyncStream.makeStream(of: Void.self)
    let leaked = container.withOverrides {
      $0.register((any Greeting).self) { _ in Greeter(text: "bye") }
    } operation: {
      Task {
        for await _ in over {}
        return try await container.withOverrides {
          $0.register(Int.self) { _ in 1 }
        } operation: {
          try await container.resolve((any Greeting).self).text
        }
      }
    }
    end.finish()
    #expect(try await leaked.value == "hello")
  }

  @Test("A hundred concurrent tasks use their own overrides")
  func tasks() async throws {
    let container = container
    let all = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<100 {
        group.addTask {
          if number.isMultiple(of: 3) { return try await container.resolve(String.self, tags: "sentence") == "hello Ann" }
          return try await container.withOverrides {
            $0.register((any Greeting).self) { _ in Greeter(text: "\(number)") }
          } operation: {
            await Task.yield()
            return try await container.resolve(String.self, tags: "sentence") == "\(number) Ann"
          }
        }
      }
      return try await group.reduce(true) { $0 && $1 }
    }
    #expect(all)
  }

  @Test("Nested overrides add to the outer ones and take precedence over them")
  func nested() throws {
    let seen = try container.withOverrides {
      $0.register((any Greeting).self) { _ in Greeter(text: "outer") }
      $0.register(Int.self) { _ in 1 }
    } operation: {
      try container.withOverrides {
        $0.register((any Greeting).self) { _ in Greeter(text: "inner") }
      } operation: {
        try (sentence(), container.resolve(Int.self))
      }
    }
    #expect(seen == ("inner Ann", 1))
    #expect(try container.resolve(Int?.self) == nil)
  }

  @Test("Overrides apply to children without a registration of their own, to arrays, keys and lazy resolvers")
  func everywhere() throws {
    let child = Container(parent: container)
    child.register(Int.self) { resolver in try resolver.resolve((any Greeting).self).text.count }
    let lazy: LazyResolver<any Greeting> = try container.resolve()
    try container.withOverrides {
      $0.register((any Greeting).self) { _ in Greeter(text: "no") }
      $0.register((any Greeting).self, tags: "more") { _ in Greeter(text: "more") }
    } operation: { () throws in
      #expect(try child.resolve(Int.self) == 2)
      #expect(try container.resolve([any Greeting].self).map(\.text) == ["no", "more"])
      #expect(try lazy.resolve().text == "no")
      #expect(container.find(Criteria<any Greeting>(op: .subset)).count == 2)
      #expect(container[Key<any Greeting>(tags: "more")] != nil)
    }
    #expect(try child.resolve(Int.self) == 5)
    #expect(container.find(Criteria<any Greeting>(op: .subset)).count == 1)
  }

  @Test("A container's singleton does not use overrides and stays; an overriding singleton is created once and uses them")
  func singletons() throws {
    container.register([String].self, lifetime: .singleton) { resolver in [try resolver.resolve((any Greeting).self).text] }
    container.register(lifetime: .singleton) { _ in Instance() }
    let original: Instance = try container.resolve()
    let overriding = try container.withOverrides {
      $0.register((any Greeting).self) { _ in Greeter(text: "bye") }
      $0.register(Set<String>.self, lifetime: .singleton) { resolver in [try resolver.resolve((any Greeting).self).text] }
      $0.register(lifetime: .singleton) { _ in Instance() }
    } operation: {
      #expect(try container.resolve([String].self) == ["hello"])
      #expect(try container.resolve(Set<String>.self) == ["bye"])
      let one: Instance = try container.resolve()
      #expect(try container.resolve(Instance.self) === one)
      return one
    }
    #expect(overriding !== original)
    #expect(try container.resolve(Instance.self) === original)
    #expect(try container.resolve([String].self) == ["hello"])
  }

  @Test(
    "The factory of an override uses the overrides, even if it names the container, with any cache setting",
    arguments: [true, false], [true, false])
  func cached(isCached: Bool, override: Bool) throws {
    let container = container
    let seen = try container.withOverrides {
      $0.register((any Greeting).self) { _ in Greeter(text: "bye") }
      $0.annotated(cached: isCached).register(String.self) { _ in try container.resolve((any Greeting).self).text }
    } operation: {
      try container.resolve(key: Key<String>(), cached: override)
    }
    #expect(seen == "bye")
    // A cached instance of the container itself is created without the overrides.
    container.annotated(cached: isCached).register(String.self) { _ in try container.resolve((any Greeting).self).text }
    let own = try container.withOverrides {
      $0.register((any Greeting).self) { _ in Greeter(text: "bye") }
    } operation: {
      try container.resolve(key: Key<String>(), cached: override)
    }
    #expect(own == (override ? "hello" : "bye"))
  }

  @Test("An error of either closure is thrown, and the overrides end")
  func thrown() throws {
    #expect(throws: SampleError.self) {
      try container.withOverrides { _ in
        throw SampleError()
      } operation: {
        Issue.record("the operation ran")
      }
    }
    #expect(throws: SampleError.self) {
      try container.withOverrides {
        $0.register((any Greeting).self) { _ in Greeter(text: "bye") }
      } operation: {
        throw SampleError()
      }
    }
    #expect(try sentence() == "hello Ann")
  }

  @Test("Registrations added during the operation are visible at once and stay")
  func changes() throws {
    try container.withOverrides {
      $0.register(Int.self) { _ in 1 }
    } operation: { () throws in
      container.register(Int.self, tags: "a") { _ in 2 }
      #expect(try container.resolve(Int.self, tags: "a") == 2)
    }
    #expect(try container.resolve(Int.self, tags: "a") == 2)
    #expect(try container.resolve(Int?.self) == nil)
  }
}
