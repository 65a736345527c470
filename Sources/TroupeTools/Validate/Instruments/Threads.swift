internal import Glibc

/// Threads of a check.
enum Threads {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs a closure on several new threads at once, and waits for them. The closure gets the number of its thread.
  static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    var threads: [pthread_t] = []
    for index in 0..<count {
      let box = Unmanaged.passRetained(Body { body(index) })
      var thread = pthread_t()
      let status = pthread_create(
        &thread, nil,
        { argument in
          if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
          return nil
        }, box.toOpaque())
      if status == 0 { threads.append(thread) } else { box.release() }
    }
    for thread in threads { pthread_join(thread, nil) }
  }
}

/// A point at which the threads of `Threads.run` wait for each other.
final class Barrier: @unchecked Sendable {
  // Sendable because a barrier of POSIX is for several threads, and the constant pointer to it is valid until the last reference ends.
  private let barrier = UnsafeMutablePointer<pthread_barrier_t>.allocate(capacity: 1)

  init(_ threads: UInt32) { pthread_barrier_init(barrier, nil, threads) }

  deinit {
    pthread_barrier_destroy(barrier)
    barrier.deallocate()
  }

  func wait() { pthread_barrier_wait(barrier) }
}

/// A value that the threads of `Threads.run` use one at a time, or in parts of their own.
struct UncheckedSendable<Value>: @unchecked Sendable {
  // Sendable because the thread that made the value waits for the threads that use it.
  let value: Value
  init(_ value: Value) { self.value = value }
}
