import Glibc
import Synchronization
import Testing

@testable import TroupeTools

@Suite("Signals that are held back")
struct DeferredSignalsTests {
  private static let count = Atomic(0)

  // In a process of its own, since handlers belong to the process.
  @Test("A signal has its effect once, after the work, and then at once again")
  func order() async {
    await #expect(processExitsWith: .success) {
      // Threads of Dispatch block signals; without that, `raise` returns after the handler.
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGHUP)
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      signal(SIGHUP) { _ in DeferredSignalsTests.count.add(1, ordering: .relaxed) }
      DeferredSignals.during {
        raise(SIGHUP)
        raise(SIGHUP)
        #expect(DeferredSignalsTests.count.load(ordering: .relaxed) == 0)
      }
      // Another thread may run the handler.
      while DeferredSignalsTests.count.load(ordering: .relaxed) < 1 { sched_yield() }
      #expect(DeferredSignalsTests.count.load(ordering: .relaxed) == 1)
      raise(SIGHUP)
      #expect(DeferredSignalsTests.count.load(ordering: .relaxed) == 2)
    }
  }
}
