import Testing
@testable import TroupeContainer

@Suite("The order in which singletons end", .timeLimit(.minutes(10)))
struct DisposalTests {
  /// Writes its number down when it ends.
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

  @Test("What was made last ends first, however it was registered", arguments: End.allCases)
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
    // Neither in the order of registration nor in its reverse.
    let made = (0..<50).map { $0 * 37 % 100 }
    for number in made { _ = try container?.resolve(Resource.self, tags: number) }
    switch end {
    case .container: container = nil
    case .owner: container?.unregister(owner: owner)
    case .batch: try container?.batch { registrar in for number in 0..<100 { registrar[Key<Resource>(tags: number)] = nil } }
    }
    #expect(journal.lines == made.reversed().map { "\($0)" })
  }

  @Test("What needs another one ends before it")
  func dependency() throws {
    let journal = Journal()
    var container: Container? = Container()
    container?.register(Resource.self, tags: "needs", lifetime: .singleton) { resolver in
      _ = try resolver.resolve(Resource.self, tags: "needed")
      return Resource(2, journal)
    }
    container?.register(Resource.self, tags: "needed", lifetime: .singleton) { _ in Resource(1, journal) }
    // Resolved inside a factory: a reference of this function's own might be released only behind the container's.
    container?.register(Int.self) { resolver in try resolver.resolve(Resource.self, tags: "needs").number }
    #expect(try container?.resolve(Int.self) == 2)
    container = nil
    #expect(journal.lines == ["2", "1"])
  }

  @Test("What somebody still uses ends when nobody does")
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

  @Test("What a container never made does not end, and nothing is left over")
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

  @Test("Singletons of every context end in the reverse order in which they were made")
  func contexts() async throws {
    let journal = Journal()
    var container: Container? = Container()
    container?.register(Resource.self, tags: "sync", lifetime: .singleton) { _ in Resource(1, journal) }
    container?.register(Resource.self, tags: "async", lifetime: .singleton) { _ async in Resource(2, journal) }
    container?.register(Resource.self, isolation: MainActor.shared, tags: "main", lifetime: .singleton) { _ in
      Resource(3, journal)
    }
    for tag in ["main", "sync", "async"] { _ = try await container?.resolve(Resource.self, tags: tag) }
    container = nil
    // The job on the main actor releases the container when it ends, perhaps after this task has its result.
    while journal.lines.count < 3 { await Task.yield() }
    #expect(journal.lines == ["2", "1", "3"])
  }

  /// Makes an instance and lets go of it; not inlined, since the optimiser might let go of it after the container has ended.
  @inline(never)
  private static func make(_ tag: Int, _ container: Container?) throws {
    _ = try container?.resolve(Resource.self, tags: tag)
  }

  @Test("What replaces another ends after it was made, and what was replaced ends before, the last made first in a batch")
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

  @Test("A container's singletons end before those of its parent that they need")
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

  @Test("What a factory captures ends with its registration, however that goes", arguments: [Lifetime.transient, .singleton])
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
          registrar[key] = nil; throw Fault()
        }; container[key] = nil
      },
    ]
    for end in ends {
      let captured = register()
      #expect(try container.resolve(key: key) == 1)
      #expect(captured.instance != nil)
      try end(container)
      #expect(captured.instance == nil)
    }
  }

  /// Does not keep an instance.
  private struct Weak {
    weak var instance: Instance?
  }
}
