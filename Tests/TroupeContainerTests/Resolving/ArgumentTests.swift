import Foundation
import Testing
import TroupeContainer

@Suite("A factory receives the arguments of a resolve if they fit its parameters")
struct ArgumentTests {
  @Test("A factory receives its arguments in order")
  func order() throws {
    let container = Container()
    container.register(String.self, tags: "one") { (_, text: String) in text }
    container.register(String.self, tags: "many") { (_, a: Int, b: Double, c: String, d: [Int], e: Bool) in
      "\(a) \(b) \(c) \(d) \(e)"
    }
    #expect(try container.resolve(String.self, tags: "one", args: "text") == "text")
    #expect(try container.resolve(String.self, tags: "many", args: 1, 2.5, "c", [4], true) == "1 2.5 c [4] true")
    #expect(try container.resolve(key: Key<String>(tags: "one"), args: "by key") == "by key")
  }

  @Test("Too few arguments, too many arguments and arguments of another type are rejected")
  func refused() throws {
    let container = Container()
    let made = Counter()
    let key = container.register(String.self, tags: "a") { (_, number: Int, text: String) in "\(made.next())\(number)\(text)" }
    let attempts: [() throws -> String] = [
      { try container.resolve(key: key) }, { try container.resolve(key: key, args: 1) },
      { try container.resolve(key: key, args: 1, "a", "b") }, { try container.resolve(key: key, args: "a", 1) },
      { try container.resolve(key: key, args: Int32(1), "a") }, { try container.resolve(key: key, args: Int?.none, "a") },
    ]
    for attempt in attempts {
      let error = try #require(throws: ResolutionError.self) { try attempt() }
      #expect(error.reason.name == "invalidArgsType")
      #expect(error.key == key)
    }
    #expect(made.count == 0)
  }

  @Test("An argument for a factory without parameters is rejected")
  func surplus() throws {
    let container = Container()
    container.register(Int.self, lifetime: .singleton) { _ in 1 }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int.self, args: 1) }
    #expect(error.reason.name == "invalidArgsType")
    #expect(try container.resolve(Int.self) == 1)
  }

  @Test("An argument is cast to the type of the factory's parameter")
  func cast() throws {
    let container = Container()
    container.register(String.self, tags: "optional") { (_, id: UUID?) in id?.uuidString ?? "none" }
    container.register(String.self, tags: "existential") { (_, greeting: any Greeting) in greeting.text }
    container.register(String.self, tags: "any") { (_, value: Any) in "\(value)" }
    container.register(String.self, tags: "wrapped") { (_, number: Int) in "\(number)" }
    let id = UUID()
    #expect(try container.resolve(String.self, tags: "optional", args: id) == id.uuidString)
    #expect(try container.resolve(String.self, tags: "optional", args: UUID?.some(id)) == id.uuidString)
    #expect(try container.resolve(String.self, tags: "optional", args: UUID?.none) == "none")
    #expect(try container.resolve(String.self, tags: "existential", args: Hello()) == "hello")
    #expect(try container.resolve(String.self, tags: "any", args: 7) == "7")
    #expect(try container.resolve(String.self, tags: "wrapped", args: Int?.some(7)) == "7")
  }

  @Test("The error for wrong arguments to a nested factory has the nested factory's key")
  func nested() throws {
    let container = Container()
    let inner = container.register(Int.self) { (_, number: Int) in number }
    container.register(String.self) { resolver in "\(try resolver.resolve(Int.self, args: "one"))" }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(String.self) }
    #expect(error.reason.name == "invalidArgsType")
    #expect(error.key == inner)
  }

  @Test("A factory may resolve its own key with other arguments")
  func recursion() throws {
    let container = Container()
    container.register(Int.self) { (resolver, number: Int) in
      number < 2 ? 1 : number * (try resolver.resolve(Int.self, args: number - 1))
    }
    #expect(try container.resolve(Int.self, args: 5) == 120)
  }
}

@Suite("The arguments choose among registrations of one key", .timeLimit(.minutes(60)))
struct ArgumentChoiceTests {
  let container = Container()

  @Test("Registrations with the same type and tags but other argument types coexist")
  func kept() throws {
    container.register(String.self, tags: "a") { _ in "none" }
    container.register(String.self, tags: "a") { (_, number: Int) in "Int \(number)" }
    container.register(String.self, tags: "a") { (_, text: String) in "String \(text)" }
    container.register(String.self, tags: "a") { (_, number: Int, text: String) in "both \(number) \(text)" }
    #expect(try container.resolve(String.self, tags: "a") == "none")
    #expect(try container.resolve(String.self, tags: "a", args: 1) == "Int 1")
    #expect(try container.resolve(String.self, tags: "a", args: "b") == "String b")
    #expect(try container.resolve(String.self, tags: "a", args: 1, "b") == "both 1 b")
    #expect(container.find(Criteria<String>(tags: "a")).count == 1)
  }

  @Test("A registration replaces only the one with the same argument types, in any context")
  func replaced() async throws {
    container.register(String.self) { (_, number: Int) in "old" }
    container.register(String.self) { (_, text: String) in "other" }
    container.register(String.self) { (_, number: Int) async in "new" }
    #expect(try await container.resolve(String.self, args: 1) == "new")
    #expect(try await container.resolve(String.self, args: "a") == "other")
    container.register(isolation: MainActor.shared) { (_, number: Int) in "newest" }
    #expect(try await container.resolve(String.self, args: 1) == "newest")
  }

  @Test(
    "A factory with exactly the given argument types precedes one that they can be cast to, in either order of registration")
  func exactFirst() throws {
    let id = UUID()
    for isExactFirst in [true, false] {
      let container = Container()
      if isExactFirst { container.register(String.self) { (_, id: UUID) in "exact" } }
      container.register(String.self) { (_, id: UUID?) in "optional" }
      if !isExactFirst { container.register(String.self) { (_, id: UUID) in "exact" } }
      #expect(try container.resolve(String.self, args: id) == "exact")
      #expect(try container.resolve(String.self, args: UUID?.some(id)) == "optional")
      #expect(try container.resolve(String.self, args: UUID?.none) == "optional")
    }
  }

  @Test("A factory that the arguments can be cast to is chosen among factories with other argument types")
  func castNext() async throws {
    container.register(String.self) { (_, id: UUID?) in "optional" }
    container.register(String.self) { (_, number: Int) in "Int" }
    container.register(String.self) { (_, greeting: any Greeting) async in greeting.text }
    #expect(try await container.resolve(String.self, args: UUID()) == "optional")
    #expect(try await container.resolve(String.self, args: Hello()) == "hello")
  }

  @Test(
    "Arguments that the registration of a child does not take go to the parent, also before the child has its instance",
    arguments: [Lifetime.transient, .scoped, .singleton])
  func parentTakesArguments(lifetime: Lifetime) async throws {
    let parent = Container()
    parent.register(Int.self) { (_, number: Int) in number }
    let child = Container(parent: parent)
    child.register(Int.self, lifetime: lifetime) { _ in 5 }
    let resolve: @Sendable () throws -> Int = { try child.resolve(args: 7) }
    #expect(try resolve() == 7)
    #expect(try await child.resolve(Int.self, args: 8) == 8)
    #expect(try await child.resolve(Int.self) == 5)
  }

  @Test("The error for arguments that no factory takes is invalidArgsType")
  func nothingFits() throws {
    let key = container.register(String.self) { (_, id: UUID?) in "optional" }
    for _ in 1...2 {
      let error = try #require(throws: ResolutionError.self) { try container.resolve(String.self, args: 1) }
      #expect(error.reason.name == "invalidArgsType")
      #expect(error.key == key)
      // A second unsuitable registration does not change the error.
      container.register(String.self) { (_, text: String, number: Int) in "two" }
    }
  }

  @Test("The errors requiresAsync and requiresIsolation take precedence over wrong arguments")
  func contextFirst() throws {
    container.register(Int.self, tags: "async") { (_, text: String) async in text.count }
    container.register(isolation: MainActor.shared, tags: "main") { (_, text: String) in text.count }
    for lifetime in [Lifetime.transient, .singleton] {
      container.register(Int.self, tags: "async", lifetime: lifetime) { (_, text: String) async in text.count }
      container.register(Int.self, isolation: MainActor.shared, tags: "main", lifetime: lifetime) { (_, text: String) in
        text.count
      }
      let errors = try ["async", "main"].map { tag in
        try #require(throws: ResolutionError.self) { try container.resolve(Int.self, tags: tag, args: true) }
      }
      #expect(errors.map(\.reason.name) == ["requiresAsync", "requiresIsolation"])
    }
  }

  @MainActor
  @Test("On the main actor, the error requiresAsync takes precedence over wrong arguments")
  func contextFirstOnMain() throws {
    container.register(Int.self) { (_, text: String) async in text.count }
    let error = try #require(throws: ResolutionError.self) {
      try container.resolve(Int.self, isolation: MainActor.shared, args: true)
    }
    #expect(error.reason.name == "requiresAsync")
  }

  @Test("In a suitable context, wrong arguments are an error and the factory does not run")
  func wrongInContext() async throws {
    let made = Counter()
    container.register(Int.self, tags: "async") { (_, text: String) async in made.next() }
    container.register(Int.self, isolation: MainActor.shared, tags: "main") { (_, text: String) in made.next() }
    for tag in ["async", "main"] {
      let error = try await #require(throws: ResolutionError.self) {
        try await container.resolve(Int.self, tags: tag, args: true)
      }
      #expect(error.reason.name == "invalidArgsType")
      #expect(error.key == Key<Int>(tags: tag))
      await #expect(throws: ResolutionError.self) { try await container.resolve(Int.self, tags: tag) }
    }
    #expect(made.count == 0)
  }

  @Test("A created singleton ignores later arguments in every context")
  func builtSingletons() async throws {
    container.register(String.self, tags: "sync", lifetime: .singleton) { (_, number: Int) in "made with \(number)" }
    container.register(String.self, tags: "async", lifetime: .singleton) { (_, number: Int) async in "made with \(number)" }
    container.register(isolation: MainActor.shared, tags: "main", lifetime: .singleton) { (_, number: Int) in
      "made with \(number)"
    }
    for tag in ["sync", "async", "main"] {
      #expect(try await container.resolve(String.self, tags: tag, args: 1) == "made with 1")
      #expect(try await container.resolve(String.self, tags: tag, args: 2) == "made with 1")
      #expect(try await container.resolve(String.self, tags: tag, args: "two", 2) == "made with 1")
      // The instance exists, so a synchronous resolve returns it.
      #expect(try { try container.resolve(String.self, tags: tag) }() == "made with 1")
    }
  }

  @Test("A singleton whose first arguments were wrong is created with the next ones")
  func wrongFirst() async throws {
    container.register(String.self, lifetime: .singleton) { (_, number: Int) async in "made with \(number)" }
    await #expect(throws: ResolutionError.self) { try await container.resolve(String.self, args: "one") }
    #expect(try await container.resolve(String.self, args: 2) == "made with 2")
  }

  @MainActor
  @Test(
    "If the factory throws for the first caller, a waiter creates the singleton with its own arguments"
  )
  func spoiled() async throws {
    let container = container
    let (waits, begun) = AsyncStream.makeStream(of: Void.self)
    let gate = TaskGate()
    container.register(String.self, lifetime: .singleton) { (_, number: Int) async throws in
      if number == 0 {
        begun.yield()
        await gate.wait()
        throw SampleError()
      }
      return "made with \(number)"
    }
    let bad = Task { try await container.resolve(String.self, args: 0) }
    for await _ in waits { break }
    let good = Task { try await container.resolve(String.self, args: 1) }
    // This task is queued on the main actor after `good`, so `good` waits when it ends.
    await Task {}.value
    gate.open()
    await #expect(throws: SampleError.self) { try await bad.value }
    #expect(try await good.value == "made with 1")
  }

  @Test("Singletons that differ in their argument types have separate instances")
  func singletons() throws {
    container.register(String.self, lifetime: .singleton) { (_, number: Int) in "Int \(number)" }
    container.register(String.self, lifetime: .singleton) { (_, text: String) in "String \(text)" }
    #expect(try container.resolve(String.self, args: 1) == "Int 1")
    #expect(try container.resolve(String.self, args: "a") == "String a")
    #expect(try container.resolve(String.self, args: 2) == "Int 1")
  }
}

/// A gate that suspends a task until it is opened.
private final class TaskGate: Sendable {
  private let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
  func wait() async { for await _ in stream { break } }
  func open() { continuation.yield() }
}
