internal import CLinux
internal import Dispatch
internal import Glibc
internal import Synchronization
internal import TroupeHost

/// Waiting for asynchronous functions on a thread of a program in C.
enum Blocking {
  /// Runs a closure as a task, blocks the thread until its end, and returns its result.
  ///
  /// On the main thread it also runs the jobs of the main actor, which has no other thread in a program in C. Dispatch takes the thread
  /// that loads it for the main thread. On other threads, code of a plugin that needs the main actor waits until the program runs the main
  /// queue, and the log reports that after some seconds.
  static func run<Success: Sendable>(
    _ log: Log, _ body: @escaping @Sendable () async throws -> Success
  ) throws -> Success {
    try checkProcess()
    let outcome = Outcome<Success>()
    let job = Job(body)
    Task.detached { outcome.set(await job.run()) }
    if !linux_is_loading_thread() || !MainQueue.serve(until: outcome.counter) { outcome.wait(log) }
    return try outcome.value()
  }

  /// The number of the process that has run a task; 0 before.
  private static let process = Atomic<pid_t>(0)

  /// The number of descriptors without which Dispatch ends the process.
  private static let neededDescriptors = 8

  /// Throws a `Diagnosis` if tasks cannot run: in a fork of a process that has run some, since the fork does not have the threads of
  /// Dispatch, or without descriptors for the first task.
  private static func checkProcess() throws(Diagnosis) {
    let own = getpid()
    let first = process.compareExchange(expected: 0, desired: own, ordering: .relaxed).original
    guard first == 0 || first == own else {
      throw Diagnosis(
        .unavailable, "the host", problem: "cannot work in a fork of a process that has started a host",
        remedy: "start hosts after the fork, or run another program in the child")
    }
    guard first == 0 else { return }
    let spare = (0..<neededDescriptors).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
    for descriptor in spare where descriptor >= 0 { close(descriptor) }
    guard let count = spare.firstIndex(of: -1) else { return }
    process.store(0, ordering: .relaxed)
    throw Diagnosis(
      .missingResource, "the host", problem: "can open only \(count) more files, and needs \(neededDescriptors)",
      remedy: "raise the limit of open files, see ulimit -n")
  }
}

/// The body of a task. The task releases it before the result arrives, so that the caller may then release the last reference to a host.
private final class Job<Success: Sendable>: Sendable {
  private let body: Mutex<(@Sendable () async throws -> Success)?>

  init(_ body: @escaping @Sendable () async throws -> Success) { self.body = Mutex(body) }

  /// Runs the body, once, and releases it.
  func run() async -> Result<Success, any Error> {
    let taken = body.withLock { body in
      defer { body = nil }
      return body
    }
    guard let taken else { preconditionFailure("the job runs once") }
    do { return .success(try await taken()) } catch { return .failure(error) }
  }
}

/// The result of a task, for the thread that waits for it.
private final class Outcome<Success: Sendable>: Sendable {
  private let result = Mutex<Result<Success, any Error>?>(nil)
  private let semaphore = DispatchSemaphore(value: 0)
  /// A descriptor that is readable once there is a result.
  let counter = linux_counter()

  deinit { if counter >= 0 { close(counter) } }

  func set(_ new: Result<Success, any Error>) {
    result.withLock { $0 = new }
    semaphore.signal()
    if counter >= 0 { increment(counter) }
  }

  /// Waits on any thread but the main one.
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

/// Adds one to a counter of `linux_counter`.
func increment(_ counter: Int32) {
  var one: UInt64 = 1
  _ = write(counter, &one, MemoryLayout<UInt64>.size)
}

/// The main queue of Dispatch, which runs the jobs of the main actor.
private enum MainQueue {
  private typealias GetHandle = @convention(c) () -> Int32
  private typealias Run = @convention(c) (UnsafeMutableRawPointer?) -> Void

  /// Runs the jobs of the main queue on the main thread until a descriptor is readable. Returns false, and does nothing, if that is
  /// impossible.
  ///
  /// The functions are those by which Foundation's run loop does the same. Dispatch declares them in no header.
  static func serve(until counter: Int32) -> Bool {
    guard counter >= 0, let handle = dlsym(nil, "_dispatch_get_main_queue_handle_4CF"),
      let run = dlsym(nil, "_dispatch_main_queue_callback_4CF")
    else { return false }
    let main = unsafeBitCast(handle, to: GetHandle.self)()
    var descriptors = [
      pollfd(fd: counter, events: Int16(POLLIN), revents: 0), pollfd(fd: main, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      guard poll(&descriptors, 2, -1) > 0 else { continue }
      if descriptors[1].revents != 0 {
        var count: UInt64 = 0
        _ = read(main, &count, MemoryLayout<UInt64>.size)
        unsafeBitCast(run, to: Run.self)(nil)
      }
      if descriptors[0].revents != 0 { return true }
    }
  }
}
