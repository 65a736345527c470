import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import TroupeCall
@testable import TroupeSignature

@Suite("The lock of a library that is not thread-safe")
struct CallLockTests {
  private static let library = Result {
    try CLibrary(
      source: """
        #include <pthread.h>
        static void *run(void *callback) { ((void (*)(void))callback)(); return 0; }
        int hold(void (*callback)(void), void (*wait)(void)) {
          pthread_t thread;
          if (pthread_create(&thread, 0, run, callback) != 0) return -1;
          pthread_detach(thread);
          wait();
          return 1;
        }
        int answer(void) { return 42; }
        """)
  }

  @Test("A callback on another thread that waits for its own library is reported, with both functions and the remedy")
  func report() throws {
    let reports = Mutex<[String]>([])
    let (isReported, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let lock = CallLock(library: "/lib/libone.so", patience: .milliseconds(1)) { text in
      reports.withLock { $0.append(text) }
      isReported.signal()
    }
    func prepare(_ name: String, _ signature: String) throws -> PreparedCall {
      try PreparedCall(
        type: .parsing(signature), function: Self.library.get().function(name), lock: lock)
    }
    let answer = try prepare("answer", "int (void)")
    let hold = try prepare("hold", "int (void (*callback)(void), void (*wait)(void))")
    let type = try Signature(parsing: "void (void)")
    let results = Mutex<[Value?]>([])
    let callback = try Callback(signature: type) {
      let result = try? answer.call()
      results.withLock { $0.append(result) }
      isDone.signal()
    }
    let wait = try Callback(signature: type) { isReported.wait() }
    #expect(try hold.call([.callback(callback), .callback(wait)]) == .integer(1))
    isDone.wait()
    #expect(results.withLock(\.self) == [.integer(42)])
    #expect(
      reports.withLock(\.self) == [
        """
        /lib/libone.so: answer has waited 0.001 seconds for hold, which has the lock of the library; if hold waits for a callback that \
        calls answer on another thread, neither ends: call answer on the thread of hold, or declare "threads": "any" if the library is \
        thread-safe
        """
      ])
  }
}
