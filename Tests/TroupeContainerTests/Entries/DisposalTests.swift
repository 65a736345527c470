import Testing
@testable import TroupeContainer

@Suite("A container releases its singletons in the reverse order of their creation", .timeLimit(.minutes(60)))
struct DisposalTests {
  /// Records its number when it is deinitialized.
  private final class Resource: Sendable {
    let number: Int
    let journal: Journal

    init(_ number: Int, _ journal: Journal) {
      self.number = number
      self.journal = journal
    }

    deinit { journal.write("\(number)") }
  }

  enum End: CaseIterable { case container, owner, batch }

  @Test("The last created singleton is released first, in any order of registration", arguments: End.allCases)
  func order(end: End) throws {
    let journal = Journal()
    let owner = Owner(name: "plugin")
    var container: Container? = Container()
    container?.register(Int.self) { _ in 0 }
    for number in 0..<100 {
      container?.registrar(owner: owner).register(Resource.self, tags: number, lifetime: .singleton) { _ in
        Resource(number, journal)
      }
    }
    // The order of creation is neither the order of registration nor its reverse.
    let made = (0..<50).map { $0 * 37 % 100 }
    for number in made { _ = try container?.resolve(Resource.self, tags: number) }
    switch end {
    case .container: container = nil
    case .owner: container?.unregister(owner: owner)
    case .batch: try container?.batch { registrar in for number in 0..<100 { registrar[Key<Resource>(tags: number)] = nil } }
    }
    #expect(journal.lines == made.reversed().map { "\($0)" })
  }

  @Test("A singleton is released before its dependencies")
  func dependency() throws {
    let journal = Journal()
    var container: Container? = Container()
    container?.register(Resource.self, tags: "needs", lifetime: .singleton) { resolver in
      _ = try resolver.resolve(Resource.self, tags: "needed")
      return Resource(2, journal)
    }
    container?.register(Resource.self, tags: "needed", lifetime: .singleton) { _ in Resource(1, journal) }
    // Resolves inside a factory, since a reference in this function could outlive the container.
    container?.register(Int.self) { resolver in try resolver.resolve(Resource.self, tags: "needs").number }
    #expect(try container?.resolve(Int.self) == 2)
    container = nil
    #expect(journal.lines == ["2", "1"])
  }

  @Test("A singleton in use is released with its last reference")
  func used() throws {
    let journal = Journal()
    let container = Container()
    for number in 0..<3 {
      container.register(Resource.self, tags: number, lifetime: .singleton) { _ in Resource(number, journal) }
    }
    var resources = try container.resolve([Resource].self)
    let kept = resources[1]
    resources = []
    for number in 0..<3 { container[Key<Resource>(tags: number)] = nil }
    #expect(journal.lines == ["0", "2"])
    withExtendedLifetime(kept) {}
  }

  @Test("A container that created no instance releases the captures of its factories")
  func unmade() throws {
    weak var captured: Instance?
    do {
      let container = Container()
      let instance = Instance()
      captured = instance
      for number in 0..<10 { container.register(Instance.self, tags: number, lifetime: .singleton) { _ in instance } }
      for number in 0..<5 { container[Key<Instance>(tags: number)] = nil }
      container.register(Instance.self, tags: 7) { _ in Instance() }
      #expect(captured != nil)
    }
    #expect(captured == nil)
  }

  @Test("Singletons of every context are released in the reverse order of creation")
  func contexts() async throws {
    let journal = Journal()
    var container: Container? = Container()
    container?.register(Resource.self, tags: "sync", lifetime: .singleton) { _ in Resource(1, journal) }
    container?.register(Resource.self, tags: "async", lifetime: .singleton) { _ async in Resource(2, journal) }
    container?.register(Resource.self, isolation: MainActor.shared, tags: "main", lifetime: .singleton) { _ in
      Resource(3, journal)
    }
    for tag in ["main", "sync", "async"] { try await Self.makeAsync(tag, container) }
    container = nil
    // The job on the main actor may release the container after this task receives its result.
    while journal.lines.count < 3 { await Task.yield() }
    #expect(journal.lines == ["2", "1", "3"])
  }

  /// Creates an instance and releases it. Not inlined, since the optimizer could otherwise release it after the container.
  @inline(never)
  private static func make(_ tag: Int, _ container: Container?) throws {
    _ = try container?.resolve(Resource.self, tags: tag)
  }

  @inline(never)
  private static func makeAsync(_ tag: String, _ container: Container?) async throws {
    _ = try await container?.resolve(Resource.self, tags: tag)
  }

  @Test("Replaced singletons are released with the batch and new ones with the container, in reverse order of creation")
  func replaced() throws {
    let journal = Journal()
    var container: Container? = Container()
    func register(_ registrar: (any Registrar)?, _ tag: Int, _ number: Int) {
      registrar?.register(Resource.self, tags: tag, lifetime: .singleton) { _ in Resource(number, journal) }
    }
    for number in 0..<4 { register(container, number, number) }
    for number in [2, 0, 3] { try Self.make(number, container) }
    try container?.batch { registrar in for number in 0..<3 { register(registrar, number, 10 + number) } }
    // A reader of another container may still delay the release.
    container?.waitForReaders()
    #expect(journal.lines == ["0", "2"])
    for number in [1, 2] { try Self.make(number, container) }
    container = nil
    #expect(journal.lines == ["0", "2", "12", "11", "3"])
  }

  @Test("A child's singletons are released before their dependencies in the parent")
  func nested() throws {
    let journal = Journal()
    var parent: Container? = Container()
    var child: Container? = Container(parent: parent)
    parent?.register(Resource.self, tags: "parent", lifetime: .singleton) { _ in Resource(1, journal) }
    child?.register(Resource.self, tags: "child", lifetime: .singleton) { resolver in
      _ = try resolver.resolve(Resource.self, tags: "parent")
      return Resource(2, journal)
    }
    _ = try child?.resolve(Resource.self, tags: "child")
    parent = nil
    #expect(journal.lines.isEmpty)
    child = nil
    #expect(journal.lines == ["2", "1"])
  }

  @Test("The removal of a registration releases the captures of its factory", arguments: [Lifetime.transient, .singleton])
  func captured(lifetime: Lifetime) throws {
    let container = Container()
    let owner = Owner(name: "owner")
    let key = Key<Int>(tags: "a")
    func register() -> Weak {
      let instance = Instance()
      container.registrar(owner: owner).register(key: key, lifetime: lifetime) { _ in
        withExtendedLifetime(instance) { 1 }
      }
      return Weak(instance: instance)
    }
    let ends: [(Container) throws -> Void] = [
      { $0[key] = nil }, { $0.unregister(owner: owner) }, { $0.register(key: key) { _ in 2 } },
      { container in try container.batch { registrar in registrar[key] = nil } },
      { container in
        _ = try? container.batch { registrar in
          registrar[key] = nil; throw SampleError()
        }; container[key] = nil
      },
    ]
    for end in ends {
      let captured = register()
      #expect(try container.resolve(key: key) == 1)
      #expect(captured.instance != nil)
      try end(container)
      container.waitForReaders()
      #expect(captured.instance == nil)
    }
  }

  /// A weak reference to an instance.
  private struct Weak {
    weak var instance: Instance?
  }
}
