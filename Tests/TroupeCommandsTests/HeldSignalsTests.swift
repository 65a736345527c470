import Glibc
import Synchronization
import Testing

@testable import TroupeCommands

@Suite("Signals that are held back")
struct HeldSignalsTests {
  private static let count = Atomic(0)

  @Test("A signal has its effect once, after the work, and then at once again")
  func order() {
    let former = signal(SIGHUP) { _ in HeldSignalsTests.count.add(1, ordering: .relaxed) }
    defer { signal(SIGHUP, former) }
    HeldSignals.during {
      raise(SIGHUP)
      raise(SIGHUP)
      #expect(Self.count.load(ordering: .relaxed) == 0)
    }
    #expect(Self.count.load(ordering: .relaxed) == 1)
    raise(SIGHUP)
    #expect(Self.count.load(ordering: .relaxed) == 2)
  }
}
