internal import CLinux
internal import CSandbox
internal import Dispatch
internal import Glibc

/// The main queue of Dispatch, which runs the jobs of the main actor.
package enum MainQueue {
  private typealias GetHandle = @convention(c) () -> Int32
  private typealias Run = @convention(c) (UnsafeMutableRawPointer?) -> Void

  /// Runs the jobs of the main queue on the main thread until a descriptor is readable, or for good without one. Returns false, and does
  /// nothing, if that is impossible.
  ///
  /// Foundation's run loop runs these jobs through the same two functions. Dispatch declares them in no header.
  @discardableResult
  package static func serve(until counter: Int32?) -> Bool {
    guard counter ?? 0 >= 0, let handle = dlsym(nil, "_dispatch_get_main_queue_handle_4CF"),
      let run = dlsym(nil, "_dispatch_main_queue_callback_4CF")
    else { return false }
    let main = unsafeBitCast(handle, to: GetHandle.self)()
    // poll(2) ignores a negative descriptor.
    var descriptors = [
      pollfd(fd: counter ?? -1, events: Int16(POLLIN), revents: 0), pollfd(fd: main, events: Int16(POLLIN), revents: 0),
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

  /// Runs a task, and blocks the calling thread until it ends. The main thread runs the jobs of the task itself, in turn with those of the main
  /// actor, so that neither needs a thread of Dispatch.
  ///
  /// - Throws: A `SystemError` if there is no descriptor left. The task then does not run.
  static func run(_ body: @escaping @Sendable (_ executor: (any TaskExecutor)?) async -> Void) throws(SystemError) {
    let counter = linux_eventfd()
    guard counter >= 0 else { throw SystemError(code: errno) }
    defer { close(counter) }
    let executor: (any TaskExecutor)? = troupe_is_main_thread() ? MainThreadExecutor() : nil
    Task(executorPreference: executor) {
      await body(executor)
      var one: UInt64 = 1
      _ = write(counter, &one, MemoryLayout<UInt64>.size)
    }
    if executor != nil, serve(until: counter) { return }
    var end = pollfd(fd: counter, events: Int16(POLLIN), revents: 0)
    while poll(&end, 1, -1) < 1 {}
  }

  /// Runs the jobs of tasks on the main queue, while a thread serves it.
  private final class MainThreadExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      DispatchQueue.main.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }
}
