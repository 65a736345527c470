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

/// An instance that can be told apart from others.
final class Instance: Sendable {}

/// Something that a factory throws.
struct Fault: Error, Equatable {}

protocol Greeting: Sendable {
  var text: String { get }
}

struct Hello: Greeting {
  let text = "hello"
}

struct Greeter: Greeting {
  let text: String
}

extension ResolutionError.Reason {
  /// The name of the case, without what it carries.
  var name: Substring { String(describing: self).prefix { $0 != "(" } }
}

extension ResolutionError {
  /// The description without source locations, for tests of the rest of it.
  var withoutLocations: String { description.replacing(/\ \([^()]+\.swift:\d+\)/, with: "") }
}
