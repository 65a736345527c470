import Testing
import TroupeContainer

@Suite("A scope makes its own scoped instances and releases them at its end", .timeLimit(.minutes(60)))
struct ScopeTests {
  private let root = Container()

  /// An instance that records the dependency it was created with.
  private final class Report: Sendable {
    let text: String
    init(_ text: String) { self.text = text }
  }

  @Test("A scoped instance is created once in each scope and in the container of its registration")
  func oncePerScope() throws {
    let made = Counter()
    root.register(lifetime: .scoped) { _ in
      made.next()
      return Instance()
    }
    let (first, second) = (root.scope(), root.scope())
    let nested = first.scope()
    var instances: Set<ObjectIdentifier> = []
    for container in [root, first, second, nested] {
      let instance = try container.resolve(Instance.self)
      for _ in 0..<3 { #expect(try container.resolve(Instance.self) === instance) }
      #expect(try container.resolve(Instance?.self) === instance)
      #expect(try container.resolve([Instance].self).map { ObjectIdentifier($0) } == [ObjectIdentifier(instance)])
      #expect(try container.resolve(ifPresent: Instance.self) === instance)
      #expect(try container.resolve(keys: [Key<Instance>()]).first === instance)
      #expect(try container.resolve(LazyResolver<Instance>.self).resolve() === instance)
      instances.insert(ObjectIdentifier(instance))
    }
    #expect(instances.count == 4)
    #expect(made.count == 4)
  }

  @Test(
    "A scoped instance is created once in each of three scopes, in every context, with tags and with arguments",
    arguments: 0...2)
  func contexts(depth: Int) async throws {
    root.register(Instance.self, tags: "plain", lifetime: .scoped) { _ in Instance() }
    root.register(Instance.self, tags: "two", "tags", lifetime: .scoped) { _ in Instance() }
    root.register(Instance.self, tags: "three", "more", "tags", lifetime: .scoped) { _ in Instance() }
    root.register(Instance.self, tags: "arguments", lifetime: .scoped) { (_, _: Int) in Instance() }
    root.register(Instance.self, tags: "async", lifetime: .scoped) { _ async in Instance() }
    root.register(Instance.self, isolation: MainActor.shared, tags: "main", lifetime: .scoped) { _ in Instance() }
    root.register(Instance.self, tags: "instance", lifetime: .scoped, instance: Instance())
    root.register(Instance.self, tags: "auto", lifetime: .scoped, factory: auto(Instance.init))
    func resolve(_ container: Container) async throws -> [ObjectIdentifier] {
      var all = [
        try await container.resolve(Instance.self, tags: "plain"),
        try await container.resolve(Instance.self, tags: "two", "tags"),
        try await container.resolve(Instance.self, tags: "three", "more", "tags"),
        try await container.resolve(Instance.self, tags: "arguments", args: 7),
        try await container.resolve(Instance.self, tags: "async"),
        try await container.resolve(Instance.self, tags: "main"),
        try await container.resolve(Instance.self, tags: "instance"),
        try await container.resolve(Instance.self, tags: "auto"),
      ]
      let again = try { () throws in
        [
          try container.resolve(Instance.self, tags: "plain"),
          try container.resolve(Instance.self, tags: "two", "tags"),
          try container.resolve(Instance.self, tags: "three", "more", "tags"),
          // Once they are created, arguments and context are ignored.
          try container.resolve(Instance.self, tags: "arguments"),
          try container.resolve(Instance.self, tags: "async"),
          try container.resolve(Instance.self, tags: "main"),
          try container.resolve(Instance.self, tags: "instance"),
          try container.resolve(Instance.self, tags: "auto"),
        ]
      }()
      #expect(zip(all, again).allSatisfy { $0 === $1 })
      all += try await MainActor.run { [try container.resolve(Instance.self, isolation: MainActor.shared, tags: "main")] }
      #expect(all[5] === all[8])
      return all.map { ObjectIdentifier($0) }
    }
    var scope = root
    for _ in 0..<depth { scope = scope.scope() }
    let (own, others) = (try await resolve(scope), try await resolve(scope.scope()))
    #expect(Set(own).count == 8)
    #expect(Set(own).isDisjoint(with: others))
    #expect(try await resolve(scope) == own)
    #expect(try await scope.resolve([Instance].self).map { ObjectIdentifier($0) } == Array(own.prefix(8)))
  }

  @Test("A scoped factory resolves its dependencies from the scope, a singleton from the container of its registration")
  func homes() async throws {
    root.register(tags: "name", instance: "root")
    root.register(Report.self, tags: "scoped", lifetime: .scoped) { resolver in Report(try resolver.resolve(tags: "name")) }
    root.register(Report.self, tags: "async", lifetime: .scoped) { resolver async throws in
      Report(try await resolver.resolve(tags: "name"))
    }
    root.register(Report.self, isolation: MainActor.shared, tags: "main", lifetime: .scoped) { resolver in
      Report(try resolver.resolve(String.self, isolation: MainActor.shared, tags: "name"))
    }
    root.register(Report.self, tags: "transient") { resolver in Report(try resolver.resolve(tags: "name")) }
    root.register(Report.self, tags: "singleton", lifetime: .singleton) { resolver in
      Report(try resolver.resolve(Report.self, tags: "scoped").text)
    }
    let scope = root.scope()
    scope.register(tags: "name", instance: "scope")
    let nested = scope.scope()
    for container in [scope, nested] {
      for _ in 0..<2 {
        #expect(try await container.resolve(Report.self, tags: "scoped").text == "scope")
        #expect(try await container.resolve(Report.self, tags: "async").text == "scope")
        #expect(try await container.resolve(Report.self, tags: "main").text == "scope")
        #expect(try await container.resolve(Report.self, tags: "transient").text == "scope")
        #expect(try await container.resolve(Report.self, tags: "singleton").text == "root")
      }
    }
    #expect(try await root.resolve(Report.self, tags: "scoped").text == "root")
  }

  @Test("A singleton first resolved in a scope is shared by all and uses the root's scoped instances")
  func singleton() throws {
    final class Holder: Sendable {
      let instance: Instance
      init(_ instance: Instance) { self.instance = instance }
    }
    root.register(lifetime: .scoped) { _ in Instance() }
    root.register(tags: "singleton", lifetime: .singleton) { resolver in Holder(try resolver.resolve()) }
    root.register(tags: "scoped", lifetime: .scoped) { resolver in Holder(try resolver.resolve()) }
    root.register(tags: "transient") { resolver in Holder(try resolver.resolve()) }
    let scope = root.scope()
    let instance = try scope.resolve(Instance.self)
    #expect(try scope.resolve(Holder.self, tags: "singleton").instance === root.resolve(Instance.self))
    #expect(try scope.resolve(Holder.self, tags: "singleton") === root.scope().resolve(Holder.self, tags: "singleton"))
    #expect(try scope.resolve(Holder.self, tags: "scoped").instance === instance)
    #expect(try scope.resolve(Holder.self, tags: "transient").instance === instance)
    #expect(try scope.resolve(Holder.self, tags: "transient") !== scope.resolve(Holder.self, tags: "transient"))
  }

  @Test("A scope's own registrations override those of its parents and are not visible elsewhere")
  func ownRegistrations() throws {
    root.register(Int.self) { _ in 1 }
    root.register(String.self) { resolver in "\(try resolver.resolve(Int.self))" }
    let (scope, other) = (root.scope(), root.scope())
    let nested = scope.scope()
    for _ in 0..<2 { #expect(try nested.resolve(String.self) == "1") }
    scope.register(Int.self) { _ in 2 }
    for _ in 0..<2 {
      #expect(try scope.resolve(Int.self) == 2 && scope.resolve(String.self) == "2")
      #expect(try nested.resolve(Int.self) == 2 && nested.resolve(String.self) == "2")
      #expect(try other.resolve(Int.self) == 1 && root.resolve(Int.self) == 1)
    }
    nested.register(Int.self) { _ in 3 }
    #expect(try nested.resolve(Int.self) == 3 && scope.resolve(Int.self) == 2)
    nested[Key<Int>()] = nil
    scope[Key<Int>()] = nil
    #expect(try nested.resolve(Int.self) == 1 && nested.resolve(String.self) == "1")
  }

  @Test("A scoped registration of a scope is created once there and once in each nested scope")
  func scopedInScope() throws {
    let scope = root.scope()
    scope.register(lifetime: .scoped) { _ in Instance() }
    let own = try scope.resolve(Instance.self)
    let nested = scope.scope()
    #expect(try scope.resolve(Instance.self) === own)
    #expect(try nested.resolve(Instance.self) !== own)
    #expect(try nested.resolve(Instance.self) === nested.resolve(Instance.self))
    #expect(try root.resolve(Instance?.self) == nil)
  }

  @Test("A scoped instance resolved through a nested container that is not a scope belongs to the nearest scope above")
  func nestedContainers() throws {
    root.register(tags: "name", instance: "root")
    root.register(lifetime: .scoped) { resolver in Report(try resolver.resolve(tags: "name")) }
    let child = Container(parent: root)
    child.register(tags: "name", instance: "child")
    #expect(try child.resolve(Report.self) === root.resolve(Report.self))
    #expect(try child.resolve(Report.self).text == "root")
    let scope = child.scope()
    let grandchild = Container(parent: scope)
    #expect(try grandchild.resolve(Report.self) === scope.resolve(Report.self))
    #expect(try scope.resolve(Report.self) !== root.resolve(Report.self))
    #expect(try scope.resolve(Report.self).text == "child")
    child.register(Instance.self, lifetime: .scoped) { _ in Instance() }
    #expect(try Container(parent: child).resolve(Instance.self) === child.resolve(Instance.self))
    #expect(try grandchild.resolve(Instance.self) === scope.resolve(Instance.self))
    #expect(try scope.resolve(Instance.self) !== child.resolve(Instance.self))
  }

  @Test("Scoped entries do not appear in lookups, and arrays keep their order")
  func invisible() throws {
    for number in 0..<4 {
      root.register(Report.self, tags: "all", number, lifetime: [.scoped, .singleton, .transient, .scoped][number]) { _ in
        Report("\(number)")
      }
    }
    let scope = root.scope()
    for number in [3, 0, 1, 2] { _ = try scope.resolve(Report.self, tags: "all", number) }
    scope.register(Report.self, tags: "all", 4, lifetime: .scoped) { _ in Report("4") }
    for container in [scope, scope.scope()] {
      #expect(try container.resolve([Report].self, tags: "all").map(\.text) == ["0", "1", "2", "3", "4"])
      #expect(try container.resolve([Report].self, tags: "all").map(\.text) == ["0", "1", "2", "3", "4"])
      #expect(container.find(Criteria<Report>(op: .subset)).count == 5)
      #expect(container.filter(Report.self).count == 5)
      #expect(container.validate().registrationCount == 5)
      #expect(container[Key<Report>(tags: "all", 0)] === root[Key<Report>(tags: "all", 0)])
    }
    #expect(scope.clear() == 1)
  }

  @Test("Copies of a scoped registration are scoped under any key")
  func copies() throws {
    let key = root.register(Hello.self, lifetime: .scoped) { _ in Hello() }
    root.register(Instance.self, lifetime: .scoped) { _ in Instance() }
    root[AnyKey((any Greeting).self, tags: "cast")] = root[key]
    root[AnyKey(Instance.self, tags: "copy")] = root[Key<Instance>()]
    root[AnyKey(Instance?.self, tags: "cast")] = root[Key<Instance>()]
    let (first, second) = (root.scope(), root.scope())
    #expect(try first.resolve((any Greeting).self, tags: "cast").text == "hello")
    for tag in ["copy"] {
      #expect(try first.resolve(Instance.self, tags: tag) === first.resolve(Instance.self, tags: tag))
      #expect(try first.resolve(Instance.self, tags: tag) !== second.resolve(Instance.self, tags: tag))
    }
    #expect(try first.resolve(Instance?.self, tags: "cast") === first.resolve(Instance?.self, tags: "cast"))
    #expect(try first.resolve(Instance?.self, tags: "cast") !== second.resolve(Instance?.self, tags: "cast"))
  }

  @Test("A scoped factory that throws runs again in its scope, and other scopes are not affected")
  func retried() throws {
    let attempts = Counter()
    root.register(lifetime: .scoped) { _ in
      if attempts.next() == 1 { throw SampleError() }
      return Instance()
    }
    let scope = root.scope()
    #expect(throws: SampleError.self) { try scope.resolve(Instance.self) }
    #expect(try scope.resolve(Instance.self) === scope.resolve(Instance.self))
    #expect(attempts.count == 2)
  }

  @Test("Scoped factories that need each other are a dependency cycle with its whole path, in any scope")
  func cycle() throws {
    root.register(Int.self, lifetime: .scoped) { resolver in try resolver.resolve(String.self).count }
    root.register(String.self, lifetime: .scoped) { resolver in "\(try resolver.resolve(Int.self))" }
    let scope = root.scope().scope()
    for container in [root, scope] {
      let error = try #require(throws: ResolutionError.self) { try container.resolve(Int.self) }
      guard case .cycle(let keys) = error.reason else {
        Issue.record(error)
        return
      }
      #expect(keys == [AnyKey(Int.self), AnyKey(String.self), AnyKey(Int.self)])
    }
    // An instance of a scope may need that of its parent.
    root.register(Report.self, lifetime: .scoped) { [root] resolver in
      Report(resolver === root ? "root" : try root.resolve(Report.self).text + ", scope")
    }
    #expect(try scope.resolve(Report.self).text == "root, scope")
  }

  @Test("A factory that resolves its own key from a new scope each time is a dependency cycle")
  func cycleThroughScopes() async throws {
    root.register(Int.self, lifetime: .scoped) { resolver in try resolver._container.takeUnretainedValue().scope().resolve() }
    root.register(String.self, lifetime: .scoped) { resolver async throws in
      try await resolver._container.takeUnretainedValue().scope().resolve()
    }
    func number() throws -> Int { try root.resolve() }
    func text() async throws -> String { try await root.resolve() }
    func path(_ error: ResolutionError?) -> [AnyKey]? { if case .cycle(let keys)? = error?.reason { keys } else { nil } }
    let synchronous = #expect(throws: ResolutionError.self) { try number() }
    let asynchronous = await #expect(throws: ResolutionError.self) { try await text() }
    #expect(path(synchronous) == [AnyKey(Int.self), AnyKey(Int.self)])
    #expect(path(asynchronous) == [AnyKey(String.self), AnyKey(String.self)])
    // A finite recursion is not a dependency cycle.
    root.register(Double.self, lifetime: .scoped) { resolver in
      let container = resolver._container.takeUnretainedValue()
      guard sequence(first: container, next: \.parent).prefix(10).reversed().count < 10 else { return 1 }
      return try container.scope().resolve(Double.self) + 1
    }
    #expect(try await root.resolve(Double.self) == 10)
  }

  @Test("Arguments choose among registrations in a scope, and errors name each registration once")
  func arguments() throws {
    root.register(String.self, lifetime: .scoped) { (_, number: Int) in "number \(number)" }
    let scope = root.scope()
    let error = try #require(throws: ResolutionError.self) { try scope.resolve(String.self, args: true) }
    #expect(error.reason.name == "invalidArgsType")
    #expect("\(error)".components(of: "Swift.Int") == 1)
    root.register(String.self, lifetime: .scoped) { (_, text: String) in "text \(text)" }
    #expect(try scope.resolve(String.self, args: 1) == "number 1")
    #expect(try scope.resolve(String.self, args: "a") == "text a")
    #expect(try scope.resolve(String.self, args: 2) == "number 1")
    let single = root.register(Bool.self, lifetime: .scoped) { (_, value: Bool) in value }
    _ = try scope.resolve(key: single, args: true)
    #expect(try scope.resolve(Bool.self) == true)
    #expect(throws: ResolutionError.self) { try root.resolve(Bool.self) }
  }

  @Test("A scope has the collision policy of its parent")
  func collisions() throws {
    let keeping = Container(collisions: .keep)
    let scope = keeping.scope()
    scope.register(Int.self) { _ in 1 }
    scope.register(Int.self) { _ in 2 }
    #expect(try scope.resolve(Int.self) == 1)
    #expect(Container.null.scope() === Container.null)
  }

  @Test("A scope has its own assemblies and injections")
  func assemblies() async throws {
    final class Registering: Assembly {
      func register(in registrar: any Registrar) { registrar.register(lifetime: .scoped) { _ in Instance() } }
    }
    final class Target { var instance: Instance? }
    let scope = root.scope()
    try await scope.assemble(Registering())
    #expect(try await root.resolve(Instance?.self) == nil)
    scope.into(injectable: Target.self).inject(\.instance).register()
    let target = try { () throws in try scope.resolve(into: Target()) }()
    #expect(try { () throws in try target.instance === scope.resolve(Instance.self) }())
  }
}

extension String {
  /// Returns the number of occurrences of a text.
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
