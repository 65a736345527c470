import Foundation
import Synchronization

@testable import TroupeContainer

/// Runs work on threads of its own, which begin as nearly together as can be, and gives what each made, in the order of
/// their numbers. `stack` is how many bytes of stack each has, if that matters.
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

/// What the threads made, by their numbers.
private final class Results<Output: Sendable>: Sendable {
  let byThread = Lock<[Int: Result<Output, any Error>]>([:])
}

/// Runs each part of a task on a thread of its own, so that the task goes on while the tests' threads are blocked.
final class Threads: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let thread = Thread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    thread.start()
  }
}

/// Where a number of threads wait for each other.
final class Rendezvous: Sendable {
  private let coming = DispatchGroup()
  private let count: Int
  private let come = Counter()

  init(_ count: Int) {
    self.count = count
    for _ in 0..<count { coming.enter() }
  }

  /// Waits until as many have come as were said to; who comes later goes on at once.
  func meet() {
    if come.next() <= count { coming.leave() }
    coming.wait()
  }
}

/// What tasks wait in front of until it is opened.
final class Gate: Sendable {
  private enum State {
    case closed([CheckedContinuation<Void, Never>])
    case open
  }

  private let state = Lock(State.closed([]))

  /// Lets everybody through, from now on.
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

/// Where a number of tasks wait for each other.
final class TaskRendezvous: Sendable {
  private let gate = Gate()
  private let count: Int
  private let come = Counter()

  init(_ count: Int) { self.count = count }

  /// Waits until as many have come as were said to.
  func meet() async {
    if come.next() == count { gate.open() }
    await gate.pass()
  }
}
