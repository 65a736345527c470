import Synchronization
import Testing

@testable import TroupeContainer

@Suite("A load runs once for all registrations of a plugin")
struct LoadOnceTests {
  private let container = Container()
  private let owner = Owner(name: "plugin")

  private struct TestError: Error {}

  /// Registers pending entries of two types that share a load.
  private func pend(_ load: LoadOnce) {
    let entries = [Int.self, String.self].map { (type: any Any.Type) in
      Entry.pending(type, tags: TagList([]), lifetime: .transient, argumentTypes: []) { [container] in
        try load.run(in: container)
      }
    }
    container.add(entries, owner: owner)
  }

  private func entries() -> [Entry] {
    [
      .plain(Int.self, tags: TagList([]), lifetime: .transient) { _ in 7 },
      .plain(String.self, tags: TagList([]), lifetime: .transient) { _ in "text" },
    ]
  }

  @Test("A load runs once for all of its registrations, also for several threads")
  func once() async throws {
    let counter = Counter()
    pend(
      LoadOnce(owner: owner) { [container, owner, entries = entries()] in
        counter.increment()
        container.replace(owner: owner, with: entries, owner: owner)
      })
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { [container] in
          #expect((try? container.resolve(Int.self) as Int) == 7)
          #expect((try? container.resolve(String.self) as String) == "text")
        }
      }
    }
    #expect(counter.value == 1)
  }

  @Test("A failed load runs again for the next caller")
  func failure() throws {
    let counter = Counter()
    pend(
      LoadOnce(owner: owner) { [container, owner, entries = entries()] in
        counter.increment()
        if counter.value == 1 { throw TestError() }
        container.replace(owner: owner, with: entries, owner: owner)
      })
    #expect(throws: TestError.self) { try container.resolve(Int.self) }
    #expect(try container.resolve(String.self) == "text")
    #expect(counter.value == 2)
  }

  @Test("Two loads that need each other are a dependency cycle")
  func cycle() throws {
    let other = Owner(name: "other")
    pend(LoadOnce(owner: owner) { [container] in _ = try container.resolve(Double.self) })
    let back = LoadOnce(owner: other) { [container] in _ = try container.resolve(Int.self) }
    let entry = Entry.pending(Double.self, tags: TagList([]), lifetime: .transient, argumentTypes: []) { [container] in
      try back.run(in: container)
    }
    container.add([entry], owner: other)
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int.self) }
    #expect(error.isCycle)
  }

  private final class Counter: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .acquiring) }
    func increment() { count.add(1, ordering: .acquiringAndReleasing) }
  }
}

extension ResolutionError {
  /// Whether the error or one of its causes is a dependency cycle.
  fileprivate var isCycle: Bool {
    switch reason {
    case .cycle: true
    case .error(let cause as ResolutionError): cause.isCycle
    default: false
    }
  }
}
