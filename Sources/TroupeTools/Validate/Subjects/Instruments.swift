internal import CLinux
internal import Glibc

/// Repeated work of a check.
enum Repetition {
  /// Runs a closure a number of times, but not again after a time has passed. Returns the number of runs, at least 1.
  @discardableResult
  static func run(_ count: Int, within time: Duration, _ body: () throws -> Void) rethrows -> Int {
    let start = ContinuousClock.now
    var done = 0
    repeat {
      try body()
      done += 1
    } while done < count && ContinuousClock.now - start < time
    return done
  }
}

/// The memory that repeated work keeps.
enum HeapGrowth {
  /// Returns the number of bytes for each repetition by which the heap grows, after a first round of work that fills caches.
  ///
  /// - Parameters:
  ///   - rounds: The number of repetitions, if there is time for as many.
  ///   - time: The time for all of the work.
  static func perRound(_ rounds: Int, within time: Duration, _ body: () throws -> Void) rethrows -> Int {
    let rounds = try Repetition.run(rounds, within: time / 3, body)
    func repeated() throws -> Int {
      let before = linux_heap_in_use()
      for _ in 0..<rounds { try body() }
      return linux_heap_in_use() - before
    }
    // The smaller of two measurements, since a cache may grow once more.
    return max(min(try repeated(), try repeated()), 0) / rounds
  }
}

// MARK: Threads

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

// MARK: Output

/// Runs code while standard output and standard error lead to a file in memory.
enum OutputCapture {
  /// Returns the beginning of the text that a closure prints. Throws `NotApplicable` if the system has no descriptor left.
  static func text(during body: () throws -> Void) throws -> String {
    let file = linux_memfd_create("output")
    guard file >= 0 else { throw NotApplicable("the system has no descriptor left") }
    linux_flush_stdout()
    let former = [STDOUT_FILENO, STDERR_FILENO].map { fcntl($0, F_DUPFD_CLOEXEC, 3) }
    for stream in [STDOUT_FILENO, STDERR_FILENO] { dup2(file, stream) }
    defer {
      for (stream, copy) in zip([STDOUT_FILENO, STDERR_FILENO], former) where copy >= 0 {
        dup2(copy, stream)
        close(copy)
      }
      close(file)
    }
    try body()
    linux_flush_stdout()
    var bytes = [UInt8](repeating: 0, count: 200)
    let count = pread(file, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }
}

// MARK: Random numbers

/// SplitMix64: a generator that repeats the same numbers for the same seed.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
    return word ^ (word >> 31)
  }
}
