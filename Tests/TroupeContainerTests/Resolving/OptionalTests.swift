import Testing
import TroupeContainer

@Suite("An optional is nil if its key is not registered")
struct OptionalTests {
  @Test("An optional is the instance, or nil if its key is not registered")
  func presence() throws {
    let container = Container()
    container.register(Int.self, tags: "a") { _ in 1 }
    #expect(try container.resolve(Int?.self, tags: "a") == 1)
    #expect(try container.resolve(Int?.self) == nil)
    #expect(try container.resolve(Int?.self, tags: "a", "b") == nil)
    #expect(try container.resolve(String?.self, tags: "a") == nil)
    let inferred: Int? = try container.resolve(tags: "a")
    #expect(inferred == 1)
    #expect(try container.resolve((any Greeting)?.self) == nil)
  }

  @Test("A registration of the optional type takes precedence, even if its factory returns nil")
  func exact() throws {
    let container = Container()
    container.register(Int.self) { _ in 1 }
    container.register(Int?.self) { _ in 2 }
    #expect(try container.resolve(Int?.self) == 2)
    #expect(try container.resolve(Int.self) == 1)
    container.register(Int?.self) { _ in nil }
    #expect(try container.resolve(Int?.self) == nil)
  }

  @Test("An optional of a type that an optional can be cast to is nil if its key is not registered")
  @MainActor
  func castable() async throws {
    let container = Container()
    func expectNothing() throws {
      #expect(try container.resolve(Any?.self) == nil)
      #expect(try container.resolve(AnyObject?.self) == nil)
      #expect(try container.resolve(AnyHashable?.self) == nil)
      #expect(try container.resolve((any Sendable)?.self) == nil)
      #expect(try container.resolve(LazyResolver<Any?>.self).resolve() == nil)
      #expect(try container.resolve([Any].self).isEmpty)
      #expect(try container.resolve([Any?].self).isEmpty)
      #expect(try container.resolve(Set<AnyHashable>.self).isEmpty)
      #expect(try container.resolve(Any?.self, isolation: .shared) == nil)
    }
    try expectNothing()
    #expect(try await container.resolve(AnyHashable?.self) == nil)
    #expect(try await container.resolve((any Sendable)?.self) == nil)
  }

  @Test("An optional of an optional resolves the inner optional")
  func doubled() throws {
    let container = Container()
    let nothing: Int?? = try container.resolve()
    #expect(nothing == .some(.none))
    container.register(Int.self) { _ in 1 }
    let something: Int?? = try container.resolve()
    #expect(something == .some(.some(1)))
  }

  @Test("A nil in an existential is resolved as an instance")
  func nilInstance() throws {
    let container = Container()
    container.register(Any.self) { _ in Int?.none as Any }
    let instance = try #require(try container.resolve(Any?.self))
    #expect(type(of: instance) == Int?.self)
    #expect(try container.resolve([Any].self).map { type(of: $0) == Int?.self } == [true])
  }

  @Test("The arguments of an optional reach the factory, and wrong ones are an error")
  func arguments() throws {
    let container = Container()
    container.register(Int.self) { (_, number: Int) in number }
    #expect(try container.resolve(Int?.self, args: 5) == 5)
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int?.self, args: "5") }
    #expect(error.reason.name == "invalidArgsType")
  }

  @Test("The error of a factory is thrown, not nil")
  func fault() throws {
    let container = Container()
    container.register(Int.self) { _ in throw SampleError() }
    #expect(throws: SampleError.self) { try container.resolve(Int?.self) }
  }

  @Test("A missing dependency of the registration is an error, not nil")
  func nested() throws {
    let container = Container()
    container.register(Int.self) { resolver in try resolver.resolve(Int.self, tags: "missing") }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int?.self) }
    #expect(error.reason.name == "notFound")
    #expect(error.key == Key<Int>(tags: "missing"))
  }

  @Test("A missing dependency is an error even if another container lacks the same key")
  func nestedElsewhere() throws {
    let (container, other) = (Container(), Container())
    container.register(Int.self) { _ in try other.resolve(Int.self) }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int?.self) }
    #expect(error.reason.name == "notFound")
  }

  @Test("An optional dependency may be missing")
  func optionalDependency() throws {
    let container = Container()
    container.register(String.self) { resolver in
      let number: Int? = try resolver.resolve()
      return number.map { "\($0)" } ?? "none"
    }
    #expect(try container.resolve(String.self) == "none")
    container.register(Int.self) { _ in 1 }
    #expect(try container.resolve(String.self) == "1")
  }

  @Test("The optional of an array is the array")
  func array() throws {
    let container = Container()
    container.register(Int.self, tags: 1) { _ in 1 }
    #expect(try container.resolve([Int]?.self) == [1])
  }
}

@Suite("A resolve with ifPresent returns nil only for a missing key")
struct IfPresentTests {
  private let container = Container()

  @Test("A resolve returns the instance, or nil if exactly that key is not registered")
  func presence() throws {
    let key = container.register(Int.self, tags: "a", 1) { _ in 1 }
    #expect(try container.resolve(ifPresent: Int.self, tags: 1, "a") == 1)
    #expect(try container.resolve(ifPresent: Int.self, tags: "a") == nil)
    #expect(try container.resolve(ifPresent: Int.self) == nil)
    #expect(try container.resolve(ifPresent: key) == 1)
    #expect(try container.resolve(ifPresent: Key<Int>()) == nil)
    #expect(try container.resolve(ifPresent: (any Greeting).self) == nil)
    #expect(try container.resolve(ifPresent: Any.self) == nil)
    #expect(try (container as any Resolver).resolve(ifPresent: Int.self, tags: 1, "a") == 1)
  }

  @Test("A registration of the optional type is ignored")
  func optional() throws {
    container.register(Int?.self) { _ in 1 }
    #expect(try container.resolve(ifPresent: Int.self) == nil)
  }

  @Test("Every other error is thrown, including that of a missing dependency")
  func errors() throws {
    container.register(Int.self, tags: "faulty") { _ in throw SampleError() }
    container.register(Int.self, tags: "lacking") { try $0.resolve(Int.self) }
    container.register(Int.self, tags: "late") { _ async in 1 }
    container.register(Int.self, tags: "arguments") { (_, number: Int) in number }
    #expect(throws: SampleError.self) { try container.resolve(ifPresent: Int.self, tags: "faulty") }
    let reasons = ["lacking": "notFound", "late": "requiresAsync", "arguments": "invalidArgsType"]
    for (tag, reason) in reasons {
      let error = try #require(throws: ResolutionError.self) { try container.resolve(ifPresent: Int.self, tags: tag) }
      #expect(error.reason.name == reason)
    }
    #expect(try container.resolve(ifPresent: Int.self, tags: "arguments", args: 7) == 7)
  }

  @Test("A resolve in asynchronous contexts and on the main actor returns the same")
  @MainActor
  func contexts() async throws {
    let late = container.register(Int.self, tags: "late") { (_, number: Int) async in number }
    let main = container.register(Int.self, isolation: MainActor.shared, tags: "main") { _ in 2 }
    container.register(Int.self, tags: "lacking") { _ async throws in throw ResolutionError(Key<Int>(), reason: .notFound) }
    #expect(try await container.resolve(ifPresent: late, args: 1) == 1)
    #expect(try await container.resolve(ifPresent: Int.self, tags: "late", args: 1) == 1)
    #expect(try await container.resolve(ifPresent: Int.self) == nil)
    #expect(try await container.resolve(ifPresent: Key<Int>()) == nil)
    #expect(try await container.resolve(ifPresent: main) == 2)
    #expect(try container.resolve(ifPresent: Int.self, isolation: MainActor.shared, tags: "main") == 2)
    #expect(try container.resolve(ifPresent: main, isolation: MainActor.shared) == 2)
    #expect(try container.resolve(ifPresent: String.self, isolation: MainActor.shared) == nil)
    await #expect(throws: ResolutionError.self) { try await container.resolve(ifPresent: Int.self, tags: "lacking") }
    #expect(throws: ResolutionError.self) { try container.resolve(ifPresent: late, isolation: MainActor.shared, args: 1) }
  }
}
