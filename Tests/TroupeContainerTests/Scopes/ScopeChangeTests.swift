import Testing

@testable import TroupeContainer

@Suite("A change of registrations applies to the instances of existing scopes")
struct ScopeChangeTests {
  private let root = Container()
  private let journal = Journal()

  /// Records its name when it is deinitialized.
  private final class Resource: Sendable {
    let name: String
    let journal: Journal

    init(_ name: String, _ journal: Journal) {
      self.name = name
      self.journal = journal
    }

    deinit { journal.write(name) }
  }

  /// Creates an instance and releases it. Not inlined, since the optimizer could otherwise release it later.
  @inline(never)
  private func make(_ container: Container?, _ tag: String = "a") throws {
    _ = try container?.resolve(Resource.self, tags: tag)
  }

  private func register(_ registrar: any Registrar, _ name: String, tag: String = "a", lifetime: Lifetime = .scoped) {
    let journal = journal
    registrar.register(Resource.self, tags: tag, lifetime: lifetime) { _ in Resource(name, journal) }
  }

  enum End: CaseIterable { case key, owner, replaced, batch, group, clear }

  @Test("The removal of a scoped registration releases its instances in all scopes", arguments: End.allCases)
  func ends(end: End) throws {
    let owner = Owner(name: "plugin")
    register(root.registrar(owner: owner), "old")
    let scopes = [root.scope(), root.scope(), root.scope().scope()]
    for scope in scopes { for _ in 0..<2 { try make(scope) } }
    #expect(journal.lines.isEmpty)
    switch end {
    case .key: root.unregister(key: Key<Resource>(tags: "a"))
    case .owner: root.unregister(owner: owner)
    case .replaced:
      register(root, "new")
      root.waitForReaders()
    case .batch: try root.batch { $0[Key<Resource>(tags: "a")] = nil }
    case .group: root.unregister(Criteria<Resource>(op: .subset))
    case .clear: root.clear()
    }
    #expect(journal.lines == ["old", "old", "old"])
    for scope in scopes {
      let new = try scope.resolve(Resource?.self, tags: "a")
      #expect(new?.name == (end == .replaced ? "new" : nil))
    }
  }

  @Test("A registration that overrides another hides the scope's instance of it until it is removed")
  func shadowed() throws {
    register(root, "root")
    let middle = Container(parent: root)
    let scope = middle.scope()
    let first = try scope.resolve(Resource.self, tags: "a")
    #expect(try scope.resolve(Resource.self, tags: "a") === first)
    register(middle, "middle")
    #expect(try scope.resolve(Resource.self, tags: "a").name == "middle")
    #expect(try scope.resolve(Resource.self, tags: "a").name == "middle")
    register(scope, "scope", lifetime: .transient)
    #expect(try scope.resolve(Resource.self, tags: "a").name == "scope")
    scope[Key<Resource>(tags: "a")] = nil
    #expect(try scope.resolve(Resource.self, tags: "a").name == "middle")
    middle[Key<Resource>(tags: "a")] = nil
    #expect(try scope.resolve(Resource.self, tags: "a") === first)
  }

  @Test("A change of lifetime applies to existing scopes")
  func lifetime() throws {
    let scope = root.scope()
    for lifetime in [Lifetime.transient, .scoped, .singleton, .scoped, .transient] {
      register(root, "\(lifetime)", lifetime: lifetime)
      let (first, second) = (try scope.resolve(Resource.self, tags: "a"), try scope.resolve(Resource.self, tags: "a"))
      #expect((first === second) == (lifetime != .transient))
      #expect(try (root.resolve(Resource.self, tags: "a") === first) == (lifetime == .singleton))
    }
  }

  @Test("The end of a scope releases its instances, including those of its own registrations, the newest first")
  func disposal() throws {
    for tag in ["a", "b", "c"] { register(root, tag, tag: tag) }
    var scope: Container? = root.scope()
    register(scope ?? root, "own", tag: "own", lifetime: .singleton)
    for tag in ["b", "own", "c", "a"] { try make(scope, tag) }
    for tag in ["c", "a"] { try make(root, tag) }
    scope = nil
    #expect(journal.lines == ["a", "c", "own", "b"])
  }

  @Test("Scopes may end in any order, and a scope retains its parents")
  func outliving() throws {
    var root: Container? = Container()
    register(root ?? self.root, "scoped")
    register(root ?? self.root, "singleton", tag: "s", lifetime: .singleton)
    var middle = root?.scope()
    var inner = middle?.scope()
    for container in [root, middle, inner] { try make(container) }
    root = nil
    middle = nil
    #expect(journal.lines.isEmpty)
    #expect(try inner?.resolve(Resource.self, tags: "a") === inner?.resolve(Resource.self, tags: "a"))
    try make(inner, "s")
    inner = nil
    #expect(journal.lines == ["scoped", "scoped", "singleton", "scoped"])
  }

  @Test("Clearing a scope releases its instances, the newest first, and later resolves create new ones")
  func clear() throws {
    for tag in ["a", "b"] { register(root, tag, tag: tag) }
    let scope = root.scope()
    for tag in ["a", "b"] { try make(scope, tag) }
    try make(root)
    #expect(scope.clear() == 0)
    #expect(journal.lines == ["b", "a"])
    #expect(try scope.resolve(Resource.self, tags: "a") === scope.resolve(Resource.self, tags: "a"))
    #expect(journal.lines == ["b", "a"])
  }

  @Test("Scopes create a new instance for a replaced registration, which keeps its position in arrays")
  func replaced() throws {
    let (old, new) = (Owner(name: "1"), Owner(name: "2"))
    register(root.registrar(owner: old), "old")
    register(root, "other", tag: "b")
    let scope = root.scope()
    #expect(try scope.resolve([Resource].self).map(\.name) == ["old", "other"])
    let journal = journal
    root.replace(
      owner: old,
      with: [
        Entry.plain(Resource.self, tags: TagList([AnySendableHashable("a")]), lifetime: .scoped) { _ in Resource("new", journal)
        }
      ],
      owner: new)
    #expect(journal.lines == ["old"])
    #expect(try scope.resolve([Resource].self).map(\.name) == ["new", "other"])
    root.unregister(owner: new)
    #expect(journal.lines == ["old", "new"])
  }

  @Test("A pending registration is loaded by the first resolve in a scope and created once there")
  func pending() throws {
    let plugin = LazyPlugin(root) { register($0, "plugin") }
    let (first, second) = (root.scope(), root.scope())
    #expect(try first.resolve(Resource.self, tags: "a") === first.resolve(Resource.self, tags: "a"))
    #expect(plugin.loads.count == 1)
    #expect(try second.resolve([Resource].self).first !== first.resolve(Resource.self, tags: "a"))
    root.unregister(owner: plugin.owner)
    #expect(journal.lines == ["plugin", "plugin"])
  }

  @Test("A scope finds singletons, transients and weak objects of its parent until they are removed")
  func others() throws {
    let instance = Instance()
    root.register(weak: instance)
    root.register(Int.self, lifetime: .singleton) { _ in 1 }
    root.register(String.self) { resolver in "\(try resolver.resolve(Int.self))" }
    let scope = root.scope()
    for _ in 0..<3 {
      #expect(try scope.resolve(Instance.self) === instance)
      #expect(try scope.resolve(String.self) == "1")
    }
    root.clear()
    #expect(try scope.resolve(Instance?.self) == nil && scope.resolve(Int?.self) == nil && scope.resolve(String?.self) == nil)
  }

  @Test("Overrides of a container apply to its scopes for their duration, but not to the scopes' scoped instances")
  func overrides() throws {
    root.register(String.self) { _ in "real" }
    root.register(Instance.self, lifetime: .scoped) { _ in Instance() }
    root.register([Character].self, lifetime: .scoped) { resolver in Array(try resolver.resolve(String.self)) }
    let (scope, other) = (root.scope(), root.scope())
    let real = try scope.resolve(Instance.self)
    #expect(try scope.resolve(String.self) == "real")
    let fake = try root.withOverrides {
      $0.register(String.self) { _ in "fake" }
      $0.register(Instance.self, lifetime: .scoped) { _ in Instance() }
      register($0, "override")
    } operation: {
      let texts = try [scope.resolve(String.self), scope.resolve(String.self)]
      #expect(texts == ["fake", "fake"])
      // The instance remains when the overrides end.
      let characters = try scope.resolve([Character].self)
      #expect(characters == ["r", "e", "a", "l"])
      try make(scope)
      let instances = try [scope.resolve(Instance.self), scope.resolve(Instance.self), other.resolve(Instance.self)]
      #expect(instances[0] === instances[1] && instances[0] !== real && instances[0] !== instances[2])
      return instances[0]
    }
    #expect(journal.lines == ["override"])
    #expect(try scope.resolve(Instance.self) === real)
    #expect(try other.resolve(Instance.self) !== fake)
    #expect(try scope.resolve(String.self) == "real")
    try scope.withOverrides {
      $0.register(String.self) { _ in "scope" }
    } operation: {
      let texts = try [scope.resolve(String.self), scope.scope().resolve(String.self), other.resolve(String.self)]
      #expect(texts == ["scope", "scope", "real"])
    }
    #expect(try scope.resolve(String.self) == "real")
  }

  @Test("A scope created within overrides uses them for its scoped instances, which last as long as the scope")
  func scopeWithinOverrides() throws {
    root.register(String.self) { _ in "real" }
    root.register([Character].self, lifetime: .scoped) { resolver in Array(try resolver.resolve(String.self)) }
    root.register(Set<String>.self, lifetime: .singleton) { resolver in [String(try resolver.resolve([Character].self))] }
    root.register(Int.self, lifetime: .scoped) { resolver in try resolver.resolve([Character].self).count }
    let old = root.scope()
    let new = try root.withOverrides {
      $0.register(String.self) { _ in "a fake" }
    } operation: { () throws in
      let scope = root.scope()
      #expect(try String(scope.resolve([Character].self)) == "a fake")
      // Through another scoped instance, and in a scope of the scope, which has its own instances.
      #expect(try scope.resolve(Int.self) == 6)
      #expect(try String(scope.scope().resolve([Character].self)) == "a fake")
      // Instances that outlast the overrides do not use them: those of older scopes, of the container and its singletons.
      #expect(try String(old.resolve([Character].self)) == "real")
      #expect(try String(old.scope().resolve([Character].self)) == "a fake")
      #expect(try scope.resolve(Set<String>.self) == ["real"])
      #expect(try String(root.resolve([Character].self)) == "real")
      return scope
    }
    #expect(try String(new.resolve([Character].self)) == "a fake")
    #expect(try String(root.scope().resolve([Character].self)) == "real")
    // Instances created later use the current registrations.
    #expect(try new.resolve(String.self) == "real")
  }

  @Test("A scope uses the overrides in which it was created, and not those nested in them")
  func scopeWithinOuterOverrides() throws {
    root.register(String.self) { _ in "real" }
    root.register([Character].self, lifetime: .scoped) { resolver in Array(try resolver.resolve(String.self)) }
    root.register([UInt8].self, lifetime: .scoped) { resolver in Array(try resolver.resolve(String.self).utf8) }
    try root.withOverrides {
      $0.register(String.self) { _ in "outer" }
    } operation: { () throws in
      let outer = root.scope()
      try root.withOverrides {
        $0.register(String.self) { _ in "inner" }
      } operation: { () throws in
        let inner = root.scope()
        #expect(try String(outer.resolve([Character].self)) == "outer")
        #expect(try String(inner.resolve([Character].self)) == "inner")
        #expect(try outer.resolve(String.self) == "inner")
      }
      #expect(try outer.resolve([UInt8].self) == Array("outer".utf8))
    }
  }

  @Test("Asynchronous factories and inheriting tasks create scoped instances with the overrides, detached tasks without")
  func asynchronousScopeWithinOverrides() async throws {
    root.register(String.self) { _ in "real" }
    root.register([Character].self, lifetime: .scoped) { resolver async throws in
      Array(try await resolver.resolve(String.self))
    }
    let root = root
    let texts = try await root.withOverrides {
      $0.register(String.self) { _ in "fake" }
    } operation: {
      let scopes = (root.scope(), root.scope(), root.scope())
      let inherited = try await Task { try await scopes.1.resolve([Character].self) }.value
      let detached = try await Task.detached { try await scopes.2.resolve([Character].self) }.value
      return try await [String(scopes.0.resolve([Character].self)), String(inherited), String(detached)]
    }
    #expect(texts == ["fake", "fake", "real"])
  }

  @Test("A scope that a singleton creates within overrides does not use them")
  func scopeOfSingleton() throws {
    root.register(String.self) { _ in "real" }
    root.register([Character].self, lifetime: .scoped) { resolver in Array(try resolver.resolve(String.self)) }
    let root = root
    root.register(Container.self, lifetime: .singleton) { _ in root.scope() }
    try root.withOverrides {
      $0.register(String.self) { _ in "fake" }
    } operation: { () throws in
      let scope = try root.resolve(Container.self)
      #expect(try String(scope.resolve([Character].self)) == "real")
    }
    root.clear()
  }

  @Test("A batch that throws does not affect the instances of scopes")
  func undone() throws {
    let strict = Container(collisions: .fail)
    register(strict, "kept")
    strict.register(Int.self) { _ in 1 }
    let scope = strict.scope()
    let made = try scope.resolve(Resource.self, tags: "a")
    #expect(throws: CollisionError.self) {
      try strict.batch {
        $0[Key<Resource>(tags: "a")] = nil
        $0.register(Int.self) { _ in 2 }
      }
    }
    #expect(try scope.resolve(Resource.self, tags: "a") === made)
    #expect(journal.lines.isEmpty)
  }

  @Test("A resolve by entry returns the scope's instance, or the singleton that all scopes share")
  func untyped() throws {
    register(root, "scoped")
    register(root, "singleton", tag: "b", lifetime: .singleton)
    let scope = root.scope()
    for (tag, isShared) in [("a", false), ("b", true)] {
      let entry = try #require(root[Key<Resource>(tags: tag)])
      let instance = try scope.instance(of: entry, arguments: []) as? Resource
      #expect(try instance === scope.resolve(Resource.self, tags: tag))
      #expect(try (instance === root.resolve(Resource.self, tags: tag)) == isShared)
    }
  }

  @Test("A scope of a learning container learns the dependencies of its scoped factories")
  func learning() throws {
    let learning = Container(learnsDependencies: true)
    learning.register(Int.self) { _ in 1 }
    learning.register(String.self, lifetime: .scoped) { resolver in "\(try resolver.resolve(Int.self))" }
    #expect(try learning.scope().resolve(String.self) == "1")
    #expect(learning.graph().edges.count == 1)
  }

  @Test("A scoped dependency of a singleton is a captive, also through a transient, but not one of a scoped registration")
  func captives() {
    root.register(Instance.self, lifetime: .scoped, factory: auto(Instance.init))
    root.annotated(dependsOn: Key<Instance>()).register(Int.self) { _ in 1 }
    root.annotated(dependsOn: Key<Int>()).register(String.self, lifetime: .singleton) { _ in "" }
    root.annotated(dependsOn: Key<Int>()).register(Bool.self, lifetime: .scoped) { _ in true }
    let captives = root.validate().problems
    #expect(captives.map(\.kind) == [.captive])
    #expect(captives.first?.path.map(\.key) == [AnyKey(String.self), AnyKey(Int.self), AnyKey(Instance.self)])
    #expect(root.scope().validate().problems.map(\.kind) == [.captive])
  }

  @Test("The explanation and the graph of a scope have its instances")
  func explained() throws {
    root.register(Instance.self, lifetime: .scoped, factory: auto(Instance.init))
    root.annotated(dependsOn: Key<Instance>()).register(Int.self, lifetime: .scoped) { _ in 1 }
    let scope = root.scope()
    _ = try scope.resolve(Instance.self)
    #expect(scope.explain(Instance.self).answers.first?.isBuilt == true)
    #expect(root.explain(Instance.self).answers.first?.isBuilt == false)
    #expect(scope.explain(Instance.self).description.contains("scoped, which is built"))
    #expect(scope.graph().nodes.map(\.registration?.isBuilt) == [true, false])
    // In a scope, a scoped factory depends on the scope's registrations.
    scope.register(Instance.self, lifetime: .singleton, factory: auto(Instance.init))
    let graph = scope.graph()
    #expect(graph.edges.map { graph.nodes[$0.to].depth } == [0])
    let inner = root.graph()
    #expect(inner.edges.map { inner.nodes[$0.to].depth } == [0])
  }
}
