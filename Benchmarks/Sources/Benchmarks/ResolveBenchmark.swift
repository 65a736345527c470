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

  /// A row of the report. Without a time the value is in the unit that the name says.
  struct Row {
    let name: String
    let time: Double?
    let value: Double
  }

  static func rows() async throws -> [Row] {
    let container = try container(stages: 1000)
    var rows = try synchronous(container)
    rows += try await asynchronous(container)
    rows += try arrays()
    rows.append(try await mainActor(container))
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
    container.register { _, number in Numbered(number) }
    container.register(factory: auto(Dependent.init))
    container.register(cached: true) { _ in Cached() }
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

  private static func synchronous(_ container: Container) throws -> [Row] {
    var rows: [Row] = []
    let base = baseContainer()
    func row(_ name: String, _ count: Int = 50_000, _ body: () throws -> Void) throws {
      let result = try Measuring.inTurns(count, unit: { _ = try base.resolve(Service.self) }, body)
      rows.append(Row(name: "sync: " + name, time: result.time, value: result.ratio))
    }
    try row("transient") { _ = try container.resolve(Service.self) }
    try row("built singleton") { _ = try container.resolve(Shared.self) }
    try row("one tag") { _ = try container.resolve(Tagged.self, tags: "one") }
    try row("two tags") { _ = try container.resolve(Tagged.self, tags: "one", "two") }
    try row("one argument") { _ = try container.resolve(Numbered.self, args: 7) }
    try row("auto with one dependency") { _ = try container.resolve(Dependent.self) }
    let child = Container(parent: container)
    let grandchild = Container(parent: child)
    try row("from a parent") { _ = try child.resolve(Service.self) }
    try row("from a grandparent") { _ = try grandchild.resolve(Service.self) }

    try row("if present") { _ = try container.resolve(ifPresent: Service.self) }
    try row("if present, missing") { _ = try container.resolve(ifPresent: Missing.self) }
    try row("optional") { _ = try container.resolve(Service?.self) }
    try row("missing optional") { _ = try container.resolve(Missing?.self) }
    // In a container of its own: a lazy resolver makes each change of its reference count slower.
    let lazyBase = baseContainer()
    try row("lazy resolver") { _ = try lazyBase.resolve(LazyResolver<Service>.self) }
    let lazy = try lazyBase.resolve(LazyResolver<Service>.self)
    try row("through a lazy resolver") { _ = try lazy.resolve() }
    let key = Key<Service>()
    let (keys, anyKey) = ([key], AnyKey(key))
    try row("by a key") { _ = try container.resolve(key: key) }
    try row("by a key of any type") { _ = try container.resolve(key: anyKey) }
    try row("by a list of one key") { _ = try container.resolve(keys: keys) }
    try row("by a list of one key of any type") { _ = try container.resolve(keys: [anyKey]) }
    try row("past a cache") { _ = try container.resolve(Cached.self, cached: false) }
    let other = Container()
    let object = Shared()
    other.register(weak: object)
    try row("weak object") { _ = try other.resolve(Shared.self) }
    let target = Target()
    try row("injection of three properties", 20_000) { try container.resolve(into: target) }
    let scope = container.scope()
    try row("scoped instance") { _ = try scope.resolve(Session.self) }
    try row("a scope with one scoped instance", 20_000) { _ = try container.scope().resolve(Session.self) }

    let recording = Container(learnsDependencies: true)
    recording.register { _ in Service() }
    try row("recorded") { _ = try recording.resolve(Service.self) }
    try container.withOverrides {
      $0.register { _ in Service() }
    } operation: { () throws in
      try row("overridden") { _ = try container.resolve(Service.self) }
      try row("beside an override") { _ = try container.resolve(Tagged.self, tags: "one") }
    }
    return rows
  }

  private static func arrays() throws -> [Row] {
    var rows: [Row] = []
    for registrations in [1000, 100_000] {
      let container = try container(stages: registrations)
      let singles = try container.resolve([any Stage].self, tags: "single")
      precondition(singles.count == 10)
      for (name, tag) in [("transients", "wanted"), ("singletons", "single")] {
        let result = try Measuring.inTurns(10_000) {
          _ = try container.resolve(Service.self)
        } _: {
          _ = try container.resolve([any Stage].self, tags: tag)
        }
        rows.append(Row(name: "array of 10 \(name) among \(registrations)", time: result.time, value: result.ratio))
      }
    }
    return rows
  }

  // MARK: Asynchronous

  private static func asynchronous(_ container: Container) async throws -> [Row] {
    var rows: [Row] = []
    let base = baseContainer()
    // The bodies contain the loop: a call of an asynchronous closure takes as long as a resolve.
    func row(_ name: String, _ count: Int = 20_000, _ body: nonisolated(nonsending) (Int) async throws -> Void) async throws {
      let result = try await Measuring.inTurns(count, unit: { _ = try base.resolve(Service.self) }, body)
      rows.append(Row(name: "async: " + name, time: result.time, value: result.ratio))
    }
    try await row("sync transient") { for _ in 0..<$0 { _ = try await container.resolve(Service.self) } }
    try await row("async transient") { for _ in 0..<$0 { _ = try await container.resolve(AsyncService.self) } }
    try await row("built singleton") { for _ in 0..<$0 { _ = try await container.resolve(Shared.self) } }
    try await row("built async singleton") { for _ in 0..<$0 { _ = try await container.resolve(AsyncShared.self) } }
    try await row("auto with one dependency") { for _ in 0..<$0 { _ = try await container.resolve(AsyncDependent.self) } }
    let grandchild = Container(parent: Container(parent: container))
    try await row("from a grandparent") { for _ in 0..<$0 { _ = try await grandchild.resolve(Service.self) } }
    try await row("two tags") { for _ in 0..<$0 { _ = try await container.resolve(Tagged.self, tags: "one", "two") } }
    try await row("one argument") { for _ in 0..<$0 { _ = try await container.resolve(Numbered.self, args: 7) } }
    try await row("if present") { for _ in 0..<$0 { _ = try await container.resolve(ifPresent: Service.self) } }
    try await row("optional") { for _ in 0..<$0 { _ = try await container.resolve(Service?.self) } }
    try await row("missing optional") { for _ in 0..<$0 { _ = try await container.resolve(Missing?.self) } }
    let lazyBase = baseContainer()
    try await row("lazy resolver") { for _ in 0..<$0 { _ = try await lazyBase.resolve(LazyResolver<Service>.self) } }
    let key = Key<Service>()
    try await row("by a key") { for _ in 0..<$0 { _ = try await container.resolve(key: key) } }
    try await row("by a list of one key") { for _ in 0..<$0 { _ = try await container.resolve(keys: [key]) } }
    try await row("past a cache") { for _ in 0..<$0 { _ = try await container.resolve(Cached.self, cached: false) } }
    try await row("array of 10 transients", 5000) {
      for _ in 0..<$0 { _ = try await container.resolve([any Stage].self, tags: "wanted") }
    }
    let scope = container.scope()
    try await row("scoped instance") { for _ in 0..<$0 { _ = try await scope.resolve(Session.self) } }
    return rows
  }

  // MARK: The main actor

  @MainActor
  private static func mainActor(_ container: Container) throws -> Row {
    let result = try Measuring.inTurns(50_000) {
      _ = try container.resolve(Service.self)
    } _: {
      _ = try container.resolve(Service.self, isolation: MainActor.shared)
    }
    return Row(name: "main actor: transient", time: result.time, value: result.ratio)
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
