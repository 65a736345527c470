import Synchronization
import Testing

@testable import TroupeContainer
import TroupeTesting

private struct Api: Sendable, Equatable {
  var address = "example.org"
}

private protocol DatabaseLayer: Sendable {
  var name: String { get }
}

private struct Database: DatabaseLayer {
  var name = "any"
}

private enum Name { case real, test }

private protocol UsesApi: AnyObject {
  var api: Api! { get set }
}

private protocol UsesDatabase: AnyObject {
  var database: (any DatabaseLayer)! { get set }
}

private class Controller: UsesApi, UsesDatabase {
  var api: Api!
  var database: (any DatabaseLayer)!
  var title = "untitled"
}

private final class SpecialController: Controller {
  var number: Int?
}

private struct Judge: Equatable {}

private protocol Arbiter {
  var rank: Int { get }
  var judge: Judge? { get set }
}

private struct Referee: Arbiter, Equatable {
  var rank: Int
  var judge: Judge?
}

/// Registers the dependencies of a controller.
private func registerDependencies(in container: Container) {
  container.register((any DatabaseLayer).self) { _ in Database() }
  container.register { _ in Api() }
}

@Suite("Injection works as in the README of Guise 9", .container(registerDependencies))
struct InjectionReadmeTests {
  private let container = Container.current

  @Test("Key paths: an injection sets the properties")
  func keyPaths() throws {
    container.into(injectable: Controller.self).inject(\.api).inject(\.database).register()
    let controller = Controller()
    try container.resolve(into: controller)
    #expect(controller.api == Api())
    #expect(controller.database?.name == "any")
  }

  @Test("Abstraction: a target that conforms to two protocols receives the injections into both")
  func protocols() throws {
    container.into(injectable: (any UsesApi).self).inject(\.api).register()
    container.into(injectable: (any UsesDatabase).self).inject(\.database).register()
    let controller = try container.resolve(into: Controller())
    #expect(controller.api == Api())
    #expect(controller.database?.name == "any")
  }

  @Test("Names and containers: tags select the dependency of an injection")
  func tags() throws {
    container.register((any DatabaseLayer).self, tags: Name.real) { _ in Database(name: "real") }
    container.into(injectable: (any UsesDatabase).self).inject(\.database, tags: Name.real).register()
    #expect(try container.resolve(into: Controller()).database?.name == "real")
  }

  @Test("Explicit injection: a block injects into the values that conform to a protocol")
  func blocks() throws {
    container.register { _ in Judge() }
    container.into(injectable: (any Arbiter).self).inject { target, resolver in
      if target.rank < 7 { return target }
      var target = target
      target.judge = try resolver.resolve()
      return target
    }.register()
    #expect(try container.resolve(into: Referee(rank: 6)) == Referee(rank: 6))
    #expect(try container.resolve(into: Referee(rank: 7)) == Referee(rank: 7, judge: Judge()))
    let arbiter: any Arbiter = Referee(rank: 8)
    #expect(try container.resolve(into: arbiter).judge == Judge())
  }

  @Test("A second registration replaces the first, and an injection can be unregistered")
  func replaced() throws {
    container.register(tags: Name.test) { _ in Api(address: "test") }
    let first = container.into(injectable: Controller.self).inject(\.api).inject(\.database).register()
    let second = container.into(injectable: Controller.self).inject(\.api, tags: Name.test).register()
    #expect(first == second)
    let controller = try container.resolve(into: Controller())
    #expect(controller.api?.address == "test")
    #expect(controller.database == nil)
    container[second] = nil
    #expect(try container.resolve(into: Controller()).api == nil)
  }
}

@Suite(
  "An injection runs for each target of its type, in every context", .container(registerDependencies), .timeLimit(.minutes(60)))
struct InjectionTests {
  private let container = Container.current

  // MARK: Targets

  @Test("A target without an injection is returned unchanged")
  func noInjection() throws {
    container.into(injectable: Controller.self).inject(\.api).register()
    #expect(try container.resolve(into: Referee(rank: 1)) == Referee(rank: 1))
    let instance = Instance()
    #expect(try container.resolve(into: instance) === instance)
    #expect(try Container().resolve(into: Controller()).api == nil)
  }

  @Test("An injection into a superclass applies to its subclasses but not the reverse, for any static type of the target")
  func superclass() throws {
    container.register { _ in 7 }
    container.into(injectable: Controller.self).inject(\.api).register()
    container.into(injectable: SpecialController.self).inject(\.number).register()
    let special: Controller = SpecialController()
    try container.resolve(into: special)
    #expect(special.api == Api())
    #expect((special as? SpecialController)?.number == 7)
    let plain = try container.resolve(into: Controller())
    #expect(plain.api == Api())
    let unknown: Any = SpecialController()
    try container.resolve(into: unknown)
    #expect((unknown as? SpecialController)?.number == 7)
  }

  @Test("An injection into AnyObject applies to every object and to no value")
  func everyObject() throws {
    let container = Container()
    let count = Counter()
    container.into(injectable: AnyObject.self).inject { target, _ in
      count.next()
      return target
    }.register()
    try container.resolve(into: Controller())
    try container.resolve(into: Instance())
    try container.resolve(into: Referee(rank: 1))
    try container.resolve(into: "text")
    #expect(count.count == 2)
  }

  @Test("Key paths inject into a struct, which is returned changed")
  func structByKeyPath() throws {
    let container = Container()
    container.register { _ in Judge() }
    container.register { _ in 9 }
    container.into(injectable: Referee.self).inject(\.judge).inject(\.rank).register()
    let given = Referee(rank: 1)
    #expect(try container.resolve(into: given) == Referee(rank: 9, judge: Judge()))
    let unknown: Any = given
    #expect(try container.resolve(into: unknown) as? Referee == Referee(rank: 9, judge: Judge()))
  }

  @Test("Key paths inject into a protocol that is not limited to classes")
  func protocolByKeyPath() throws {
    final class Umpire: Arbiter {
      let rank = 3
      var judge: Judge?
    }
    let container = Container()
    container.register { _ in Judge() }
    container.into(injectable: (any Arbiter).self).inject(\.judge).register()
    #expect(try container.resolve(into: Referee(rank: 1)).judge == Judge())
    let umpire = Umpire()
    #expect(try container.resolve(into: umpire) === umpire)
    #expect(umpire.judge == Judge())
  }

  @Test("An injection applies to the value in an optional, and nil stays nil")
  func optionalTarget() throws {
    container.into(injectable: Controller.self).inject(\.api).register()
    let controller: Controller? = Controller()
    try container.resolve(into: controller)
    #expect(controller?.api == Api())
    #expect(try container.resolve(into: Controller?.none) == nil)
    container.register { _ in Judge() }
    container.into(injectable: Referee.self).inject(\.judge).register()
    let referee: Referee? = Referee(rank: 1)
    #expect(try container.resolve(into: referee)?.judge == Judge())
  }

  @Test("All injections into a type with different tags run in the order of their registration")
  func severalForOneType() throws {
    let container = Container()
    for tag in ["a", "b", "c"] {
      container.into(injectable: Controller.self).inject { target, _ in
        target.title += " " + tag
        return target
      }.register(tags: tag)
    }
    #expect(try container.resolve(into: Controller()).title == "untitled a b c")
    container[Injection.key(into: Controller.self, tags: "b")] = nil
    #expect(try container.resolve(into: Controller()).title == "untitled a c")
  }

  @Test("An injection is found among 10,000 into another type, none of which runs")
  func manyOthers() throws {
    let container = Container()
    let runs = Counter()
    try container.batch { registrar in
      for number in 0..<10_000 {
        registrar.into(injectable: Referee.self).inject { target, _ in
          runs.next()
          return target
        }.register(tags: number)
      }
      registrar.into(injectable: Controller.self).inject { target, _ in target }.register()
    }
    let controller = Controller()
    for _ in 0..<10_000 { try container.resolve(into: controller) }
    #expect(runs.count == 0)
    #expect(try container.injections(into: controller).count == 1)
  }

  // MARK: Dependencies

  @Test("An optional property is unchanged if its key is not registered, and errors of its factory are thrown")
  func optionalProperty() throws {
    let container = Container()
    container.into(injectable: Controller.self).inject(\.api).register()
    let controller = Controller()
    controller.api = Api(address: "before")
    try container.resolve(into: controller)
    #expect(controller.api?.address == "before")

    container.register(Api.self) { _ in throw SampleError() }
    #expect(throws: SampleError.self) { try container.resolve(into: controller) }

    // The missing key is that of a dependency, not that of the property.
    container.register(Api.self) { resolver in Api(address: try resolver.resolve(String.self)) }
    let missing = try #require(throws: ResolutionError.self) { try container.resolve(into: controller) }
    #expect(missing.key == Key<String>())
    #expect(controller.api?.address == "before")
  }

  @Test("An optional property is unchanged with tags, asynchronously and on the main actor as well")
  @MainActor
  func optionalPropertyElsewhere() async throws {
    let container = Container()
    container.into(injectable: Controller.self).inject(\.api, tags: "some").register()
    container.register { _ in Api() }
    let controller = Controller()
    controller.api = Api(address: "before")
    try await container.resolve(into: controller)
    try container.resolve(into: controller, isolation: MainActor.shared)
    #expect(controller.api?.address == "before")
    container.register(tags: "some") { _ in Api(address: "after") }
    try container.resolve(into: controller, isolation: MainActor.shared)
    #expect(controller.api?.address == "after")
  }

  @Test("A registration of the optional type may set the property to nil")
  func registeredOptional() throws {
    let container = Container()
    container.register(Int?.self) { _ in nil }
    container.register { _ in 7 }
    container.into(injectable: SpecialController.self).inject(\.number).register()
    let controller = SpecialController()
    controller.number = 1
    try container.resolve(into: controller)
    #expect(controller.number == nil)
  }

  @Test("A missing key of a property that is not optional is an error that names the target")
  func notFound() throws {
    let container = Container()
    container.into(injectable: Controller.self).inject(\.title).register()
    let error = try #require(throws: ResolutionError.self) { try container.resolve(into: Controller()) }
    #expect(error.reason.name == "notFound")
    #expect(error.key == Key<String>())
    #expect("\(error)".contains("Controller"))
    container.register { _ in "Hello" }
    #expect(try container.resolve(into: Controller()).title == "Hello")
  }

  @Test("A property may be an array or a lazy resolver")
  func composites() throws {
    final class Collector {
      var numbers: [Int]!
      var later: LazyResolver<Api>?
    }
    let container = Container()
    container.into(injectable: Collector.self).inject(\.numbers).inject(\.later).register()
    let collector = Collector()
    try container.resolve(into: collector)
    #expect(collector.numbers == [])
    container.register(tags: "a") { _ in 1 }
    container.register(tags: "b") { _ in 2 }
    container.register { _ in Api() }
    try container.resolve(into: collector)
    #expect(collector.numbers == [1, 2])
    #expect(try collector.later?.resolve() == Api())
  }

  @Test("After an error, an object keeps the properties set before it and the later ones are not set")
  func failing() throws {
    container.into(injectable: Controller.self).inject(\.api).inject { _, _ in throw SampleError() }.inject(\.database)
      .register()
    let controller = Controller()
    #expect(throws: SampleError.self) { try container.resolve(into: controller) }
    #expect(controller.api == Api())
    #expect(controller.database == nil)
  }

  // MARK: Blocks

  @Test("A block that returns another object than its target is an error")
  func anotherObject() throws {
    let container = Container()
    container.into(injectable: Controller.self).inject { _, _ in Controller() }.register()
    let error = try #require(throws: InjectionError.self) { try container.resolve(into: Controller()) }
    guard case .anotherObject(let type) = error else { throw error }
    #expect(ObjectIdentifier(type) == ObjectIdentifier(Controller.self))
    #expect("\(error)".contains("returned another object"))
  }

  @Test("A block that returns a value of another type than its target is an error")
  func anotherType() throws {
    struct Other: Arbiter {
      let rank = 1
      var judge: Judge?
    }
    let container = Container()
    container.into(injectable: (any Arbiter).self).inject { _, _ in Other() }.register()
    let error = try #require(throws: InjectionError.self) { try container.resolve(into: Referee(rank: 1)) }
    guard case .anotherType(let given, let returned) = error else { throw error }
    #expect(ObjectIdentifier(given) == ObjectIdentifier(Referee.self))
    #expect(ObjectIdentifier(returned) == ObjectIdentifier(Other.self))
    #expect(throws: InjectionError.self) { try container.resolve(into: Referee(rank: 1) as any Arbiter) }
  }

  // MARK: Contexts

  @Test("Only an asynchronous resolve injects an asynchronous dependency")
  func asyncDependency() async throws {
    let container = Container()
    container.register(Api.self) { _ in
      await Task.yield()
      return Api(address: "later")
    }
    container.into(injectable: Controller.self).inject(\.api).register()
    let controller = Controller()
    func synchronously() throws { try container.resolve(into: controller) }
    let error = try #require(throws: ResolutionError.self) { try synchronously() }
    #expect(error.reason.name == "requiresAsync")
    try await container.resolve(into: controller)
    #expect(controller.api?.address == "later")
  }

  @Test("Only an asynchronous resolve runs an asynchronous block")
  func asyncBlock() async throws {
    let container = Container()
    container.register(String.self) { _ in
      await Task.yield()
      return "later"
    }
    container.into(injectable: Controller.self).inject { target, resolver in
      target.title = try await resolver.resolve()
      return target
    }.register()
    let controller = Controller()
    func synchronously() throws { try container.resolve(into: controller) }
    let error = try #require(throws: ResolutionError.self) { try synchronously() }
    #expect(error.reason.name == "requiresAsync")
    #expect(error.key == Injection.key(into: Controller.self))
    try await container.resolve(into: controller)
    #expect(controller.title == "later")
    #expect(try await container.resolve(into: Controller?.some(controller)) === controller)
    #expect(try await container.resolve(into: Referee(rank: 1)) == Referee(rank: 1))
  }

  @Test("A main-actor dependency is injected on the main actor or asynchronously")
  func mainDependency() async throws {
    let container = Container()
    container.register(Api.self, isolation: MainActor.shared) { _ in Api(address: "main") }
    container.into(injectable: Controller.self).inject(\.api).register()
    let address = try await MainActor.run {
      let controller = Controller()
      let error = try #require(throws: ResolutionError.self) { try container.resolve(into: controller) }
      #expect(error.reason.name == "requiresIsolation")
      return try container.resolve(into: controller, isolation: MainActor.shared).api?.address
    }
    #expect(address == "main")
    #expect(try await container.resolve(into: Controller()).api?.address == "main")
  }

  @MainActor
  private final class Window {
    var title = "untitled"
  }

  @Test("A main-actor block sets main-actor properties")
  func mainBlock() async throws {
    let container = Container()
    container.register { _ in "Hello" }
    container.into(injectable: Window.self).inject(isolation: MainActor.shared) { target, resolver in
      target.title = try resolver.resolve(isolation: MainActor.shared)
      return target
    }.register()
    let title = try await MainActor.run {
      try container.resolve(into: Window(), isolation: MainActor.shared).title
    }
    #expect(title == "Hello")
    let window = await MainActor.run { Window() }
    func synchronously() throws { try container.resolve(into: window) }
    let error = try #require(throws: ResolutionError.self) { try synchronously() }
    #expect(error.reason.name == "requiresIsolation")
    try await container.resolve(into: window)
    #expect(await window.title == "Hello")
  }

  // MARK: Containers, owners, batches

  @Test("A child's injection replaces the parent's with the same key; all others run, the parent's first")
  func children() throws {
    func adding(_ text: String, to registrar: any Registrar, _ tag: String) {
      registrar.into(injectable: Controller.self).inject { target, _ in
        target.title += " " + text
        return target
      }.register(tags: tag)
    }
    let parent = Container()
    let child = Container(parent: parent)
    adding("child b", to: child, "b")
    adding("child c", to: child, "c")
    adding("parent a", to: parent, "a")
    adding("parent b", to: parent, "b")
    #expect(try child.resolve(into: Controller()).title == "untitled parent a child b child c")
    #expect(try parent.resolve(into: Controller()).title == "untitled parent a parent b")
    child.clearInjections(["b", "c"])
    #expect(try child.resolve(into: Controller()).title == "untitled parent a parent b")
  }

  @Test("A parent's injection resolves from the child that injects")
  func overrides() throws {
    let parent = Container.current
    parent.into(injectable: Controller.self).inject(\.api).inject { target, resolver in
      target.title = try resolver.resolve(Api.self).address
      return target
    }.register()
    let child = Container(parent: parent)
    child.register { _ in Api(address: "child") }
    let controller = try child.resolve(into: Controller())
    #expect(controller.api?.address == "child")
    #expect(controller.title == "child")
    #expect(try parent.resolve(into: Controller()).title == "example.org")
  }

  @Test("An injection uses the overrides of its task, and an override may replace an injection")
  func taskOverrides() throws {
    container.register(tags: "n") { _ in 1 }
    container.into(injectable: Controller.self).inject(\.api).register()
    container.into(injectable: SpecialController.self).inject(\.number, tags: "n").register()
    try container.withOverrides { registrar in
      registrar.register { _ in Api(address: "fake") }
      registrar.register(Int?.self, tags: "n") { _ in nil }
      registrar.into(injectable: Controller.self).inject(\.api).inject(\.database).register()
    } operation: {
      let controller = SpecialController()
      controller.number = 7
      try container.resolve(into: controller)
      #expect(controller.api?.address == "fake")
      #expect(controller.database?.name == "any")
      #expect(controller.number == nil)
    }
    let controller = try container.resolve(into: SpecialController())
    #expect(controller.api == Api())
    #expect(controller.database == nil)
    #expect(controller.number == 1)
  }

  @Test("Unregistering an owner removes its injections and releases their captures")
  func owners() throws {
    let owner = Owner(name: "plugin")
    weak var held: Instance?
    do {
      let instance = Instance()
      held = instance
      container.registrar(owner: owner).into(injectable: Controller.self).inject(\.api).inject { target, _ in
        withExtendedLifetime(instance) { target }
      }.register()
    }
    #expect(try container.resolve(into: Controller()).api == Api())
    #expect(held != nil)
    #expect(container.unregister(owner: owner) == 1)
    #expect(held == nil)
    #expect(try container.resolve(into: Controller()).api == nil)
  }

  @Test("The injections of a batch are added together or not at all")
  func batches() throws {
    let container = Container(collisions: .fail)
    container.register { _ in Api() }
    #expect(throws: SampleError.self) {
      try container.batch { registrar in
        registrar.into(injectable: Controller.self).inject(\.api).register()
        throw SampleError()
      }
    }
    #expect(try container.resolve(into: Controller()).api == nil)
    #expect(throws: CollisionError.self) {
      try container.batch { registrar in
        registrar.into(injectable: Controller.self).inject(\.api).register()
        registrar.into(injectable: Controller.self).inject(\.database).register()
      }
    }
    #expect(try container.resolve(into: Controller()).api == nil)
    try container.batch { registrar in
      registrar.into(injectable: Controller.self).inject(\.api).register()
      registrar.into(injectable: Referee.self).inject(\.judge).register()
    }
    #expect(try container.resolve(into: Controller()).api == Api())
  }

  @Test("An injection registered after an injection into its type is found")
  func later() throws {
    let container = Container()
    container.register { _ in 7 }
    #expect(try container.resolve(into: SpecialController()).number == nil)
    container.into(injectable: Controller.self).inject { target, _ in
      target.title = "set"
      return target
    }.register()
    #expect(try container.resolve(into: SpecialController()).title == "set")
    container.into(injectable: SpecialController.self).inject(\.number).register()
    #expect(try container.resolve(into: SpecialController()).number == 7)
  }

  @Test("A pending injection is loaded when it is needed")
  func pending() throws {
    let owner = Owner(name: "plugin")
    let held = Owner(name: "held")
    let loads = Counter()
    container.add(
      [
        .pending(Injection.self, tags: TagList([AnySendableHashable("injection")]), lifetime: .transient, argumentTypes: nil) {
          loads.next()
          let collected = Container()
          collected.into(injectable: Controller.self).inject(\.api).register(tags: "injection")
          container.replace(owner: held, with: collected.entries(of: Injection.self, including: []), owner: owner)
        }
      ], owner: held)
    for _ in 0..<2 { #expect(try container.resolve(into: Controller()).api == Api()) }
    #expect(loads.count == 1)
  }

  // MARK: Dependency cycles

  @Test(
    "A factory that injects into a target that needs its instance is a dependency cycle",
    arguments: [Lifetime.transient, .singleton])
  func cycle(lifetime: Lifetime) throws {
    let container = Container()
    container.register(Api.self, lifetime: lifetime) { resolver in
      try resolver.resolve(into: Controller())
      return Api()
    }
    container.into(injectable: Controller.self).inject(\.api).register()
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Api.self) }
    #expect(error.reason.name == "cycle")
    let fromOutside = try #require(throws: ResolutionError.self) { try container.resolve(into: Controller()) }
    #expect(fromOutside.reason.name == "cycle")
  }

  @Test(
    "An asynchronous factory that injects into a target that needs its instance is a dependency cycle"
  )
  func asyncCycle() async throws {
    let container = Container()
    container.register(Api.self, lifetime: .singleton) { resolver in
      try await resolver.resolve(into: Controller())
      return Api()
    }
    container.into(injectable: Controller.self).inject(\.api).register()
    let error = try await #require(throws: ResolutionError.self) { try await container.resolve(Api.self) }
    #expect(error.reason.name == "cycle")
  }

  private final class Node {
    var children: [Node] = []
    var isDone = false
  }

  @Test(
    "An injection may inject into other targets of its type, and an endless one is a dependency cycle"
  )
  func nested() async throws {
    let container = Container()
    container.into(injectable: Node.self).inject { target, resolver in
      for child in target.children { try resolver.resolve(into: child) }
      target.isDone = true
      return target
    }.register()
    let leaf = Node()
    let middle = Node()
    middle.children = [leaf]
    let root = Node()
    root.children = [middle]
    func synchronously() throws { try container.resolve(into: root) }
    try synchronously()
    #expect(leaf.isDone && middle.isDone && root.isDone)
    leaf.children = [root]
    let error = try #require(throws: ResolutionError.self) { try synchronously() }
    #expect(error.reason.name == "cycle")

    container.into(injectable: Node.self).inject { target, resolver in
      for child in target.children { try await resolver.resolve(into: child) }
      return target
    }.register()
    let asyncError = try await #require(throws: ResolutionError.self) { _ = try await container.resolve(into: root) }
    #expect(asyncError.reason.name == "cycle")
  }

  // MARK: Threads and dependencies

  @Test("Threads inject into their own targets while injections are added and removed")
  func threads() async throws {
    container.into(injectable: (any UsesApi).self).inject(\.api).register()
    let wrong = Counter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          func once() throws {
            let controller = try container.resolve(into: SpecialController())
            // Both injections are added and removed together.
            if controller.api == nil || (controller.number == 1) != (controller.title == "set") { wrong.next() }
          }
          for _ in 0..<2000 { try once() }
        }
      }
      group.addTask {
        let owner = Owner(name: "changing")
        for _ in 0..<200 {
          try container.batch(owner: owner) { registrar in
            registrar.into(injectable: SpecialController.self).inject { target, _ in
              target.number = 1
              return target
            }.register()
            registrar.into(injectable: Controller.self).inject { target, _ in
              target.title = "set"
              return target
            }.register()
          }
          container.unregister(owner: owner)
        }
      }
      try await group.waitForAll()
    }
    #expect(wrong.count == 0)
    #expect(try await container.resolve(into: Controller()).title == "untitled")
  }

  @Test("The dependencies of key paths are known, and those of blocks are not")
  func dependencies() throws {
    let container = Container()
    let key = container.into(injectable: SpecialController.self).inject(\.number, tags: "n").inject(\.title).register()
    let blocks = container.into(injectable: Controller.self).inject(\.api).inject { target, _ in target }.register()
    let known = try #require(container[key]?.details)
    #expect(known.dependencies?.map(\.key) == [AnyKey(Key<Int?>(tags: "n")), AnyKey(Key<String>())])
    #expect(!known.hasUnknownDependencies)
    let partly = try #require(container[blocks]?.details)
    #expect(partly.dependencies?.map(\.key) == [AnyKey(Key<Api?>())])
    #expect(partly.hasUnknownDependencies)
    #expect(container[key]?.location?.contains("InjectionTests.swift") == true)
  }
}

extension Container {
  fileprivate func clearInjections(_ tags: [String]) {
    for tag in tags { self[Injection.key(into: Controller.self, tags: tag)] = nil }
  }
}
