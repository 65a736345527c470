import Testing
import TroupeContainer

@MainActor
private final class Window {
  let title: String
  init(title: String) { self.title = title }
}

@MainActor
private final class Screen {
  let windows: [Window]
  let main: Window?
  init(windows: [Window], main: Window?) { (self.windows, self.main) = (windows, main) }
}

@MainActor
@Suite("A main-actor registration resolves on the main actor or asynchronously", .timeLimit(.minutes(60)))
struct MainActorTests {
  private let container = Container()

  @Test("Instances, optionals and arrays are resolved without await")
  func synchronous() throws {
    container.register(isolation: MainActor.shared, tags: "a") { _ in Window(title: "a") }
    container.register(isolation: MainActor.shared, tags: "b", lifetime: .singleton) { _ in Window(title: "b") }
    #expect(try container.resolve(Window.self, isolation: MainActor.shared, tags: "a").title == "a")
    #expect(try container.resolve(Window?.self, isolation: MainActor.shared, tags: "b")?.title == "b")
    #expect(try container.resolve(Window?.self, isolation: MainActor.shared) == nil)
    #expect(try container.resolve([Window].self, isolation: MainActor.shared).map(\.title) == ["a", "b"])
    let first = try container.resolve(Window.self, isolation: MainActor.shared, tags: "b")
    #expect(try container.resolve(Window.self, isolation: MainActor.shared, tags: "b") === first)
  }

  @Test("mainauto resolves each dependency on the main actor")
  func mainAutomatic() throws {
    container.register(isolation: MainActor.shared, tags: "a") { _ in Window(title: "a") }
    container.register(isolation: MainActor.shared, factory: mainauto(Screen.init))
    let screen = try container.resolve(Screen.self, isolation: MainActor.shared)
    #expect(screen.windows.map(\.title) == ["a"])
    #expect(screen.main == nil)
  }

  @Test("A resolve off the main actor is an error with the required actor", arguments: [Lifetime.transient, .singleton])
  func requiresIsolation(lifetime: Lifetime) throws {
    let key = container.register(isolation: MainActor.shared, lifetime: lifetime) { _ in Window(title: "a") }
    container.register(String.self) { resolver in "\(try resolver.resolve(Window.self))" }
    let attempts: [() throws -> Void] = [
      { _ = try container.resolve(Window.self) }, { _ = try container.resolve(Window?.self) },
      { _ = try container.resolve([Window].self) }, { _ = try container.resolve(String.self) },
    ]
    for attempt in attempts {
      let error = try #require(throws: ResolutionError.self) { try attempt() }
      #expect(error.key == key)
      guard case .requiresIsolation(let actor) = error.reason else {
        Issue.record(error)
        return
      }
      #expect(actor === MainActor.shared)
    }
  }

  @Test("A singleton created on the main actor is available in every context")
  func builtSingleton() async throws {
    container.register(isolation: MainActor.shared, lifetime: .singleton) { _ in Window(title: "a") }
    let window = try container.resolve(Window.self, isolation: MainActor.shared)
    let container = container
    #expect(try { try container.resolve(Window.self) }() === window)
    #expect(try await container.resolve(Window.self) === window)
  }

  @Test("Tasks off the main actor and the main actor receive the same singleton")
  nonisolated func sharedSingleton() async throws {
    let (container, made) = (Container(), Counter())
    container.register(isolation: MainActor.shared, lifetime: .singleton) { _ in Window(title: "\(made.next())") }
    async let here = container.resolve(Window.self)
    async let there = MainActor.run { try container.resolve(Window.self, isolation: MainActor.shared) }
    let windows = try await [here, there]
    #expect(windows[0] === windows[1])
    #expect(made.count == 1)
  }

  @Test("A resolve throws the error of a main-actor factory, and the next one creates the singleton")
  func failure() throws {
    let attempts = Counter()
    container.register(isolation: MainActor.shared, lifetime: .singleton) { _ in
      if attempts.next() == 1 { throw SampleError() }
      return Window(title: "a")
    }
    #expect(throws: SampleError.self) { try container.resolve(Window.self, isolation: MainActor.shared) }
    #expect(try container.resolve(Window.self, isolation: MainActor.shared).title == "a")
  }

  @Test(
    "A dependency cycle on the main actor is an error", arguments: [Lifetime.transient, .singleton])
  func cycle(lifetime: Lifetime) throws {
    container.register(isolation: MainActor.shared, lifetime: lifetime) { resolver in
      try resolver.resolve(Screen.self, isolation: MainActor.shared).windows[0]
    }
    container.register(isolation: MainActor.shared, lifetime: lifetime) { resolver in
      Screen(windows: [try resolver.resolve(Window.self, isolation: MainActor.shared)], main: nil)
    }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Screen.self, isolation: MainActor.shared) }
    #expect(error.reason.name == "cycle")
  }
}
