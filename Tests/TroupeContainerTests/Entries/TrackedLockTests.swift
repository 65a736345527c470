import Synchronization
import Testing

@testable import TroupeContainer

@Suite("A lock whose waits are part of the wait-for graph")
struct TrackedLockTests {
  private let container = Container()
  private let owner = Owner(name: "plugin")
  private let lock: TrackedLock

  private struct TestError: Error {}

  init() { lock = TrackedLock(owner: owner, group: ObjectIdentifier(owner)) }

  /// The number of threads inside the lock, now and at most.
  private final class Occupancy: Sendable {
    private let counts = Mutex((now: 0, most: 0))
    var most: Int { counts.withLock { $0.most } }

    func enter() { counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) } }
    func leave() { counts.withLock { $0.now -= 1 } }
  }

  @Test("One thread at a time holds the lock")
  func exclusive() async throws {
    let occupancy = Occupancy()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { [lock] in
          for _ in 0..<100 {
            try? lock.withLock {
              occupancy.enter()
              occupancy.leave()
            }
          }
        }
      }
    }
    #expect(occupancy.most == 1)
  }

  @Test("An error of the closure releases the lock")
  func failure() throws {
    #expect(throws: TestError.self) { try lock.withLock { () throws -> Void in throw TestError() } }
    #expect(try lock.withLock { 7 } == 7)
  }

  @Test("A holder that asks again gets a dependency cycle, and keeps the lock")
  func recursive() throws {
    try lock.withLock {
      let error = try #require(throws: ResolutionError.self) { try lock.withLock {} }
      #expect(error.isCycle)
      #expect(lock.isHeldByCaller)
    }
    #expect(!lock.isHeldByCaller)
  }

  @Test("A lock is held by a caller inside of it, also through a factory, and belongs to its group")
  func held() throws {
    let other = TrackedLock(owner: owner, group: ObjectIdentifier(container))
    container.register { [lock, owner] (_: any Resolver) -> Bool in
      lock.isHeldByCaller && TrackedLock.isAnyHeld(ofGroup: ObjectIdentifier(owner))
    }
    #expect(try !container.resolve(Bool.self))
    try lock.withLock {
      let isFree = try container.resolve(Bool.self)
      #expect(isFree)
      #expect(!other.isHeldByCaller && !TrackedLock.isAnyHeld(ofGroup: ObjectIdentifier(container)))
    }
  }

  @Test("A thread that would wait for a singleton whose factory waits for its lock gets a dependency cycle")
  func cycle() async throws {
    // The factory is on its way once it has the other lock, and the holder of `lock` resolves only then.
    let begun = AsyncStream.makeStream(of: Void.self)
    let held = OneShotEvent()
    container.register(lifetime: .singleton) { [lock] (_: any Resolver) -> Int in
      begun.continuation.yield()
      held.wait()
      return try lock.withLock { 7 }
    }
    let maker = Task.detached { [container] in Swift.Result { try container.resolve(Int.self) as Int } }
    for await _ in begun.stream { break }
    let own = Swift.Result {
      try lock.withLock {
        held.signal()
        return try container.resolve(Int.self) as Int
      }
    }
    // Whichever of the two waits last finds the cycle; the other one then succeeds.
    let results = [own, await maker.value]
    let errors = results.compactMap { result in if case .failure(let error) = result { error as? ResolutionError } else { nil }
    }
    #expect(errors.count >= 1 && errors.allSatisfy(\.isCycle), "\(results)")
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
