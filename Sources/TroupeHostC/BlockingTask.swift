internal import CLinux
internal import Dispatch
internal import Glibc
internal import Synchronization
internal import TroupeHost

/// Runs asynchronous functions for a thread of a C program, which blocks until they return.
///
/// Code of plugins may need the main actor, whose jobs are on the main queue of Dispatch. In a C program nobody else runs that queue, so the
/// waiting thread does, if it is the one that Dispatch takes for the main thread: the thread that loaded it. It polls two descriptors, one
/// for the end of the task and one for jobs. On any other thread such code waits until the program runs the main queue, and the log has a
/// warning after ten seconds.
enum BlockingTask {
  static func run<Success: Sendable>(
    _ log: Log, _ body: @escaping @Sendable () async throws -> Success
  ) throws -> Success {
    try checkProcess()
    let outcome = Outcome<Success>()
    let closure = OneShotClosure(body)
    Task.detached { outcome.set(await closure.run()) }
    if !linux_is_loading_thread() || !MainQueue.serve(until: outcome.counter) { outcome.wait(log) }
    return try outcome.value()
  }

  /// PID of the process that ran the first task; 0 before it.
  private static let firstProcess = Atomic<pid_t>(0)

  /// Dispatch aborts the process if it cannot open this many descriptors.
  private static let neededDescriptors = 8

  /// - Throws: A `Diagnosis` in a fork of a process that has run tasks, since the fork lacks the threads of Dispatch, and without
  ///   descriptors for the first task.
  private static func checkProcess() throws(Diagnosis) {
    let own = getpid()
    let first = firstProcess.compareExchange(expected: 0, desired: own, ordering: .relaxed).original
    guard first == 0 || first == own else {
      throw Diagnosis(
        .unavailable, "the host", problem: "cannot work in a fork of a process that has started a host",
        remedy: "start hosts after the fork, or run another program in the child")
    }
    guard first == 0 else { return }
    let spare = (0..<neededDescriptors).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
    for descriptor in spare where descriptor >= 0 { close(descriptor) }
    guard let count = spare.firstIndex(of: -1) else { return }
    firstProcess.store(0, ordering: .relaxed)
    throw Diagnosis(
      .missingResource, "the host", problem: "can open only \(count) more files, and needs \(neededDescriptors)",
      remedy: "raise the limit of open files, see ulimit -n")
  }
}

/// The closure of a task, which the task releases before it publishes the result: the caller may then release the last reference to a host.
private final class OneShotClosure<Success: Sendable>: Sendable {
  private let body: Mutex<(@Sendable () async throws -> Success)?>

  init(_ body: @escaping @Sendable () async throws -> Success) { self.body = Mutex(body) }

  func run() async -> Result<Success, any Error> {
    let taken = body.withLock { body in
      defer { body = nil }
      return body
    }
    guard let taken else { preconditionFailure("the closure runs once") }
    do { return .success(try await taken()) } catch { return .failure(error) }
  }
}

private final class Outcome<Success: Sendable>: Sendable {
  private let result = Mutex<Result<Success, any Error>?>(nil)
  private let semaphore = DispatchSemaphore(value: 0)
  /// An eventfd that is readable once there is a result.
  let counter = linux_eventfd()

  deinit { if counter >= 0 { close(counter) } }

  func set(_ new: Result<Success, any Error>) {
    result.withLock { $0 = new }
    semaphore.signal()
    if counter >= 0 { increment(counter) }
  }

  func wait(_ log: Log) {
    if semaphore.wait(timeout: .now() + .seconds(10)) == .success { return }
    let main = DispatchSemaphore(value: 0)
    DispatchQueue.main.async { main.signal() }
    if main.wait(timeout: .now() + .seconds(1)) == .timedOut {
      log.write(
        .warning, "troupe",
        "the program waits for plugins, and no thread runs the main queue, which the main actor needs; call the function on the thread that has loaded libTroupe.so"
      )
    }
    semaphore.wait()
  }

  func value() throws -> Success {
    guard let result = result.withLock({ $0 }) else { fatalError("the task signals only after it has set the result") }
    return try result.get()
  }
}

/// Adds one to an eventfd of `linux_eventfd`.
func increment(_ counter: Int32) {
  var one: UInt64 = 1
  _ = write(counter, &one, MemoryLayout<UInt64>.size)
}
