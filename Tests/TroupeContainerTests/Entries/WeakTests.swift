import Testing

@testable import TroupeContainer

private protocol Display: AnyObject, Sendable {}
private final class Screen: Display {}
private class Panel: @unchecked Sendable {}
private final class SmallPanel: Panel, @unchecked Sendable {}

@MainActor
private final class Controller {}

@Suite("A weak registration returns its object while it is retained elsewhere", .timeLimit(.minutes(60)))
struct WeakTests {
  private let container = Container()

  @Test("An object is found while it is retained elsewhere, and the registration remains afterwards")
  func lifetime() throws {
    var screen: Screen? = Screen()
    weak let watched = screen
    let key = container.register(weak: try #require(screen), tags: "main")
    #expect(try container.resolve(Screen.self, tags: "main") === screen)
    #expect(try container.resolve(key: key) === screen)
    #expect(try container.resolve([Screen].self).count == 1)
    #expect(try container.resolve(Screen?.self, tags: "main") != nil)
    screen = nil
    #expect(watched == nil)
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Screen.self, tags: "main") }
    #expect(error.key == key && error.reason.name == "notFound")
    #expect(error.description.hasSuffix("; the weak object that was registered there was released"))
    #expect(try container.resolve(Screen?.self, tags: "main") == nil)
    #expect(try container.resolve(ifPresent: Screen.self, tags: "main") == nil)
    #expect(try container.resolve([Screen].self, tags: "main").isEmpty)
    #expect(try container.resolve(keys: [key]).isEmpty)
    #expect(throws: ResolutionError.self) { try container.resolve(LazyResolver<Screen>.self, tags: "main").resolve() }
    #expect(container[key] != nil)
    #expect(container.find(Criteria<Screen>(op: .subset)) == [key])
    #expect(container.unregister(key: key) == 1)
  }

  @Test("An array omits released objects and keeps the order of the others")
  func array() throws {
    var screens: [Screen] = (0..<4).map { _ in Screen() }
    for (index, screen) in screens.enumerated() { container.register(weak: screen, tags: index) }
    container.register(Screen.self, tags: "made", lifetime: .singleton) { _ in Screen() }
    screens.remove(at: 1)
    let found = try container.resolve([Screen].self)
    #expect(found.count == 4)
    #expect(zip(found, screens).allSatisfy { $0 === $1 })
  }

  @Test("A weak registration under a protocol or a superclass resolves the object")
  func contract() throws {
    let (screen, panel) = (Screen(), SmallPanel())
    let key = container.register((any Display).self, weak: screen, tags: "main") { $0 }
    container.register(weak: panel, as: { $0 as Panel })
    #expect(try container.resolve((any Display).self, tags: "main") === screen)
    #expect(try container.resolve(Panel.self) === panel)
    #expect(throws: ResolutionError.self) { try container.resolve(Screen.self, tags: "main") }
    #expect(key == Key<any Display>(tags: "main"))
    #expect(container[key]?.location?.contains("WeakTests.swift") == true)
  }

  @Test("A weak registration takes any arguments and is found in every context")
  @MainActor
  func contexts() async throws {
    let controller = Controller()
    container.register(weak: controller)
    #expect(try await container.resolve(Controller.self, args: 7, "a") === controller)
    #expect(try await container.resolve(Controller.self) === controller)
    #expect(try await container.resolve([Controller].self).count == 1)
    #expect(try container.resolve(Controller.self, isolation: MainActor.shared) === controller)
    #expect(try container.resolve([Controller].self, isolation: MainActor.shared).count == 1)
    #expect(try await container.resolve(key: Key<Controller>(), cached: false) === controller)
  }

  @Test("A released object is not found in any context")
  @MainActor
  func contextsAfterwards() async throws {
    do { container.register(weak: Controller()) }
    #expect(try await container.resolve(ifPresent: Controller.self) == nil)
    #expect(try await container.resolve([Controller].self).isEmpty)
    #expect(try container.resolve(ifPresent: Controller.self, isolation: MainActor.shared) == nil)
    #expect(try container.resolve([Controller].self, isolation: MainActor.shared).isEmpty)
    let error = await #expect(throws: ResolutionError.self) { try await container.resolve(Controller.self) }
    #expect(error?.reason.name == "notFound")
  }

  @Test("A released object hides the parent's registration, since its own registration remains")
  func parent() throws {
    let child = Container(parent: container)
    let screen = Screen()
    container.register(weak: screen)
    #expect(try child.resolve(Screen.self) === screen)
    do { child.register(weak: Screen()) }
    #expect(try child.resolve(ifPresent: Screen.self) == nil)
    #expect(try child.resolve([Screen].self).isEmpty)
    child.unregister(key: Key<Screen>())
    #expect(try child.resolve(Screen.self) === screen)
  }

  @Test("A new registration replaces a weak one, weakly or not")
  func replaced() throws {
    let (first, second) = (Screen(), Screen())
    container.register(weak: first)
    container.register(weak: second)
    #expect(try container.resolve(Screen.self) === second)
    container.register(lifetime: .singleton) { _ in Screen() }
    let made = try container.resolve(Screen.self)
    #expect(made !== first && made !== second)
    container.register(weak: first)
    #expect(try container.resolve([Screen].self).map { $0 === first } == [true])
  }

  @Test("A copy under another key or type is weak as well")
  func copies() throws {
    var screen: Screen? = Screen()
    weak let watched = screen
    let key = container.register(weak: try #require(screen))
    container[Key<Screen>(tags: "copy")] = container[key]
    container[Key<any Display>()] = container[key]
    container[Key<Int>()] = container[key]
    #expect(try container.resolve(Screen.self, tags: "copy") === screen)
    #expect(try container.resolve((any Display).self) === screen)
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int.self) }
    #expect(error.reason.name == "invalidInstanceType")
    #expect(try container.instance(of: try #require(container[key]), arguments: []) as? Screen === screen)
    screen = nil
    #expect(watched == nil)
    #expect(try container.resolve([any Display].self).isEmpty)
    #expect(try container.resolve(ifPresent: Int.self) == nil)
    #expect(throws: ResolutionError.self) { try container.instance(of: try #require(container[key]), arguments: []) }
  }

  @Test("A factory throws the error of a released object that it needs")
  func nested() throws {
    do { container.register(weak: Screen()) }
    container.register(Int.self) { resolver in
      _ = try resolver.resolve(Screen.self)
      return 1
    }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(ifPresent: Int.self) }
    #expect(error.key == Key<Screen>() && error.reason.name == "notFound")
  }

  @Test("Threads that resolve while the object is released receive it or nil")
  func race() throws {
    let container = container
    for _ in 0..<200 {
      let holder = Holder(Screen())
      container.register(weak: try #require(holder.screen))
      let meeting = Rendezvous(4)
      let found = try onThreads(4) { thread -> [Bool] in
        meeting.meet()
        if thread == 0 {
          holder.screen = nil
          return []
        }
        return try (0..<50).map { _ in try container.resolve(ifPresent: Screen.self) != nil }
      }
      // A released object does not reappear.
      for found in found { #expect(found == found.sorted { $0 && !$1 }) }
      #expect(try container.resolve(ifPresent: Screen.self) == nil)
    }
  }

  /// Retains an object.
  private final class Holder: @unchecked Sendable {
    // Sendable because only one thread changes it after others share it.
    var screen: Screen?
    init(_ screen: Screen) { self.screen = screen }
  }
}
