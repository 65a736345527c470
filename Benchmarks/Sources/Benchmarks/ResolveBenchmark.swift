import Foundation
import TroupeContainer

/// The cost of each public way to resolve, in multiples of a synchronous transient without tags.
enum ResolveBenchmark {
  private final class Service: Sendable {}
  private final class Shared: Sendable {}
  private final class Session: Sendable {}
  private final class Tagged: Sendable {}
  private final class Missing: Sendable {}
  private final class Cached: Sendable {}
  private final class Numbered: Sendable {
    init(_ number: Int) {}
  }
  private final class Dependent: Sendable {
    let service: Service
    init(service: Service) { self.service = service }
  }
  private final class AsyncService: Sendable {}
  private final class AsyncShared: Sendable {}
  private final class AsyncDependent: Sendable {
    let service: Service
    init(service: Service) async { self.service = service }
  }
  private final class Target {
    var service: Service?
    var shared: Shared?
    var tagged: Tagged?
  }
  private protocol Stage: AnyObject, Sendable {}
  private final class Plain: Stage {}
  private struct Label: Hashable, Sendable {}
  @MainActor private final class Screen {}

  /// A row of the report. Without a time the value is in the unit that the name says.
  struct Row {
    let name: String
    let time: Double?
    let value: Double
  }

  /// Rows in multiples of a transient of a container with that registration alone.
  private struct Table {
    let context: String
    private(set) var rows: [Row] = []
    private let base = ResolveBenchmark.baseContainer()

    init(_ context: String) { self.context = context }

    mutating func row(_ name: String, _ count: Int = 50_000, _ body: () throws -> Void) throws {
      let base = base
      add(name, try Measuring.inTurns(count, unit: { _ = try base.resolve(Service.self) }, body))
    }

    /// Adds a row of a body that contains the loop: a call of an asynchronous closure takes as long as a resolve.
    nonisolated(nonsending)
      mutating func asyncRow(
        _ name: String, _ count: Int = 20_000, _ body: nonisolated(nonsending) (Int) async throws -> Void
      ) async throws
    {
      let base = base
      add(name, try await Measuring.inTurns(count, unit: { _ = try base.resolve(Service.self) }, body))
    }

    private mutating func add(_ name: String, _ result: Measuring.Ratio) {
      rows.append(Row(name: context + name, time: result.time, value: result.ratio))
    }
  }

  static func rows() async throws -> [Row] {
    let container = try container(stages: 1000)
    var rows: [Row] = []
    rows += try types(container)
    rows += try keys(container)
    rows += try features(container)
    rows += try await asyncTypes(container)
    rows += try await asyncFeatures(container)
    rows += try arrays()
    rows += try await mainActor(container)
    rows.append(registering())
    return rows
  }

  /// A container with a registration of each kind, and two groups of ten among others.
  private static func container(stages: Int) throws -> Container {
    let container = Container()
    container.register { _ in Service() }
    container.register(lifetime: .singleton) { _ in Shared() }
    container.register(lifetime: .scoped) { _ in Session() }
    container.register(tags: "one", "two") { _ in Tagged() }
    container.register(tags: "one") { _ in Tagged() }
    container.register(tags: "one", "two", "three") { _ in Tagged() }
    container.register { _, number in Numbered(number) }
    container.register(tags: "one") { _, number in Numbered(number) }
    container.register { _ in Label() }
    container.register(isolation: MainActor.shared) { _ in Screen() }
    container.register(factory: auto(Dependent.init))
    container.annotated(cached: true).register { _ in Cached() }
    container.register { _ async in AsyncService() }
    container.register(lifetime: .singleton) { _ async in AsyncShared() }
    container.register(factory: auto(AsyncDependent.init))
    container.into(injectable: Target.self)
      .inject(\.service).inject(\.shared).inject(\.tagged, tags: "one", "two").register()
    try container.batch { registrar in
      for number in 0..<stages {
        let isWanted = number % (stages / 10) == 0
        registrar.register((any Stage).self, tags: isWanted ? "wanted" : "other", number) { _ in Plain() }
        registrar.register((any Stage).self, tags: isWanted ? "single" : "another", number, lifetime: .singleton) { _ in Plain()
        }
      }
    }
    return container
  }

  /// A container with the registration of the unit alone.
  private static func baseContainer() -> Container {
    let container = Container()
    container.register { _ in Service() }
    return container
  }

  // MARK: Synchronous

  private static func types(_ container: Container) throws -> [Row] {
    var table = Table("sync: ")
    try table.row("transient") { _ = try container.resolve(Service.self) }
    try table.row("built singleton") { _ = try container.resolve(Shared.self) }
    try table.row("one tag") { _ = try container.resolve(Tagged.self, tags: "one") }
    try table.row("two tags") { _ = try container.resolve(Tagged.self, tags: "one", "two") }
    try table.row("three tags") { _ = try container.resolve(Tagged.self, tags: "one", "two", "three") }
    try table.row("one argument") { _ = try container.resolve(Numbered.self, args: 7) }
    try table.row("one tag and one argument") { _ = try container.resolve(Numbered.self, tags: "one", args: 7) }
    try table.row("auto with one dependency") { _ = try container.resolve(Dependent.self) }
    let child = Container(parent: container)
    let grandchild = Container(parent: child)
    try table.row("from a parent") { _ = try child.resolve(Service.self) }
    try table.row("from a grandparent") { _ = try grandchild.resolve(Service.self) }
    try table.row("if present") { _ = try container.resolve(ifPresent: Service.self) }
    try table.row("if present, missing") { _ = try container.resolve(ifPresent: Missing.self) }
    try table.row("if present, with a tag") { _ = try container.resolve(ifPresent: Tagged.self, tags: "one") }
    try table.row("optional") { _ = try container.resolve(Service?.self) }
    try table.row("missing optional") { _ = try container.resolve(Missing?.self) }
    try table.row("set of one") { _ = try container.resolve(Set<Label>.self) }
    return table.rows
  }

  private static func keys(_ container: Container) throws -> [Row] {
    var table = Table("sync: ")
    let key = Key<Service>()
    let (keys, anyKey, numbered) = ([key], AnyKey(key), Key<Numbered>())
    try table.row("by a key") { _ = try container.resolve(key: key) }
    try table.row("by a key with an argument") { _ = try container.resolve(key: numbered, args: 7) }
    try table.row("if present, by a key") { _ = try container.resolve(ifPresent: key) }
    try table.row("by a key of any type") { _ = try container.resolve(key: anyKey) }
    try table.row("by a list of one key") { _ = try container.resolve(keys: keys) }
    try table.row("by a list of one key with an argument") { _ = try container.resolve(keys: [numbered], args: 7) }
    try table.row("by a list of one key of any type") { _ = try container.resolve(keys: [anyKey]) }
    return table.rows
  }

  private static func features(_ container: Container) throws -> [Row] {
    var table = Table("sync: ")
    // In a container of its own: a lazy resolver makes each change of its reference count slower.
    let lazyBase = baseContainer()
    let lazy = try lazyBase.resolve(LazyResolver<Service>.self)
    try table.row("lazy resolver") { _ = try lazyBase.resolve(LazyResolver<Service>.self) }
    try table.row("through a lazy resolver") { _ = try lazy.resolve() }
    let cached = Key<Cached>()
    try table.row("past a cache") { _ = try container.resolve(key: cached, cached: false) }
    let (other, object) = (Container(), Shared())
    other.register(weak: object)
    try table.row("weak object") { _ = try other.resolve(Shared.self) }
    let target = Target()
    try table.row("injection of three properties", 20_000) { try container.resolve(into: target) }
    let scope = container.scope()
    try table.row("scoped instance") { _ = try scope.resolve(Session.self) }
    try table.row("a scope with one scoped instance", 20_000) { _ = try container.scope().resolve(Session.self) }
    let recording = Container(learnsDependencies: true)
    recording.register { _ in Service() }
    try table.row("recorded") { _ = try recording.resolve(Service.self) }
    try container.withOverrides {
      $0.register { _ in Service() }
    } operation: { () throws in
      try table.row("overridden") { _ = try container.resolve(Service.self) }
      try table.row("beside an override") { _ = try container.resolve(Tagged.self, tags: "one") }
    }
    return table.rows
  }

  private static func arrays() throws -> [Row] {
    var table = Table("array of 10 ")
    for registrations in [1000, 100_000] {
      let container = try container(stages: registrations)
      let singles = try container.resolve([any Stage].self, tags: "single")
      precondition(singles.count == 10)
      for (name, tag) in [("transients", "wanted"), ("singletons", "single")] {
        try table.row("\(name) among \(registrations)", 10_000) { _ = try container.resolve([any Stage].self, tags: tag) }
      }
    }
    return table.rows
  }

  // MARK: Asynchronous

  private static func asyncTypes(_ container: Container) async throws -> [Row] {
    var table = Table("async: ")
    try await table.asyncRow("sync transient") { for _ in 0..<$0 { _ = try await container.resolve(Service.self) } }
    try await table.asyncRow("async transient") { for _ in 0..<$0 { _ = try await container.resolve(AsyncService.self) } }
    try await table.asyncRow("built singleton") { for _ in 0..<$0 { _ = try await container.resolve(Shared.self) } }
    try await table.asyncRow("built async singleton") { for _ in 0..<$0 { _ = try await container.resolve(AsyncShared.self) } }
    try await table.asyncRow("auto with one dependency") {
      for _ in 0..<$0 { _ = try await container.resolve(AsyncDependent.self) }
    }
    let grandchild = Container(parent: Container(parent: container))
    try await table.asyncRow("from a grandparent") { for _ in 0..<$0 { _ = try await grandchild.resolve(Service.self) } }
    try await table.asyncRow("one tag") { for _ in 0..<$0 { _ = try await container.resolve(Tagged.self, tags: "one") } }
    try await table.asyncRow("two tags") {
      for _ in 0..<$0 { _ = try await container.resolve(Tagged.self, tags: "one", "two") }
    }
    try await table.asyncRow("one argument") { for _ in 0..<$0 { _ = try await container.resolve(Numbered.self, args: 7) } }
    try await table.asyncRow("if present") { for _ in 0..<$0 { _ = try await container.resolve(ifPresent: Service.self) } }
    try await table.asyncRow("optional") { for _ in 0..<$0 { _ = try await container.resolve(Service?.self) } }
    try await table.asyncRow("missing optional") { for _ in 0..<$0 { _ = try await container.resolve(Missing?.self) } }
    try await table.asyncRow("array of 10 transients", 5000) {
      for _ in 0..<$0 { _ = try await container.resolve([any Stage].self, tags: "wanted") }
    }
    return table.rows
  }

  private static func asyncFeatures(_ container: Container) async throws -> [Row] {
    var table = Table("async: ")
    let (key, numbered) = (Key<Service>(), Key<Numbered>())
    try await table.asyncRow("by a key") { for _ in 0..<$0 { _ = try await container.resolve(key: key) } }
    try await table.asyncRow("by a key with an argument") {
      for _ in 0..<$0 { _ = try await container.resolve(key: numbered, args: 7) }
    }
    try await table.asyncRow("if present, by a key") { for _ in 0..<$0 { _ = try await container.resolve(ifPresent: key) } }
    try await table.asyncRow("by a list of one key") { for _ in 0..<$0 { _ = try await container.resolve(keys: [key]) } }
    let lazyBase = baseContainer()
    let lazy = try await lazyBase.resolve(LazyResolver<Service>.self)
    try await table.asyncRow("lazy resolver") { for _ in 0..<$0 { _ = try await lazyBase.resolve(LazyResolver<Service>.self) } }
    try await table.asyncRow("through a lazy resolver") { for _ in 0..<$0 { _ = try await lazy.resolve() } }
    try await table.asyncRow("past a cache") {
      for _ in 0..<$0 { _ = try await container.resolve(key: Key<Cached>(), cached: false) }
    }
    let (other, object) = (Container(), Shared())
    other.register(weak: object)
    try await table.asyncRow("weak object") { for _ in 0..<$0 { _ = try await other.resolve(Shared.self) } }
    let target = Target()
    try await table.asyncRow("injection of three properties") { for _ in 0..<$0 { try await container.resolve(into: target) } }
    let scope = container.scope()
    try await table.asyncRow("scoped instance") { for _ in 0..<$0 { _ = try await scope.resolve(Session.self) } }
    return table.rows
  }

  // MARK: The main actor

  @MainActor
  private static func mainActor(_ container: Container) throws -> [Row] {
    var table = Table("main actor: ")
    let key = Key<Service>()
    try table.row("transient") { _ = try container.resolve(Service.self, isolation: MainActor.shared) }
    try table.row("by a key") { _ = try container.resolve(key: key, isolation: MainActor.shared) }
    try table.row("factory on the main actor") { _ = try container.resolve(Screen.self, isolation: MainActor.shared) }
    return table.rows
  }

  // MARK: Writers

  /// The time of one of 1,000 registrations that took longest, beside eight threads that resolve: the best of several rounds.
  private static func registering() -> Row {
    let container = Container()
    container.register { _ in Service() }
    let readers = (0..<8).map { _ in
      let thread = Thread { while !Thread.current.isCancelled { _ = try? container.resolve(Service.self) } }
      thread.start()
      return thread
    }
    let rounds = (0..<5).map { round in
      let times = (0..<20_000).map { number in
        let start = Measuring.now()
        container.register(Tagged.self, tags: round * 20_000 + number) { _ in Tagged() }
        return Measuring.now() - start
      }
      return times.sorted()[times.count * 999 / 1000]
    }
    readers.forEach { $0.cancel() }
    return Row(name: "p99.9 of register beside 8 readers, us", time: nil, value: (rounds.min() ?? .nan) / 1000)
  }
}
