import Foundation
import Testing

@testable import TroupeContainer

/// Eight threads that change and read one container at the same time. Each makes `TROUPE_STRESS_ROUNDS` rounds, 500 by default.
@Suite("Threads that register and resolve at once see no partial change")
struct StressTests {
  /// An instance of a plugin with the generation of its batch. The plugin registers ten of them in one batch.
  private final class Item: Sendable {
    let generation: Int
    init(generation: Int) { self.generation = generation }
  }

  /// A singleton with the number of the registration that created it.
  private final class Single: Sendable {
    let registration: Int
    init(registration: Int) { self.registration = registration }
  }

  private static let rounds = ProcessInfo.processInfo.environment["TROUPE_STRESS_ROUNDS"].flatMap { Int($0) } ?? 500
  private static let batchSize = 10

  private let container = Container()
  /// The faults that the threads detected.
  private let faults = Journal()
  /// The last generation that each of the two plugins has unregistered.
  private let unregistered = UnregisteredGenerations()

  private final class UnregisteredGenerations: Sendable {
    private let generations = Lock([0, 0])

    func load(_ plugin: Int) -> Int { generations.withLock { $0[plugin] } }
    func store(_ plugin: Int, _ generation: Int) { generations.withLock { $0[plugin] = generation } }
  }

  @Test("No reader sees a part of a batch, an entry of an unregistered owner or two instances of a singleton")
  func everything() throws {
    _ = try onThreads(8) { thread in
      for round in 1...Self.rounds where faults.lines.isEmpty {
        switch thread {
        case 0, 1: try replacePlugin(thread, generation: round)
        case 2: registerSingly(round)
        case 3: registerSingleton(round)
        default: try check(round, thread)
        }
      }
    }
    #expect(faults.lines == [])
  }

  /// Registers a type and that many further types.
  private static func register<T: Sendable>(_ value: T, types: Int, in container: Container) {
    container.register(T.self) { _ in value }
    if types > 0 { register([value], types: types - 1, in: container) }
  }

  @Test("Each form of a resolve finds a type while new types are registered")
  func newTypes() throws {
    _ = try onThreads(4) { thread in
      for _ in 0..<Self.rounds / 5 {
        let container = Container()
        container.register(Double.self) { _ in 7 }
        _ = try onThreads(2) { thread in
          if thread == 0 { return Self.register("", types: 40, in: container) }
          for _ in 0..<100 {
            let plain: Double = try container.resolve()
            let byKey = try container.resolve(key: Key<Double>())
            let optional = try container.resolve(Double?.self)
            let present = try container.resolve(ifPresent: Double.self)
            let array = try container.resolve([Double].self)
            let set = try container.resolve(Set<Double>.self)
            let list = try container.resolve(keys: [Key<Double>()])
            let values: [Double?] = [plain, byKey, optional, present, array.first, set.first, list.first]
            if values.contains(where: { $0 != 7 }) { faults.write("\(values)") }
          }
        }
      }
    }
    #expect(faults.lines == [])
  }

  /// Registers a batch on behalf of an owner, and unregisters it.
  private func replacePlugin(_ plugin: Int, generation: Int) throws {
    let owner = Owner(name: "plugin \(plugin)")
    try container.batch(owner: owner) { registrar in
      for number in 0..<Self.batchSize {
        let lifetime: Lifetime = (generation + number) % 3 == 0 ? .transient : .singleton
        registrar.register(Item.self, tags: "plugin", plugin, "\(number)", lifetime: lifetime) { _ in
          Item(generation: generation)
        }
      }
    }
    if generation % 2 == 0 { try checkPlugin(plugin) }
    if container.unregister(owner: owner) != Self.batchSize { faults.write("an owner has a wrong number of registrations") }
    unregistered.store(plugin, generation)
  }

  /// Registers repeatedly under one key, and under many keys.
  private func registerSingly(_ round: Int) {
    container.register(Int.self, tags: "latest") { _ in round }
    container.register(Int.self, tags: "many", round % 300) { _ in round }
    container[Key<Int>(tags: "many", (round + 150) % 300)] = nil
  }

  /// Registers a singleton repeatedly. Each registration must create it once.
  private func registerSingleton(_ round: Int) {
    let made = Counter()
    container.register(Single.self, tags: "single", lifetime: .singleton) { [faults] resolver in
      if made.next() > 1 { faults.write("a singleton was made twice") }
      _ = try resolver.resolve(Int?.self, tags: "latest")
      return Single(registration: round)
    }
    // Resolves each registration, so that a second creation is detected.
    guard let first = try? container.resolve(Single.self, tags: "single"),
      let second = try? container.resolve(Single.self, tags: "single")
    else { return faults.write("a singleton was not created") }
    if first !== second || first.registration != round { faults.write("a singleton had two instances") }
  }

  private func check(_ round: Int, _ thread: Int) throws {
    switch (round + thread) % 4 {
    case 0: try checkPlugin(round % 2)
    case 1:
      let first = try container.resolve(Int?.self, tags: "latest") ?? 0
      let second = try container.resolve(Int?.self, tags: "latest") ?? 0
      if second < first { faults.write("an older registration was resolved after a newer one") }
    case 2:
      let first = try container.resolve(Single?.self, tags: "single")
      let second = try container.resolve(Single?.self, tags: "single")
      if let first, let second, first !== second && first.registration >= second.registration {
        faults.write("a singleton had two instances")
      }
    default:
      let numbers = try container.resolve([Int].self, tags: "many")
      if numbers != numbers.sorted() { faults.write("an array was out of order") }
      let count = container.find(Criteria<Item>(op: .subset, tags: "plugin", round % 2)).count
      if count % Self.batchSize != 0 { faults.write("\(count) of a batch were found") }
    }
  }

  private func checkPlugin(_ plugin: Int) throws {
    let unregistered = unregistered.load(plugin)
    let items = try container.resolve([Item].self, tags: "plugin", plugin)
    if items.count % Self.batchSize != 0 || items.count > Self.batchSize { faults.write("\(items.count) of a batch were seen") }
    if Set(items.map(\.generation)).count > 1 { faults.write("two batches were seen as one") }
    if items.contains(where: { $0.generation <= unregistered }) { faults.write("an unregistered owner's entry was found") }
    if let item = try container.resolve(Item?.self, tags: "3", "plugin", plugin), item.generation <= unregistered {
      faults.write("an unregistered owner's entry was resolved")
    }
  }
}

@Suite("Registering and unregistering repeatedly does not grow the memory", .timeLimit(.minutes(60)))
struct MemoryTests {
  @Test("Repeated registering and unregistering does not increase memory use")
  func flat() async {
    // Runs in a separate process, since other tests allocate memory as well.
    await #expect(processExitsWith: .success) {
      let container = Container()
      let owner = Owner(name: "plugin")
      func rounds(_ count: Int) throws {
        for number in 0..<count {
          container.register(Int.self, tags: "replaced") { _ in number }
          let key = container.registrar(owner: owner).register(Instance.self, tags: number, "all", lifetime: .singleton) { _ in
            Instance()
          }
          if number % 8 == 0 { _ = try container.resolve([Instance].self, tags: "all") }
          if number % 2 == 0 { container[key] = nil } else { container.unregister(owner: owner) }
        }
      }
      // After these rounds, the heap and the tables have their final size.
      try rounds(20_000)
      let before = try MemoryTests.residentBytes()
      let count = ProcessInfo.processInfo.environment["TROUPE_MEMORY_ROUNDS"].flatMap { Int($0) } ?? 50_000
      try rounds(count)
      let grown = try MemoryTests.residentBytes() - before
      // Less than 64 bytes for each round; a registration is larger.
      try #require(grown < 2 << 20, "\(grown) bytes more after \(count) rounds")
    }
  }

  /// Returns the resident memory of the process.
  fileprivate static func residentBytes() throws -> Int {
    let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return try #require(pages.count > 1 ? Int(pages[1]) : nil) * 4096
  }
}
