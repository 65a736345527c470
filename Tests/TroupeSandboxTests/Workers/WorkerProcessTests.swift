import Foundation
import Synchronization
import TestSupport
import Testing
import TroupeFiles

@testable import TroupeSandbox

@Suite("Processes of workers", .serialized)
struct WorkerProcessTests {
  enum Kind: UInt32 { case echo = 1, crash, exits, aborts, overflows, loops, stops, holds, prints, endsThread, forks, traces }

  static let program = Result {
    let directory = try TemporaryDirectory.untilExit()
    let (source, linux) = (Repo.root + "/Sources/CSandbox/", Repo.root + "/Sources/CLinux/")
    try succeed(
      ["clang", "-std=gnu11", "-O1", "-pthread", "-I", source + "include", "-I", linux + "include"]
        + ["-o", directory.file("worker"), Repo.fixture("isolation/worker.c"), linux + "guarded_memory.c"]
        + ["channel.c", "policy.c", "system_calls.c", "crash.c"].map { source + $0 })
    return (directory: directory, path: directory.file("worker"))
  }

  func start(
    slots: Int = 2, onEnd: @escaping @Sendable (ProcessEnd) -> Void = { _ in },
    line: @escaping @Sendable (String) -> Void = { _ in }
  ) throws -> WorkerProcess {
    try WorkerProcess(
      executable: Self.program.get().path, environment: ["SLOTS=\(slots)", "CAPACITY=1024"], output: WorkerOutput(line),
      shape: .init(slots: slots, capacity: 1024), onEnd: onEnd)
  }

  func call(_ worker: WorkerProcess, _ kind: Kind, _ bytes: [UInt8] = [1, 2], within limit: Duration = .seconds(600)) throws
    -> [UInt8]
  {
    var endpoint = worker.channel.endpoint(until: .after(limit))
    return try endpoint.exchange(kind: kind.rawValue, bytes.span.bytes).content
  }

  func failure(_ worker: WorkerProcess, _ kind: Kind, within limit: Duration = .seconds(600)) -> ChannelError? {
    do { _ = try call(worker, kind, within: limit) } catch { return error as? ChannelError }
    return nil
  }

  /// Waits for the end of a process.
  func end(_ worker: WorkerProcess) -> ProcessEnd {
    while true {
      if let end = worker.end { return end }
      sched_yield()
    }
  }

  @Test("Calls cross into another process")
  func echo() throws {
    let worker = try start()
    for round in 0..<2000 {
      let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: round % 1025)
      #expect(try call(worker, .echo, bytes) == bytes)
    }
    #expect(worker.end == nil)
  }

  @Test(
    "A worker that ends in a call ends the call, and says how",
    arguments: [
      (Kind.crash, ProcessEnd.killed(SIGSEGV)), (.exits, .exited(7)), (.aborts, .killed(SIGABRT)),
      (.overflows, .killed(SIGSEGV)),
    ])
  func ends(kind: Kind, expected: ProcessEnd) throws {
    let noted = Counter()
    let worker = try start { end in if end == expected { noted.add() } }
    #expect(failure(worker, kind) == .closed)
    // The end is known before the call throws.
    #expect(worker.end == expected)
    #expect(noted.count == 1)
    #expect(failure(worker, .echo) == .closed)
  }

  @Test("A worker that does not answer ends the call at the deadline", arguments: [Kind.loops, .stops, .holds, .endsThread])
  func hangs(kind: Kind) throws {
    let worker = try start()
    #expect(failure(worker, kind, within: .milliseconds(20)) == .timedOut)
    worker.terminate()
    #expect(end(worker) == .killed(SIGKILL))
  }

  @Test("A killed worker ends each of 64 calls in flight once")
  func callsInFlight() throws {
    let worker = try start(slots: 64)
    let (began, ended, others) = (Counter(), Counter(), Counter())
    let threads = (0..<64).map { slot in
      JoinableThread {
        do {
          var endpoint = worker.channel.endpoint(slot, until: .never)
          began.add()
          _ = try endpoint.exchange(kind: Kind.holds.rawValue, [UInt8]().span.bytes)
          others.add()
        } catch ChannelError.closed { ended.add() } catch { others.add() }
      }
    }
    while began.count < 64 { sched_yield() }
    worker.terminate()
    for thread in threads { thread.join() }
    #expect(ended.count == 64)
    #expect(others.count == 0)
  }

  @Test("A worker has three descriptors beside the channel's, and no environment of the host")
  func inheritance() throws {
    let worker = try start()
    _ = try call(worker, .echo)
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(worker.processID)/fd")
    #expect(Set(descriptors) == ["0", "1", "2", "3"])
    let environment = try Data(contentsOf: URL(filePath: "/proc/\(worker.processID)/environ")).split(separator: 0)
    #expect(
      Set(environment.map { String(decoding: $0, as: UTF8.self) }) == ["SLOTS=2", "CAPACITY=1024", "SWIFT_BACKTRACE=enable=no"])
  }

  @Test(
    "The host's wait ends with its end of the channel, whatever a worker does, and also without futex_waitv",
    arguments: [0, EPERM, ENOSYS])
  func closing(denial: Int32) throws {
    let directory = try TemporaryDirectory()
    let source = Repo.root + "/Sources/CSandbox/"
    try succeed(
      ["clang", "-std=gnu11", "-O1", "-pthread", "-I", source + "include", "-o", directory.file("closing")]
        + [Repo.fixture("isolation/closing.c"), source + "channel.c"])
    #expect(try run([directory.file("closing"), "\(denial)"]).status == 0)
  }

  @Test("Processes that a worker started end with it")
  func descendants() throws {
    let worker = try start()
    _ = try call(worker, .forks)
    worker.terminate()
    #expect(end(worker) == .killed(SIGKILL))
    // kill fails once the group has no process. The kernel may still be ending one.
    while kill(-worker.processID, 0) == 0 { sched_yield() }
  }

  @Test("What a worker prints arrives")
  func output() throws {
    let lines = Mutex<[String]>([])
    let worker = try start(line: { line in lines.withLock { $0.append(line) } })
    _ = try call(worker, .prints)
    worker.readOutput()
    #expect(lines.withLock(\.self) == ["printed"])
  }

  @Test("A worker that cannot be started is an error")
  func notStarted() {
    #expect(throws: SystemError.self) {
      try WorkerProcess(
        executable: "/nowhere/worker", environment: [], output: WorkerOutput { _ in }, shape: .init(slots: 1, capacity: 64))
    }
  }
}
