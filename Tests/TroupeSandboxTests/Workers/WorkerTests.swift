import Foundation
import Synchronization
import TestSupport
import Testing

@testable import TroupeSandbox

@Suite("Workers", .serialized)
struct WorkerTests {
  typealias Kind = WorkerProcessTests.Kind

  /// The events of a worker in their order.
  final class Events: Sendable {
    private let list = Mutex<[Worker.Event]>([])
    var all: [Worker.Event] { list.withLock(\.self) }
    func add(_ event: Worker.Event) { list.withLock { $0.append(event) } }
  }

  let events = Events()

  func worker(slots: Int = 2, layers: Int? = nil, _ limits: Circuit.Limits = Circuit.Limits()) throws -> Worker {
    let path = try WorkerProcessTests.program.get().path
    let events = events
    return Worker(slots: slots, limits: limits, report: { events.add($0) }) { onEnd in
      try WorkerProcess(
        executable: path, environment: ["SLOTS=\(slots)", "CAPACITY=1024"] + (layers.map { ["LAYERS=\($0)"] } ?? []),
        output: WorkerOutput { _ in },
        shape: .init(slots: slots, capacity: 1024), onEnd: onEnd)
    }
  }

  /// - Parameter began: Counts the calls that have got a mailbox.
  func call(
    _ worker: Worker, _ kind: Kind, isIdempotent: Bool = false, within limit: Duration = .seconds(600),
    token: CallToken? = nil, began: Counter? = nil
  ) throws -> [UInt8] {
    try worker.call(worker.limits(until: .after(limit), isIdempotent: isIdempotent, token: token)) { endpoint, _ in
      began?.add()
      return try endpoint.exchange(kind: kind.rawValue, [UInt8]([7]).span.bytes).content
    }
  }

  func failure(_ worker: Worker, _ kind: Kind, isIdempotent: Bool = false, within limit: Duration = .seconds(600))
    -> WorkerError?
  {
    do { _ = try call(worker, kind, isIdempotent: isIdempotent, within: limit) } catch { return error as? WorkerError }
    return nil
  }

  @Test("A worker starts at the first call, and again after a crash")
  func restart() throws {
    let worker = try worker()
    #expect(worker.processID == nil)
    #expect(try call(worker, .echo) == [7])
    let first = try #require(worker.processID)
    #expect(failure(worker, .crash) == .crashed(.signal(SIGSEGV), location: nil, .unknown))
    #expect(try call(worker, .echo) == [7])
    let second = try #require(worker.processID)
    #expect(events.all == [.started(first), .ended(first, .killed(SIGSEGV)), .started(second)])
    #expect(worker.counts == Worker.Counts(calls: 3, failures: 1, starts: 2))
  }

  @Test("A call that hangs ends the worker at the deadline, and the next call has a new one", arguments: [Kind.loops, .stops])
  func hang(kind: Kind) throws {
    let worker = try worker()
    #expect(failure(worker, kind, within: .milliseconds(20)) == .timedOut)
    #expect(try call(worker, .echo) == [7])
    #expect(worker.counts.starts == 2)
  }

  @Test("A system call for which the policy ends the worker is named, and other ends are not taken for one")
  func violation() throws {
    let worker = try worker(layers: 31)
    #expect(try call(worker, .echo) == [7])
    // It gets an error number and goes on.
    #expect(try call(worker, .forks) == [7])
    #expect(failure(worker, .traces) == .policyViolation(systemCall: "ptrace"))
    #expect(failure(worker, .aborts) == .crashed(.signal(SIGABRT), location: nil, .unknown))
    #expect(failure(worker, .crash) == .crashed(.signal(SIGSEGV), location: nil, .unknown))
  }

  @Test("A call runs at most once, and twice if it is idempotent")
  func atMostOnce() throws {
    let worker = try worker()
    #expect(failure(worker, .crash) == .crashed(.signal(SIGSEGV), location: nil, .unknown))
    #expect(worker.counts.starts == 1)
    #expect(failure(worker, .exits, isIdempotent: true) == .crashed(.status(7), location: nil, .unknown))
    #expect(worker.counts.starts == 3)
  }

  @Test("A call that hangs does not keep others from their results for long")
  func hangBesideOthers() throws {
    let worker = try worker(slots: 4)
    let others = Counter()
    let threads = (0..<3).map { _ in
      JoinableThread {
        for _ in 0..<50 {
          do { _ = try self.call(worker, .echo, isIdempotent: true) } catch { others.add() }
        }
      }
    }
    #expect(failure(worker, .loops, within: .milliseconds(20)) == .timedOut)
    for thread in threads { thread.join() }
    #expect(others.count == 0)
  }

  @Test("More calls than slots wait, and each gets its turn although others call again and again")
  func line() throws {
    let worker = try worker(slots: 2)
    let wrong = Counter()
    let threads = (0..<12).map { _ in
      JoinableThread { for _ in 0..<200 where (try? self.call(worker, .echo)) != [7] { wrong.add() } }
    }
    for thread in threads { thread.join() }
    #expect(wrong.count == 0)
    #expect(worker.counts == Worker.Counts(calls: 2400, failures: 0, starts: 1))
  }

  /// Takes both slots of a worker for calls that do not return, runs a function, and ends the worker.
  func whileFull(_ worker: Worker, _ body: () throws -> Void) rethrows {
    let began = Counter()
    let threads = (0..<2).map { _ in JoinableThread { _ = try? self.call(worker, .holds, began: began) } }
    while began.count < 2 { sched_yield() }
    try body()
    worker.end()
    for thread in threads { thread.join() }
  }

  @Test(
    "A message that is too large leaves the other calls in flight if it begins a call, and ends them with its cause within a call",
    arguments: [false, true])
  func tooLarge(isWithinCall: Bool) throws {
    let worker = try worker(slots: 2)
    let began = Counter()
    let failure = Mutex<(any Error)?>(nil)
    let other = JoinableThread {
      do { _ = try self.call(worker, .holds, began: began) } catch { failure.withLock { $0 = error } }
    }
    while began.count < 1 { sched_yield() }
    let process = try #require(worker.processID)
    let error = #expect(throws: WorkerError.self) {
      try worker.call { endpoint, _ in
        if isWithinCall { _ = try endpoint.exchange(kind: Kind.echo.rawValue, [UInt8]([7]).span.bytes) }
        _ = try endpoint.exchange(kind: Kind.echo.rawValue, [UInt8](repeating: 7, count: 1 << 20).span.bytes)
      }
    }
    #expect(error == .tooLarge(size: 1 << 20, limit: 0))
    if isWithinCall {
      other.join()
      #expect(failure.withLock(\.self) as? WorkerError == .crashed(.host(.tooLarge), location: nil, .unknown))
      #expect(try call(worker, .echo) == [7])
      #expect(worker.processID != process)
    } else {
      #expect(try call(worker, .echo) == [7])
      #expect(worker.processID == process)
      #expect(failure.withLock { $0 == nil })
      worker.end()
      other.join()
    }
  }

  @Test("A call ends at its deadline while other calls have all slots, and these go on")
  func noFreeSlot() throws {
    let worker = try worker(slots: 2)
    whileFull(worker) {
      #expect(failure(worker, .echo, within: .milliseconds(1)) == .timedOut)
      #expect(events.all.count == 1)
    }
  }

  @Test("A cancellation ends the wait of a call while other calls have all slots, and these go on")
  func cancelledInLine() throws {
    let worker = try worker(slots: 2)
    whileFull(worker) {
      let (token, ended) = (CallToken(), Counter())
      let waiting = JoinableThread {
        do { _ = try self.call(worker, .echo, token: token) } catch WorkerError.cancelled { ended.add() } catch {}
      }
      token.cancel()
      waiting.join()
      #expect(ended.count == 1)
      #expect(events.all.count == 1)
    }
  }

  @Test("Calls that wait for a slot when the process ends get the next process")
  func endWhileInLine() throws {
    let worker = try worker(slots: 2)
    let wrong = Counter()
    var waiting: [JoinableThread] = []
    try whileFull(worker) {
      waiting = (0..<4).map { _ in
        JoinableThread { if (try? self.call(worker, .echo)) != [7] { wrong.add() } }
      }
      kill(try #require(worker.processID), SIGKILL)
      for thread in waiting { thread.join() }
    }
    #expect(wrong.count == 0)
    #expect(worker.counts.starts == 2)
  }

  @Test("A call within sixteen others of the worker is refused, and one within the others of another worker is not")
  func nesting() throws {
    let (worker, other) = (try worker(slots: 64), try worker(slots: 1))
    func nest(_ depth: Int) throws -> Int {
      do { return try worker.call { _, _ in try nest(depth + 1) } } catch let error as IsolatedPluginError {
        #expect(error.description.hasPrefix("calls of a worker are nested 16 deep"))
        #expect(try call(other, .echo) == [7])
        return depth
      }
    }
    #expect(try nest(0) == 16)
    #expect(!worker.isInCall)
  }

  @Test("Of calls that would wait for each other's mailboxes the last one fails at once")
  func deadlock() throws {
    let worker = try worker(slots: 2)
    let outer = Counter()
    let errors = Mutex<[String]>([])
    let threads = (0..<2).map { _ in
      JoinableThread {
        do {
          let reply = try worker.call { _, _ in
            outer.add()
            while outer.count < 2 { sched_yield() }
            return try call(worker, .echo)
          }
          #expect(reply == [7])
        } catch {
          errors.withLock { $0.append("\(error)") }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(
      errors.withLock(\.self) == [
        "all 2 calls of the worker are in callbacks that call it again, and would wait for each other; raise concurrentCalls, or "
          + "call from fewer threads"
      ])
  }

  @Test("A call within another one has its deadline")
  func nestedDeadline() throws {
    let (outer, inner) = (try worker(), try worker())
    let error = try outer.call(outer.limits(until: .after(.milliseconds(20)))) { _, _ in failure(inner, .loops) }
    #expect(error == .timedOut)
  }

  @Test("A worker that keeps crashing opens the circuit, and recovers")
  func crashLoop() throws {
    var limits = Circuit.Limits()
    limits.delay = .zero
    let worker = try worker(limits)
    for _ in 0..<6 { #expect(failure(worker, .crash) == .crashed(.signal(SIGSEGV), location: nil, .unknown)) }
    guard case .circuitOpen(let pause) = failure(worker, .echo) else {
      Issue.record("the circuit is \(worker.circuit)")
      return
    }
    #expect(pause > .zero && pause <= limits.pause)
    #expect(worker.counts.starts == 6)
    #expect(events.all.last == .circuitOpened)
    limits.pause = .zero
    let other = try self.worker(limits)
    for _ in 0..<6 { _ = failure(other, .crash) }
    #expect(try call(other, .echo) == [7])
    #expect(other.circuit == .closed)
    #expect(events.all.last == .circuitClosed)
  }

  @Test("Crashes under load leave one outcome for each call, and no process, descriptor or mapping")
  func load() async {
    // In a process without other tests, which open files.
    await #expect(processExitsWith: .success) {
      let tests = WorkerTests()
      let crashes = ProcessInfo.processInfo.environment["TROUPE_CRASHES"].flatMap { Int($0) } ?? 200
      var limits = Circuit.Limits()
      (limits.delay, limits.restarts) = (.zero, .max)
      // Dispatch keeps descriptors of its own.
      try #require(tests.failure(tests.worker(slots: 4, limits), .crash) == .crashed(.signal(SIGSEGV), location: nil, .unknown))
      let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
      try tests.crash(tests.worker(slots: 4, limits), times: crashes)
      // The last process ends on another thread, and so do its descriptors and its memory.
      while try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count > before { sched_yield() }
      while try String(contentsOfFile: "/proc/self/maps", encoding: .utf8).contains("troupe-channel") { sched_yield() }
      while waitpid(-1, nil, WNOHANG) != -1 { sched_yield() }
    }
  }

  /// Makes calls on six threads, a quarter of which crash the worker.
  func crash(_ worker: Worker, times: Int) throws {
    let (results, crashed, others) = (Counter(), Counter(), Counter())
    let threads = (0..<6).map { number in
      JoinableThread {
        for round in 0..<(times * 4 / 6) {
          do {
            _ = try self.call(worker, (round + number) % 4 == 0 ? .crash : .echo)
            results.add()
          } catch WorkerError.crashed(.signal(SIGSEGV), _, _, _) { crashed.add() } catch { others.add() }
        }
      }
    }
    for thread in threads { thread.join() }
    try #require(results.count + crashed.count == times * 4 / 6 * 6)
    try #require(others.count == 0)
    try #require(crashed.count >= times * 4 / 6 / 4 * 6)
  }

  @Test("A worker that cannot be started is the error of the start")
  func notStarted() {
    let worker = Worker(slots: 1) { onEnd in
      try WorkerProcess(
        executable: "/nowhere/worker", environment: [], output: WorkerOutput { _ in }, shape: .init(slots: 1, capacity: 64),
        onEnd: onEnd)
    }
    #expect(throws: (any Error).self) { try call(worker, .echo) }
    #expect(worker.counts.starts == 0)
  }
}
