import Foundation
import Synchronization
import Testing

@testable import TroupeContainer

/// Eight threads resolve registrations that one thread replaces `TROUPE_STRESS_ROUNDS` times, 500 by default. Every third
/// replacement is pending and is loaded by the first resolve.
@Suite("Readers see each replacement of an owner whole")
final class ReplacementStressTests: Sendable {
  private static let memberCount = 12
  private static let rounds = ProcessInfo.processInfo.environment["TROUPE_STRESS_ROUNDS"].flatMap { Int($0) } ?? 500

  /// An instance of one generation of the plugin.
  private final class Item: Sendable {
    let generation: Int
    let number: Int
    private let alive: Atomics

    init(generation: Int, number: Int, alive: Atomics) {
      (self.generation, self.number, self.alive) = (generation, number, alive)
      alive.instances.add(1, ordering: .relaxed)
    }

    deinit { alive.instances.subtract(1, ordering: .relaxed) }
  }

  private final class Atomics: Sendable {
    /// The number of items that exist.
    let instances = Atomic<Int>(0)
    /// The oldest generation that a new resolve may see.
    let published = Atomic<Int>(0)
    /// The newest generation that any resolve may see.
    let begun = Atomic<Int>(0)
    let isOver = Atomic<Bool>(false)
  }

  private let container = Container()
  private let owners = [Owner(name: "plugin, even"), Owner(name: "plugin, odd")]
  private let atomics = Atomics()
  /// The faults that the threads detected.
  private let faults = Journal()
  /// The number of generations that a resolve loaded.
  private let loaded = Counter()
  /// The current generation, and whether it is loaded.
  private let state = Lock((generation: 0, isLoaded: true))

  @Test("Every resolve finds its registration, and every array is complete, in order and of one generation")
  func everything() throws {
    setUp()
    _ = try onThreads(9) { [self] thread in
      if thread == 0 {
        defer { atomics.isOver.store(true, ordering: .releasing) }
        for generation in 1...Self.rounds where faults.lines.isEmpty {
          replace(generation)
          // The readers may be too slow for a generation, so this thread loads some itself.
          if generation.isMultiple(of: 9) { try check(generation, thread) }
        }
        return
      }
      var round = 0
      while !atomics.isOver.load(ordering: .acquiring) || round < 12 {
        round += 1
        do { try check(round, thread) } catch { faults.write("\(error)") }
      }
    }
    #expect(faults.lines == [])
    #expect(loaded.count >= Self.rounds / 9)
    for owner in owners { container.unregister(owner: owner) }
    // The next change frees the entries that a reader has used.
    try container.batch { _ in }
    #expect(atomics.instances.load(ordering: .relaxed) == 0)
  }

  /// Registers the first generation, and constant registrations before, inside and after it.
  private func setUp() {
    let entries = entries(0)
    register(-1)
    container.add(Array(entries[..<5]), owner: owners[0])
    register(-2)
    container.add(Array(entries[5...]), owner: owners[0])
    register(-3)
  }

  private func register(_ number: Int) {
    container.register(Item.self, tags: "item", number) { [atomics] _ in Item(generation: -1, number: number, alive: atomics) }
  }

  /// Returns the entries of a generation. Half of them are singletons, which must be created once.
  private func entries(_ generation: Int) -> [Entry] {
    (0..<Self.memberCount).map { number in
      let made = Counter()
      let lifetime: Lifetime = (number + generation) % 2 == 0 ? .singleton : .transient
      return .plain(Item.self, tags: TagList(Set(elements: "item", number)), lifetime: lifetime) { [faults, atomics] _ in
        if made.next() > 1 && lifetime == .singleton { faults.write("a singleton was made twice") }
        return Item(generation: generation, number: number, alive: atomics)
      }
    }
  }

  /// Replaces the current generation. Every third one is pending.
  private func replace(_ generation: Int) {
    atomics.begun.store(generation, ordering: .sequentiallyConsistent)
    state.withLock { state in
      let isLazy = generation % 3 == 0
      container.replace(
        owner: owners[(generation + 1) % 2], with: isLazy ? pending(generation) : order(entries(generation)),
        owner: owners[generation % 2])
      state = (generation, !isLazy)
    }
    atomics.published.store(generation, ordering: .sequentiallyConsistent)
  }

  private func pending(_ generation: Int) -> [Entry] {
    let entries = (0..<Self.memberCount).map { number in
      Entry.pending(Item.self, tags: TagList(Set(elements: "item", number)), lifetime: .singleton, argumentTypes: []) {
        self.load(generation)
      }
    }
    return order(entries)
  }

  /// Replaces the pending entries of a generation, unless they or a newer generation are loaded.
  private func load(_ generation: Int) {
    state.withLock { state in
      guard state == (generation, false) else { return }
      let owner = owners[generation % 2]
      container.replace(owner: owner, with: order(entries(generation)), owner: owner)
      state.isLoaded = true
      loaded.next()
    }
  }

  /// Returns the entries in another order than that of their slots.
  private func order(_ entries: [Entry]) -> [Entry] { entries.indices.map { entries[$0 * 5 % entries.count] } }

  private func check(_ round: Int, _ thread: Int) throws {
    let earliest = atomics.published.load(ordering: .sequentiallyConsistent)
    let items: [Item]
    switch (round + thread) % 3 {
    case 0:
      items = try container.resolve([Item].self, tags: "item")
      if items.map(\.number) != [-1, 0, 1, 2, 3, 4, -2, 5, 6, 7, 8, 9, 10, 11, -3] {
        faults.write("an array was \(items.map(\.number))")
      }
    case 1:
      let number = round % Self.memberCount
      items = [try container.resolve(Item.self, tags: "item", number)]
      if items[0].number != number { faults.write("\(items[0].number) was resolved for \(number)") }
    default:
      let number = round % Self.memberCount
      items = try container.resolve([Item].self, tags: number)
      if items.map(\.number) != [number] { faults.write("\(items.map(\.number)) was resolved for \(number)") }
    }
    let latest = atomics.begun.load(ordering: .sequentiallyConsistent)
    let generations = Set(items.filter { $0.number >= 0 }.map(\.generation))
    if generations.count != 1 { faults.write("an array was of the generations \(generations.sorted())") }
    if !generations.isSubset(of: earliest...max(earliest, latest)) {
      faults.write("\(generations) was seen between \(earliest) and \(latest)")
    }
  }
}
