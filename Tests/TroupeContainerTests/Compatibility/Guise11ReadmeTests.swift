import Foundation
import Testing
import TroupeContainer

// The examples in the README of Guise 11 from beginning to end, as code for Guise with only the import changed. The tests
// supply omitted parts, such as bodies of classes and types of UIKit. If a printed example compiles with no library, the test
// has the nearest one that does, and a comment gives the reason. `any` is added where the settings of this package require it.

// MARK: Types of UIKit

/// Replaces the class of UIKit.
@MainActor
class UIViewController {
  private(set) var presented: UIViewController?
  func present(_ other: UIViewController, animated: Bool) { presented = other }
}

@globalActor
private actor MyActor {
  static let shared = MyActor()
}

// MARK: Registration

@Suite("Registration works as in the README of Guise 11")
struct GuiseReadmeRegistrationTests {
  @Test("Types: a registration takes a type and a block, or the block alone")
  func types() throws {
    class Service {}
    let container = Container()
    container.register(Service.self) { _ in
      Service()
    }
    let first = try container.resolve(Service.self)

    container.register { _ in Service() }
    #expect(try container.resolve(Service.self) !== first)
  }

  @Test("Types: a registration has the type of the protocol, not of the block's instance")
  func abstraction() throws {
    protocol Service {
      func performService() async
    }
    class ConcreteService: Service {
      func performService() async {}
    }
    class TestService: Service {
      func performService() async {}
    }

    let container = Container()
    container.register((any Service).self) { _ in
      ConcreteService()
    }
    #expect(try container.resolve((any Service).self) is ConcreteService)
    #expect(throws: ResolutionError.self) { try container.resolve(ConcreteService.self) }

    container.register { _ in TestService() as any Service }
    #expect(try container.resolve((any Service).self) is TestService)

    container.register(instance: ConcreteService() as any Service)
    #expect(try container.resolve((any Service).self) is ConcreteService)
  }

  @Test("Tags: a key has tags of several types in any order")
  func tags() throws {
    protocol Plugin {}
    class PluginImpl1: Plugin {}
    enum Types: Hashable, Sendable {
      case plugin
    }

    let container = Container()
    container.register((any Plugin).self, tags: Types.plugin, 1, instance: PluginImpl1())

    let plugin: any Plugin = try container.resolve((any Plugin).self, tags: 1, Types.plugin)
    #expect(plugin is PluginImpl1)
    #expect(throws: ResolutionError.self) { try container.resolve((any Plugin).self, tags: Types.plugin) }
  }

  @Test("Arguments: the parameter types of a block are inferred from its body")
  func arguments() throws {
    class Service {
      let id: Int
      let state: String
      init(id: Int, state: String) {
        self.id = id
        self.state = state
      }
    }

    let container = Container()
    container.register { _, id, state in
      Service(id: id, state: state)
    }
    let service: Service = try container.resolve(args: 1, "foo")
    #expect(service.id == 1)
    #expect(service.state == "foo")
    #expect(throws: ResolutionError.self) { try container.resolve(Service.self) }
  }

  @Test("Lifetimes: a registration is transient by default and a singleton on request")
  func lifetimes() throws {
    class Service {}
    class Other {}
    let container = Container()
    container.register(lifetime: .singleton, instance: Service())
    container.register(instance: Other())
    #expect(try container.resolve(Service.self) === container.resolve(Service.self))
    #expect(try container.resolve(Other.self) !== container.resolve(Other.self))
  }

  @Test("Transitive dependencies: the resolver or auto provides them")
  func transitive() throws {
    class Database {}
    class Service {
      let database: Database
      init(database: Database) {
        self.database = database
      }
    }

    let container = Container()
    container.register(lifetime: .singleton, instance: Database())
    container.register(lifetime: .singleton) { r in
      Service(database: try r.resolve())
    }
    #expect(try container.resolve(Service.self).database === container.resolve(Database.self))

    container.register(lifetime: .singleton, factory: auto(Service.init))
    #expect(try container.resolve(Service.self).database === container.resolve(Database.self))
    #expect(try container.resolve(Service.self) === container.resolve(Service.self))
  }
}

// MARK: Resolution

@Suite("Resolution works as in the README of Guise 11")
struct GuiseReadmeResolutionTests {
  @Test("A resolve infers the type or takes it as an argument")
  func resolution() throws {
    class Service {}
    class Something {
      let id: Int

      init(id: Int) { self.id = id }
    }

    let container = Container()
    container.register(instance: Service())
    do {
      let service: Service = try container.resolve()
      _ = service
    }
    do {
      let service = try container.resolve(Service.self)
      _ = service
    }

    container.register(tags: 2, lifetime: .singleton, instance: Service())
    let service: Service = try container.resolve(tags: 2)
    #expect(try container.resolve(Service.self, tags: 2) === service)

    container.register { _, id in
      Something(id: id)
    }
    let something = try container.resolve(Something.self, args: 7)
    #expect(something.id == 7)
  }

  @Test("Optional: a resolve returns nil if the wrapped type is not registered")
  func optional() throws {
    class Service {}
    class Missing {}
    let container = Container()
    container.register(instance: Service())
    let service: Service? = try container.resolve()
    let missing: Missing? = try container.resolve()
    #expect(service != nil)
    #expect(missing == nil)
  }

  @Test("Array: a resolve returns all instances of a type")
  func array() throws {
    protocol Plugin {}
    class Plugin1: Plugin {}
    class Plugin2: Plugin {}
    class Plugin3: Plugin {}

    let container = Container()
    #expect(try container.resolve([any Plugin].self).isEmpty)
    container.register((any Plugin).self, tags: UUID(), instance: Plugin1())
    container.register((any Plugin).self, tags: UUID(), instance: Plugin2())
    container.register((any Plugin).self, tags: UUID(), instance: Plugin3())

    let plugins: [any Plugin] = try container.resolve()
    #expect(plugins.map { "\(type(of: $0))" } == ["Plugin1", "Plugin2", "Plugin3"])
  }

  @Test("Array: a resolve returns all instances with a tag")
  func taggedArray() throws {
    protocol Plugin {}
    class Plugin1: Plugin {}
    class Plugin2: Plugin {}
    class Plugin3: Plugin {}
    class Plugin4: Plugin {}

    let container = Container()
    container.register((any Plugin).self, tags: "type1", UUID(), instance: Plugin1())
    container.register((any Plugin).self, tags: "type1", UUID(), instance: Plugin2())
    container.register((any Plugin).self, tags: "type2", UUID(), instance: Plugin3())
    container.register((any Plugin).self, tags: "type2", UUID(), instance: Plugin4())

    do {
      let plugins: [any Plugin] = try container.resolve(tags: "type1")
      #expect(plugins.map { "\(type(of: $0))" } == ["Plugin1", "Plugin2"])
    }
    do {
      let plugins: [any Plugin] = try container.resolve()
      #expect(plugins.count == 4)
    }
  }

  @Test("Lazy: a service may hold its resolver weakly")
  func keptResolver() throws {
    class Database {
      var isDone = false
      func doSomething() { isDone = true }
    }
    class Service {
      weak var resolver: (any Resolver)!

      init(resolver: any Resolver) {
        self.resolver = resolver
      }

      func performService() throws {
        let database = try resolver.resolve(Database.self)
        database.doSomething()
      }
    }

    let container = Container()
    container.register(lifetime: .singleton, instance: Database())
    container.register { r in Service(resolver: r) }
    let service = try container.resolve(Service.self)
    try service.performService()
    #expect(try container.resolve(Database.self).isDone)
  }

  @Test("Lazy: a lazy resolver needs no registration and takes tags and arguments when it resolves")
  func lazy() throws {
    class Service {}
    class Something {
      let id: Int
      init(id: Int) { self.id = id }
    }
    let container = Container()
    container.register(tags: "s", lifetime: .singleton, instance: Service())
    container.register(tags: "s") { _, id in Something(id: id) }

    let lr: LazyResolver<Service> = try container.resolve()
    // The printed example lacks `try` and does not compile, since the registration may be missing.
    let service = try lr.resolve(tags: "s")
    #expect(try container.resolve(Service.self, tags: "s") === service)

    let lazySomething: LazyResolver<Something> = try container.resolve()
    #expect(try lazySomething.resolve(tags: "s", args: 7).id == 7)
  }
}

// MARK: Async and the main actor

@Suite("Asynchronous and isolated factories work as in the README of Guise 11")
struct GuiseReadmeConcurrencyTests {
  @Test("Async: an asynchronous block is registered and resolved with await")
  func async() async throws {
    class Database: @unchecked Sendable {
      // Not safe to share, and not shared: one task at a time uses it.
      var isSetUp = false
      func setup() async { isSetUp = true }
    }
    class Service {
      let database: Database

      init(database: Database) async {
        self.database = database
        await database.setup()
      }
    }

    let container = Container()
    container.register(lifetime: .singleton, instance: Database())
    container.register { r in
      try await Service(database: r.resolve())
    }
    let service = try await container.resolve(Service.self)
    #expect(service.database.isSetUp)
    // A synchronous registration may be resolved asynchronously.
    #expect(try await container.resolve(Database.self) === service.database)

    container.register(factory: auto(Service.init))
    #expect(try await container.resolve(Service.self).database === service.database)
  }

  @Test("Async: a synchronous resolve of an asynchronous registration is an error")
  func requiresAsync() throws {
    class Service {
      init() async {}
    }
    let container = Container()
    container.register { _ in await Service() }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Service.self) }
    guard case .requiresAsync = error.reason else {
      Issue.record(error)
      return
    }
  }

  @MainActor
  @Test("MainActor: an isolated registration is resolved on the main actor without await")
  func isolation() throws {
    class MyViewController: UIViewController {}
    let container = Container()
    let (registrar, resolver): (any Registrar, any Resolver) = (container, container)
    registrar.register(isolation: MainActor.shared) { _ in
      MyViewController()
    }
    let myViewController = try resolver.resolve(MyViewController.self, isolation: MainActor.shared)
    #expect(type(of: myViewController) == MyViewController.self)
  }

  @Test("Any global actor: an isolated registration is resolved asynchronously")
  func globalActor() async throws {
    @MyActor class MyService {
      init() {}
    }
    let container = Container()
    let (registrar, resolver): (any Registrar, any Resolver) = (container, container)
    registrar.register { @MyActor _ async in
      MyActor.assertIsolated()
      return MyService()
    }
    let myService: MyService = try await resolver.resolve()
    _ = myService
  }

  @MainActor
  @Test("MainActor: a resolve in assumeIsolated is synchronous")
  func assumed() {
    class OtherViewController: UIViewController {}
    class ViewController: UIViewController {
      let resolver: any Resolver
      var found: OtherViewController?
      init(resolver: any Resolver) { self.resolver = resolver }

      nonisolated func awakeFromNib() {
        MainActor.assumeIsolated {
          // Note that this is synchronous. `try?` is needed, since the overridden method does not throw.
          let otherViewController = try? resolver.resolve(OtherViewController.self, isolation: MainActor.shared)
          found = otherViewController
        }
      }
    }
    let container = Container()
    container.register(isolation: MainActor.shared) { _ in OtherViewController() }
    let controller = ViewController(resolver: container)
    controller.awakeFromNib()
    #expect(controller.found != nil)
  }

  @Test("MainActor: an isolated registration is resolved with await from any context")
  func isolatedWithAwait() async throws {
    @MainActor class MyViewController: UIViewController {}
    let container = Container()
    let (registrar, resolver): (any Registrar, any Resolver) = (container, container)
    registrar.register(isolation: MainActor.shared) { _ in
      MyViewController()
    }
    let myViewController: MyViewController = try await resolver.resolve()
    #expect(type(of: myViewController) == MyViewController.self)
  }
}

extension Registrar {
  /// The README's extension, unchanged except for its access level.
  fileprivate func registerMain<T, each Tag: Hashable & Sendable, each Arg: Sendable>(
    _ type: T.Type = T.self,
    tags: repeat each Tag,
    lifetime: Lifetime = .transient,
    factory: @escaping @MainActor @Sendable (any Resolver, repeat each Arg) throws -> T
  ) -> Key<T> {
    register(type, isolation: MainActor.shared, tags: repeat each tags, lifetime: lifetime, factory: factory)
  }
}

@MainActor
private class MyService {}

@MainActor
private class MyViewController: UIViewController {
  let myService: MyService
  init(myService: MyService) {
    self.myService = myService
  }
}

@Suite("Main-actor factories work as in the README of Guise 11")
struct GuiseReadmeMainActorTests {
  @MainActor
  @Test("An extension of Registrar passes on tags and arguments")
  func registerMain() throws {
    class MyViewController: UIViewController {
      let title: String
      init(title: String) { self.title = title }
    }
    let container = Container()
    let plain = container.registerMain { _ in MyViewController(title: "plain") }
    let tagged = container.registerMain(tags: "a", 1, lifetime: .singleton) { (_, title: String, count: Int) in
      MyViewController(title: "\(title) \(count)")
    }
    #expect(plain == Key<MyViewController>())
    #expect(tagged == Key<MyViewController>(tags: 1, "a"))
    #expect(container[tagged]?.lifetime == .singleton)
    #expect(try container.resolve(MyViewController.self, isolation: MainActor.shared).title == "plain")
    #expect(try container.resolve(key: tagged, isolation: MainActor.shared, args: "tagged", 7).title == "tagged 7")
  }

  @Test("mainauto registers from outside the main actor")
  func mainautoOutside() async throws {
    let registrar = Container()
    registrar.register(lifetime: .singleton, isolation: MainActor.shared) { _ in MyService() }
    _ = await MainActor.run {
      registrar.register(isolation: MainActor.shared, factory: mainauto(MyViewController.init))
    }
    let controller = try await registrar.resolve(MyViewController.self)
    let service = try await registrar.resolve(MyService.self)
    #expect(controller.myService === service)
  }

  @MainActor
  @Test("mainauto registers the same as a factory written by hand")
  func mainautoInside() throws {
    let registrar = Container()
    registrar.register(isolation: MainActor.shared, lifetime: .singleton, instance: MyService())
    registrar.register(isolation: MainActor.shared, factory: mainauto(MyViewController.init))
    let service = try registrar.resolve(MyService.self, isolation: MainActor.shared)
    #expect(try registrar.resolve(MyViewController.self, isolation: MainActor.shared).myService === service)

    registrar.register(isolation: MainActor.shared) { r in
      // The README leaves out `isolation:`. Without it, the dependency would have to be registered without isolation.
      try MyViewController(myService: r.resolve(isolation: MainActor.shared))
    }
    #expect(try registrar.resolve(MyViewController.self, isolation: MainActor.shared).myService === service)
  }

  @Test("A main-actor factory resolves a registration without isolation")
  func mainAskingForSync() async throws {
    final class MyService: Sendable {}
    @MainActor class MyViewController: UIViewController {
      let myService: MyService
      init(myService: MyService) {
        self.myService = myService
      }
    }
    let registrar = Container()
    registrar.register(lifetime: .singleton, instance: MyService())
    registrar.register(isolation: MainActor.shared) { r in
      try MyViewController(myService: r.resolve())
    }
    let controller: MyViewController = try await registrar.resolve()
    #expect(try await registrar.resolve(MyService.self) === controller.myService)
  }
}

// MARK: The matrix

@Suite("The resolution matrix holds as in the README of Guise 11")
struct GuiseReadmeMatrixTests {
  @MainActor
  class ViewController: UIViewController {}

  class Presenter {
    let vc: ViewController
    init(vc: ViewController) {
      self.vc = vc
    }
    @MainActor
    func present(on other: UIViewController) {
      other.present(vc, animated: true)
    }
  }

  /// The README's second version, which names the undeclared type `LazyViewController`.
  class LazyPresenter {
    let lvc: LazyResolver<ViewController>
    init(lvc: LazyResolver<ViewController>) {
      self.lvc = lvc
    }
    @MainActor
    func present(on other: UIViewController) throws {
      let vc = try lvc.resolve(isolation: MainActor.shared)
      other.present(vc, animated: true)
    }
  }

  let container = Container()
  var registrar: any Registrar { container }
  var resolver: any Resolver { container }

  init() {
    container.register(
      isolation: MainActor.shared,
      instance: ViewController()
    )
  }

  @Test("A synchronous registration that needs the main actor throws requiresIsolation when it is resolved")
  func sync() throws {
    registrar.register(factory: auto(Presenter.init))
    let error = try #require(throws: ResolutionError.self) { try resolver.resolve(Presenter.self) }
    #expect(error.key == Key<ViewController>())
    guard case .requiresIsolation(let actor) = error.reason else {
      Issue.record(error)
      return
    }
    #expect(actor === MainActor.shared)
  }

  @Test("The first solution is an asynchronous registration")
  func async() async throws {
    registrar.register { r in
      try await Presenter(vc: r.resolve())
    }
    let presenter: Presenter = try await resolver.resolve()
    let other = UIViewController()
    await presenter.present(on: other)
    #expect(await other.presented === presenter.vc)
  }

  @MainActor
  @Test("The second solution is a registration on the main actor")
  func isolated() throws {
    // The printed example lacks `factory:` and does not compile. `mainauto` requires a Sendable type, unlike `Presenter`.
    registrar.register(isolation: MainActor.shared, factory: mainauto(ViewPresenter.init))
    let presenter = try resolver.resolve(ViewPresenter.self, isolation: MainActor.shared)
    let other = UIViewController()
    other.present(presenter.vc, animated: true)
    #expect(other.presented === presenter.vc)
  }

  @MainActor
  final class ViewPresenter {
    let vc: ViewController
    init(vc: ViewController) { self.vc = vc }
  }

  @MainActor
  @Test("The third solution is a lazy resolver")
  func lazy() throws {
    registrar.register(factory: auto(LazyPresenter.init))
    let presenter: LazyPresenter = try resolver.resolve()
    let other = UIViewController()
    try presenter.present(on: other)
    #expect(other.presented is ViewController)
  }

  /// The instances of each kind of registration.
  struct Sync: Sendable {}
  struct Async: Sendable {}
  struct Main: Sendable {}

  private func registerAll() {
    container.register { _ in Sync() }
    container.register { _ async in Async() }
    container.register(isolation: MainActor.shared) { _ in Main() }
  }

  @Test("A synchronous resolve accepts only synchronous registrations")
  func syncRow() throws {
    registerAll()
    _ = try resolver.resolve(Sync.self)
    #expect(try #require(throws: ResolutionError.self) { try resolver.resolve(Async.self) }.reason.name == "requiresAsync")
    #expect(try #require(throws: ResolutionError.self) { try resolver.resolve(Main.self) }.reason.name == "requiresIsolation")
  }

  @Test("An asynchronous resolve accepts all registrations")
  func asyncRow() async throws {
    registerAll()
    _ = try await resolver.resolve(Sync.self)
    _ = try await resolver.resolve(Async.self)
    _ = try await resolver.resolve(Main.self)
  }

  @MainActor
  @Test("A main-actor resolve accepts synchronous and main-actor registrations")
  func mainRow() throws {
    registerAll()
    _ = try resolver.resolve(Sync.self, isolation: MainActor.shared)
    _ = try resolver.resolve(Main.self, isolation: MainActor.shared)
    let error = try #require(throws: ResolutionError.self) { try resolver.resolve(Async.self, isolation: MainActor.shared) }
    #expect(error.reason.name == "requiresAsync")
  }

  @Test("Lazy resolvers work where the matrix has a cross")
  func lazyCrosses() async throws {
    final class NeedsAsync: Sendable {
      let lazy: LazyResolver<Async>
      init(lazy: LazyResolver<Async>) { self.lazy = lazy }
    }
    @MainActor final class MainNeedsAsync {
      let lazy: LazyResolver<Async>
      init(lazy: LazyResolver<Async>) { self.lazy = lazy }
    }
    registerAll()
    registrar.register(factory: auto(NeedsAsync.init))
    let container = container
    _ = await MainActor.run { container.register(isolation: MainActor.shared, factory: mainauto(MainNeedsAsync.init)) }
    _ = try await resolver.resolve(NeedsAsync.self).lazy.resolve()
    _ = try await resolver.resolve(MainNeedsAsync.self).lazy.resolve()
  }
}

// MARK: Assemblies and nested containers

@Suite("Assemblies and nested containers work as in the README of Guise 11")
struct GuiseReadmeAssemblyTests {
  class Service {
    private(set) var isConfigured = false
    func configure() { isConfigured = true }
  }
  class Cool {}

  class CoolAssembly: Assembly {
    func register(in registrar: any Registrar) {
      registrar.register(lifetime: .singleton, instance: Cool())
    }
  }

  class AwesomeAssembly: Assembly {
    func register(in registrar: any Registrar) {
      registrar.register(assemblies: CoolAssembly())
      registrar.register(lifetime: .singleton, instance: Service())
    }

    // This method is optional. A default implementation
    // is provided, which does nothing.
    func registered(to resolver: any Resolver) {
      do {
        let service = try resolver.resolve(Service.self)
        service.configure()
      } catch {
        Issue.record(error)
      }
    }
  }

  // The README calls `assemble` without `try await`. It is asynchronous and throws, since `registered(to:)` may do both.

  @Test("assemble() takes assemblies")
  func given() async throws {
    let container = Container()
    try await container.assemble(AwesomeAssembly(), CoolAssembly())
    #expect(try await container.resolve(Service.self).isConfigured)
    #expect(try await container.resolve(Cool?.self) != nil)
  }

  @Test("assemble() assembles the registered assemblies")
  func registered() async throws {
    let container = Container()
    container.register(assemblies: AwesomeAssembly(), CoolAssembly())
    try await container.assemble()
    #expect(try await container.resolve(Service.self).isConfigured)
    #expect(try await container.resolve([Cool].self).count == 1)
  }

  @MainActor
  @Test("assemble() assembles on the main actor")
  func onMain() async throws {
    let container = Container()
    let assembly = AwesomeAssembly()
    try await container.assemble(assembly)
    #expect(try await container.resolve(Service.self).isConfigured)
  }

  @Test("Nested containers: a child resolves from itself first and then from its parent, and a parent never from its child")
  func nested() throws {
    let parent = Container()
    let child = Container(parent: parent)
    parent.register(instance: "parent")
    parent.register(tags: "both", instance: "parent's")
    child.register(tags: "both", instance: "child's")
    child.register(instance: 7)

    #expect(try child.resolve(String.self) == "parent")
    #expect(try child.resolve(String.self, tags: "both") == "child's")
    #expect(try parent.resolve(String.self, tags: "both") == "parent's")
    #expect(try parent.resolve(Int?.self) == nil)
  }

  @Test("Nested containers: each container registers its own assemblies")
  func nestedAssemblies() async throws {
    let parent = Container()
    try await parent.assemble(CoolAssembly())
    let child = Container(parent: parent)
    try await child.assemble(AwesomeAssembly())
    #expect(try await child.resolve(Service.self).isConfigured)
    #expect(try await parent.resolve(Service?.self) == nil)
    // The child's own `CoolAssembly` registered in the child.
    #expect(try await child.resolve(Cool.self) !== parent.resolve(Cool.self))
  }
}
