import Foundation
import Synchronization

@testable import TroupeContainer

/// Runs a closure on new threads that start at nearly the same time, and returns their results in the order of the threads'
/// numbers. `stack` is the size of each thread's stack in bytes, nil for the default.
func onThreads<Output: Sendable>(
  _ count: Int, stack: Int? = nil, _ work: @escaping @Sendable (Int) throws -> Output
) throws -> [Output] {
  let results = Results<Output>()
  let start = DispatchSemaphore(value: 0)
  let end = DispatchGroup()
  for number in 0..<count {
    end.enter()
    let thread = Thread {
      start.wait()
      let result = Result { try work(number) }
      results.byThread.withLock { $0[number] = result }
      end.leave()
    }
    if let stack { thread.stackSize = stack }
    thread.start()
  }
  for _ in 0..<count { start.signal() }
  end.wait()
  return try results.byThread.withLock { $0 }.sorted { $0.key < $1.key }.map { try $0.value.get() }
}

/// The results of threads by their numbers.
private final class Results<Output: Sendable>: Sendable {
  let byThread = Lock<[Int: Result<Output, any Error>]>([:])
}

/// An executor that runs each job on a new thread, so that a task continues while the tests' threads are blocked.
final class Threads: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let thread = Thread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    thread.start()
  }
}

/// A point at which threads wait for each other.
final class Rendezvous: Sendable {
  private let expected = DispatchGroup()
  private let count: Int
  private let arrived = Counter()

  init(_ count: Int) {
    self.count = count
    for _ in 0..<count { expected.enter() }
  }

  /// Blocks until as many threads as expected have called it. Later calls return at once.
  func meet() {
    if arrived.next() <= count { expected.leave() }
    expected.wait()
  }
}

/// A gate at which tasks wait until it is opened.
final class Gate: Sendable {
  private enum State {
    case closed([CheckedContinuation<Void, Never>])
    case open
  }

  private let state = Lock(State.closed([]))

  /// Resumes all waiting tasks, and lets later ones pass.
  func open() {
    let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      defer { state = .open }
      if case .closed(let waiting) = state { return waiting }
      return []
    }
    waiting.forEach { $0.resume() }
  }

  /// Suspends until the gate is open, also in a task that is cancelled.
  func pass() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        guard case .closed(let waiting) = state else { return true }
        state = .closed(waiting + [continuation])
        return false
      }
      if isOpen { continuation.resume() }
    }
  }
}

/// A point at which tasks wait for each other.
final class TaskRendezvous: Sendable {
  private let gate = Gate()
  private let count: Int
  private let arrived = Counter()

  init(_ count: Int) { self.count = count }

  /// Suspends until as many tasks as expected have called it.
  func meet() async {
    if arrived.next() == count { gate.open() }
    await gate.pass()
  }
}
