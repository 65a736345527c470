import Synchronization

/// The contract of this plugin: an object that counts. Safe to use from any thread.
///
/// The type is known in this plugin alone. To share it with programs and other plugins, put it into a library of its own, which
/// `troupe new --kind interface` creates; to share it with plugins in C, define a `Contract`.
protocol Counter: AnyObject, Sendable {
  /// Returns the counter's number and adds 1.
  func next() -> Int
}

/// A counter in memory.
final class MemoryCounter: Counter {
  private let number: Atomic<Int>

  init(start: Int) { number = Atomic(start) }

  func next() -> Int { number.add(1, ordering: .relaxed).oldValue }
}
