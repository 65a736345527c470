import Testing
import TroupeContainer

// Examples in the README of Guise 9 for features that Guise 11 dropped and this module provides: metadata, names and
// containers, keys, caching, weak registrations, filters and the null resolver. Each test uses the API of this module and
// quotes the code for Guise 9 in a comment. `Guise` was one resolver for the whole program; the tests create containers.

private struct PluginMetadata: Equatable, Sendable {
  let granularity: Int
}

private protocol Plugin: Sendable {}
private struct Plugin1: Plugin {}
private struct Plugin2: Plugin {}
private struct Plugin3: Plugin {}

private enum PluginName: Hashable, Sendable { case plugin1, plugin2, plugin3 }

extension Group {
  /// Guise: `enum Container { case plugins }`.
  fileprivate static let plugins = Group("plugins")
}

private protocol DatabaseLayer: AnyObject, Sendable {}
private final class Database: DatabaseLayer {}
private final class FakeDatabase: DatabaseLayer {}
private final class Api: Sendable {
  let database: any DatabaseLayer
  init(database: any DatabaseLayer) { self.database = database }
}

@Suite("Registration works as in the README of Guise 9")
struct Guise9RegistrationTests {
  private let container = Container()

  @Test("A factory registration returns new instances, and an instance registration returns the same one")
  func factoryAndInstance() throws {
    // Guise.register(factory: Database()); Guise.register(instance: Singleton())
    container.register(instance: Database())
    container.register(lifetime: .singleton, instance: FakeDatabase())
    #expect(try container.resolve(Database.self) !== container.resolve(Database.self))
    #expect(try container.resolve(FakeDatabase.self) === container.resolve(FakeDatabase.self))
  }

  @Test("A block registration takes a parameter and receives the resolver")
  func block() throws {
    // Guise.register{ (x: Int) in Something(x: x) }; Guise.resolve(parameter: 3)!
    container.register { (_, x: Int) in "something \(x)" }
    let something: String = try container.resolve(args: 3)
    #expect(something == "something 3")
    // Guise.register{ (resolver: Resolving) in Api(database: resolver.resolve()!) }
    container.register(instance: Database() as any DatabaseLayer)
    container.register { resolver in Api(database: try resolver.resolve()) }
    #expect(try container.resolve(Api.self).database is Database)
  }

  @Test("Parameters of a block are resolved by their types")
  func resolvedParameters() throws {
    container.register(instance: Database() as any DatabaseLayer)
    container.register(factory: auto(Api.init))
    #expect(try container.resolve(Api.self).database is Database)
  }

  @MainActor
  private final class MyViewController {
    func viewDidLoad(_ container: Container) {
      // Guise.register(weak: self)
      container.register(weak: self)
    }
  }

  @Test("A weak registration does not retain its object, and a released object is not found")
  @MainActor
  func weak() throws {
    var controller: MyViewController? = MyViewController()
    controller?.viewDidLoad(container)
    // guard let myViewController: MyViewController = Guise.resolve() else { return }
    #expect(try container.resolve(ifPresent: MyViewController.self) === controller)
    controller = nil
    let found: MyViewController? = try container.resolve()
    #expect(found == nil)
    #expect(try container.resolve(ifPresent: MyViewController.self) == nil)
  }

  @Test("Names distinguish registrations of one type and are required")
  func names() throws {
    enum Name { case real, fake }
    // Guise.register(instance: Database() as DatabaseLayer, name: Name.real)
    container.register((any DatabaseLayer).self, tags: Name.real, lifetime: .singleton, instance: Database())
    container.register((any DatabaseLayer).self, tags: Name.fake, lifetime: .singleton, instance: FakeDatabase())
    let database: any DatabaseLayer = try container.resolve(tags: Name.real)
    #expect(database is Database)
    #expect(try container.resolve((any DatabaseLayer)?.self) == nil)
  }

  @Test("Without a name, the second registration overwrites the first, of any kind")
  func overwriting() throws {
    let first = container.register(lifetime: .singleton, instance: Database() as any DatabaseLayer)
    let second = container.register(instance: FakeDatabase() as any DatabaseLayer)
    #expect(first == second)
    #expect(try container.resolve([any DatabaseLayer].self).count == 1)
    #expect(try container.resolve((any DatabaseLayer).self) is FakeDatabase)
  }
}

@Suite("Containers, keys, caching, metadata and filters work as in the README of Guise 9")
struct Guise9PluginTests {
  private let container = Container()

  /// Guise.register(factory: Plugin1() as Plugin, name: Plugin.plugin1, container: Container.plugins, metadata: …)
  private func registerPlugins() {
    container.annotated(metadata: PluginMetadata(granularity: 4)).register(
      (any Plugin).self, tags: PluginName.plugin1, Group.plugins, instance: Plugin1())
    container.annotated(metadata: PluginMetadata(granularity: 2)).register(
      (any Plugin).self, tags: PluginName.plugin2, Group.plugins, instance: Plugin2())
    container.register((any Plugin).self, tags: PluginName.plugin3, Group.plugins, instance: Plugin3())
  }

  @Test("A registration in a Guise container is resolved only with that container")
  func containers() throws {
    registerPlugins()
    // let plugin: Plugin = Guise.resolve(name: Plugin.plugin1, container: Container.plugins)!
    let plugin: any Plugin = try container.resolve(tags: PluginName.plugin1, Group.plugins)
    #expect(plugin is Plugin1)
    #expect(try container.resolve(ifPresent: (any Plugin).self, tags: PluginName.plugin1) == nil)
  }

  @Test("A Guise container is unregistered as a whole")
  func unregister() throws {
    registerPlugins()
    container.register((any Plugin).self, instance: Plugin1())
    // Guise.unregister(container: Container.plugins, metadata: …)
    #expect(container.unregister(group: .plugins) == 3)
    #expect(try container.resolve([any Plugin].self).count == 1)
  }

  @Test("A key that is created or returned by a registration resolves and unregisters")
  func keys() throws {
    registerPlugins()
    // let key = Key<Plugin>(name: Plugin.plugin1, container: Container.plugins, metadata: …)
    let key = Key<any Plugin>(tags: PluginName.plugin1, Group.plugins)
    #expect(try container.resolve(key: key) is Plugin1)
    let mixed = [AnyKey(key), AnyKey(container.register(instance: 7))]
    #expect(try container.resolve(keys: mixed).map { $0.instance is Int } == [false, true])
    #expect(container.unregister(keys: mixed) == 2)
    #expect(container.unregister(key: key) == 0)
  }

  @Test("A cached instance registration ignores an override when resolving")
  func instanceIgnoresOverride() throws {
    // Guise.register(instance: Singleton()); let singleton: Singleton = Guise.resolve(cached: false)!
    container.register(lifetime: .singleton, instance: Database())
    let singleton = try container.resolve(key: Key<Database>(), cached: false)
    #expect(try container.resolve(Database.self) === singleton)
  }

  @Test("A resolve with cached: false calls the block again even if a cached instance exists")
  func blockHeedsOverride() throws {
    // Guise.register(cached: true) { Singleton() }; let singleton: Singleton = Guise.resolve(cached: false)!
    container.annotated(cached: true).register { _ in Database() }
    let cached: Database = try container.resolve()
    let singleton = try container.resolve(key: Key<Database>(), cached: false)
    #expect(singleton !== cached)
    #expect(try container.resolve(Database.self) === cached)
  }

  @Test("Metadata is attached to any registration and read without an instance")
  func metadata() throws {
    // Guise.register(factory: Plugin1() as Plugin, metadata: PluginMetadata(granularity: 4))
    let key = container.annotated(metadata: PluginMetadata(granularity: 4)).register((any Plugin).self) { _ in
      Issue.record("the factory ran")
      return Plugin1()
    }
    #expect(container[key]?.metadata(as: PluginMetadata.self)?.granularity == 4)
  }

  @Test("A filter finds registrations by type and container, and its keys are resolved")
  func filter() throws {
    registerPlugins()
    // let pluginRegistrations = Guise.filter(type: Plugin.self, container: Container.plugins, metadata: …)
    let registrations = container.filter((any Plugin).self, group: .plugins)
    #expect(registrations.count == 3)
    // let plugins = Guise.resolve(keys: pluginRegistrations.keys)
    let plugins = try container.resolve(keys: registrations)
    #expect(plugins.map { "\(type(of: $0))" } == ["Plugin1", "Plugin2", "Plugin3"])
  }

  @Test("A filter queries metadata")
  func filterByMetadata() throws {
    registerPlugins()
    // Guise.filter(type: Plugin.self, container: Container.plugins) { (metadata: PluginMetadata) metadata.granularity > 2 }
    let coarse = container.filter((any Plugin).self, group: .plugins) { (metadata: PluginMetadata) in metadata.granularity > 2 }
    #expect(try container.resolve(keys: coarse).map { $0 is Plugin1 } == [true])
    // Guise.filter(type: Plugin.self, container: Container.plugins, metadata: PluginMetadata(granularity: 2))
    let exact = container.filter((any Plugin).self, group: .plugins, metadata: PluginMetadata(granularity: 2))
    #expect(try container.resolve(keys: exact).map { $0 is Plugin2 } == [true])
  }

  @Test("The null container replaces the resolver in a unit test")
  func impotent() throws {
    // Guise.resolver = ImpotentResolver()
    let resolver: any Resolver & Registrar = Container.null
    resolver.register(instance: Database() as any DatabaseLayer)
    #expect(try resolver.resolve((any DatabaseLayer)?.self) == nil)
  }
}
