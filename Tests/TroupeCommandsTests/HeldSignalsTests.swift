import Glibc
import Synchronization
import Testing

@testable import TroupeCommands

@Suite("Signals that are held back")
struct HeldSignalsTests {
  private static let count = Atomic(0)

  @Test("A signal has its effect once, after the work, and then at once again", .timeLimit(.minutes(1)))
  func order() {
    // Threads of Dispatch block signals; without that, `raise` returns after the handler.
    var (signals, formerMask) = (sigset_t(), sigset_t())
    sigemptyset(&signals)
    sigaddset(&signals, SIGHUP)
    pthread_sigmask(SIG_UNBLOCK, &signals, &formerMask)
    defer { pthread_sigmask(SIG_SETMASK, &formerMask, nil) }
    let former = signal(SIGHUP) { _ in HeldSignalsTests.count.add(1, ordering: .relaxed) }
    defer { signal(SIGHUP, former) }
    HeldSignals.during {
      raise(SIGHUP)
      raise(SIGHUP)
      #expect(Self.count.load(ordering: .relaxed) == 0)
    }
    // Another thread may run the handler.
    while Self.count.load(ordering: .relaxed) < 1 { sched_yield() }
    #expect(Self.count.load(ordering: .relaxed) == 1)
    raise(SIGHUP)
    #expect(Self.count.load(ordering: .relaxed) == 2)
  }
}
