import Testing
@testable import TroupeContainer

@Suite("A registration replaces one with the same key and argument types")
struct RegisterTests {
  @Test("A factory is registered under a given type")
  func givenType() throws {
    let container = Container()
    let key = container.register((any Greeting).self) { _ in Hello() }
    #expect(key == Key<any Greeting>())
    #expect(try container.resolve((any Greeting).self).text == "hello")
    #expect(container[Key<Hello>()] == nil)
  }

  @Test("A factory is registered under its return type")
  func inferredType() throws {
    let container = Container()
    #expect(container.register { _ in Hello() } == Key<Hello>())
    #expect(container.register { _ in Hello() as any Greeting } == Key<any Greeting>())
    let hello: Hello = try container.resolve()
    let greeting: any Greeting = try container.resolve()
    #expect(hello.text == "hello")
    #expect(greeting.text == "hello")
  }

  @Test("A factory is registered under a given key")
  func givenKey() throws {
    let container = Container()
    let key = Key<any Greeting>(tags: "a", 1)
    #expect(container.register(key: key, lifetime: .singleton) { _ in Hello() } == key)
    #expect(try container.resolve(key: key).text == "hello")
    #expect(try container.resolve((any Greeting).self, tags: 1, "a").text == "hello")
    #expect(container[key]?.lifetime == .singleton)
  }

  @Test("An expression is registered under its type or a given one and evaluated at each resolve")
  func expression() throws {
    let container = Container()
    let made = Counter()
    #expect(container.register(instance: made.next()) == Key<Int>())
    #expect(
      container.register((any Greeting).self, tags: "a", instance: Greeter(text: "good day")) == Key<any Greeting>(tags: "a"))
    #expect(made.count == 0)
    #expect(try container.resolve(Int.self) == 1)
    #expect(try container.resolve(Int.self) == 2)
    #expect(try container.resolve((any Greeting).self, tags: "a").text == "good day")
  }

  @Test("A singleton expression is evaluated once, at the first resolve")
  func sharedExpression() throws {
    let container = Container()
    let made = Counter()
    container.register(tags: "a", lifetime: .singleton, instance: made.next())
    #expect(made.count == 0)
    #expect(try container.resolve(Int.self, tags: "a") == 1)
    #expect(try container.resolve(Int.self, tags: "a") == 1)
  }

  @Test("An expression may throw")
  func throwingExpression() throws {
    @Sendable func fail() throws -> Int { throw SampleError() }
    let container = Container()
    container.register(instance: try fail())
    #expect(throws: SampleError.self) { try container.resolve(Int.self) }
  }

  @Test("A factory receives the resolving container and resolves its dependencies from it")
  func resolver() throws {
    let container = Container()
    container.register(tags: "name", instance: "world")
    container.register { resolver -> any Greeting in
      #expect(resolver === container)
      return Greeter(text: "hello " + (try resolver.resolve(tags: "name")))
    }
    #expect(try container.resolve((any Greeting).self).text == "hello world")
  }

  @Test("A registration does not retain its container")
  func reference() throws {
    weak var reference: Container?
    do {
      let container = Container()
      reference = container
      container.register(Instance.self, lifetime: .singleton) { _ in Instance() }
      _ = try container.resolve(Instance.self)
      #expect(reference != nil)
    }
    #expect(reference == nil)
  }

  @Test("A resolve needs all the tags and no others")
  func tags() throws {
    let container = Container()
    container.register(Int.self, tags: "a", 7, true) { _ in 1 }
    container.register(Int.self) { _ in 2 }
    #expect(try container.resolve(Int.self, tags: true, 7, "a", 7) == 1)
    #expect(try container.resolve(Int.self) == 2)
    for key in [Key<Int>(tags: "a", 7), Key<Int>(tags: "a"), Key<Int>(tags: "a", 7, true, false)] {
      let error = try #require(throws: ResolutionError.self) { try container.resolve(key: key) }
      #expect(error.reason.name == "notFound")
      #expect(error.key == key)
    }
  }

  @Test("The last registration of a key wins")
  func replaced() throws {
    let container = Container()
    container.register(Int.self, tags: "a") { _ in 1 }
    container.register(Int.self, tags: "a", lifetime: .singleton) { _ in 2 }
    #expect(try container.resolve(Int.self, tags: "a") == 2)
    #expect(try container.resolve([Int].self, tags: "a") == [2])
    #expect(container[Key<Int>(tags: "a")]?.lifetime == .singleton)
  }

  @Test("A registration that replaces a singleton creates its own instance, and the old one is released")
  func replacedSingleton() throws {
    let container = Container()
    container.register(Instance.self, lifetime: .singleton) { _ in Instance() }
    weak let old = try container.resolve(Instance.self)
    #expect(old != nil)
    container.register(Instance.self, lifetime: .singleton) { _ in Instance() }
    container.waitForReaders()
    #expect(old == nil)
    #expect(try container.resolve(Instance.self) === container.resolve(Instance.self))
  }

  @Test("An entry has its key and lifetime")
  func entry() throws {
    let container = Container()
    let key = container.register(Int.self, tags: "a", lifetime: .singleton) { _ in 1 }
    let entry = try #require(container[key])
    #expect(entry.key == key)
    #expect(entry.lifetime == .singleton)
    #expect(container[AnyKey(key)] === entry)
    container.register(String.self) { _ in "" }
    #expect(container[Key<String>()]?.lifetime == .transient)
    #expect(container[Key<Int>()] == nil)
  }

  @Test("Setting an entry to nil removes the registration")
  func removed() throws {
    let container = Container()
    let key = container.register(Int.self, tags: "a") { _ in 1 }
    let other = container.register(Int.self, tags: "b") { _ in 2 }
    container[key] = nil
    #expect(container[key] == nil)
    #expect(container.find(Criteria<Int>(op: .subset)) == [other])
    #expect(try container.resolve([Int].self) == [2])
    #expect(throws: ResolutionError.self) { try container.resolve(key: key) }
    container[key] = nil
    #expect(try container.resolve(key: other) == 2)
  }

  @Test("An entry under a key of another type is an error")
  func otherType() throws {
    let container = Container()
    container[Key<String>()] = container[container.register(Int.self) { _ in 1 }]
    let error = try #require(throws: ResolutionError.self) { try container.resolve(String.self) }
    #expect(error.reason.name == "invalidInstanceType")
    #expect(error.key == Key<String>())
    #expect(throws: ResolutionError.self) { try container.resolve([String].self) }
    #expect(throws: ResolutionError.self) { try container.resolve(String?.self) }
  }

  /// A container with entries of `Int` under keys of `any Sendable` with the same tags.
  private static func containerWithCopies() -> Container {
    let container = Container()
    let keys = [
      AnyKey(container.register(Int.self, tags: "plain") { _ in 1 }),
      AnyKey(container.register(Int.self, tags: "async") { _ async in 2 }),
      AnyKey(container.register(Int.self, tags: "async arguments") { (_, number: Int) async in number }),
      AnyKey(container.register(Int.self, tags: "main", isolation: MainActor.shared) { _ in 4 }),
      AnyKey(container.register(Int.self, tags: "shared", lifetime: .singleton) { _ async in 5 }),
    ]
    for key in keys { container[AnyKey(Key<any Sendable>(tagset: key.tagset))] = container[key] }
    return container
  }

  @Test("An entry under the key of a type that its instances have makes them in the same contexts")
  @MainActor
  func commonType() throws {
    let container = Self.containerWithCopies()
    #expect(try container.resolve((any Sendable).self, tags: "plain") as? Int == 1)
    #expect(try container.resolve((any Sendable).self, isolation: MainActor.shared, tags: "main") as? Int == 4)
    for (tag, reason) in [("async", "requiresAsync"), ("async arguments", "requiresAsync"), ("main", "requiresIsolation")] {
      let error = try #require(throws: ResolutionError.self) { try container.resolve((any Sendable).self, tags: tag) }
      #expect(error.reason.name == reason)
      #expect(error.key == Key<any Sendable>(tags: tag))
    }
  }

  @Test("An entry under the key of a type that its instances have makes them in asynchronous contexts")
  func commonTypeAsync() async throws {
    let container = Self.containerWithCopies()
    for (tag, number) in [("plain", 1), ("async", 2), ("main", 4), ("shared", 5)] {
      #expect(try await container.resolve((any Sendable).self, tags: tag) as? Int == number)
    }
    #expect(try await container.resolve((any Sendable).self, tags: "async arguments", args: 3) as? Int == 3)
  }

  @Test("Two containers share no registrations")
  func separate() throws {
    let (first, second) = (Container(), Container())
    first.register(Int.self) { _ in 1 }
    #expect(try first.resolve(Int.self) == 1)
    #expect(second[Key<Int>()] == nil)
  }

  @Test("Registrations from eight threads at the same time are all added")
  func threads() throws {
    let container = Container()
    _ = try onThreads(8) { thread in
      for number in 0..<50 { container.register(Int.self, tags: thread, "\(number)") { _ in thread * 50 + number } }
    }
    #expect(try container.resolve([Int].self).sorted() == Array(0..<400))
    // The registrations of each thread are in their order.
    #expect(try container.resolve([Int].self, tags: 3) == Array(150..<200))
  }
}
