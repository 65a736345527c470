import Synchronization

@testable import TroupeContainer

/// Counts, on any thread.
final class Counter: Sendable {
  private let number = Atomic<Int>(0)

  /// How often `next` was called.
  var count: Int { number.load(ordering: .sequentiallyConsistent) }

  /// Counts one more and gives the count.
  @discardableResult
  func next() -> Int { number.add(1, ordering: .sequentiallyConsistent).newValue }
}

/// Collects lines in the order in which they come, on any thread.
final class Journal: Sendable {
  private let state = Lock<[String]>([])

  /// What has been written.
  var lines: [String] { state.withLock { $0 } }

  /// Writes a line.
  func write(_ line: String) { state.withLock { $0.append(line) } }
}
