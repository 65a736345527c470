import Synchronization
import Testing

@testable import TroupeContainer

@Suite("An instance is freed after the last reader that can see it")
struct EpochDomainTests {
  /// An instance that shows whether it has been freed.
  private final class Instance: Sendable {
    private let mark = Atomic<Int>(1)

    var isAlive: Bool { mark.load(ordering: .relaxed) == 1 }

    deinit { mark.store(0, ordering: .relaxed) }
  }

  /// Runs more threads than processors, so that the system interrupts readers at any instruction.
  @Test("A singleton that is replaced while it is resolved is freed after the resolve")
  func replacedWhileResolved() throws {
    let container = Container()
    let freed = Counter()
    @Sendable func register() { container.register(Instance.self, lifetime: .singleton) { _ in Instance() } }
    @Sendable func resolve() throws {
      if try !container.resolve(Instance.self).isAlive { freed.next() }
    }
    register()
    let isOver = Counter()
    _ = try onThreads(9) { thread in
      guard thread == 0 else {
        while isOver.count == 0 { try resolve() }
        return
      }
      defer { isOver.next() }
      for _ in 0..<5000 {
        register()
        try resolve()
      }
    }
    #expect(freed.count == 0)
  }
}
