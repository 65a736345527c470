import Synchronization

@testable import TroupeContainer

/// A counter for any thread.
final class Counter: Sendable {
  private let number = Atomic<Int>(0)

  /// The number of calls of `next()`.
  var count: Int { number.load(ordering: .sequentiallyConsistent) }

  /// Increments the count and returns it.
  @discardableResult
  func next() -> Int { number.add(1, ordering: .sequentiallyConsistent).newValue }
}

/// A list of lines in the order in which threads write them.
final class Journal: Sendable {
  private let state = Lock<[String]>([])

  /// The lines written so far.
  var lines: [String] { state.withLock { $0 } }

  /// Appends a line.
  func write(_ line: String) { state.withLock { $0.append(line) } }
}

/// An instance with an identity.
final class Instance: Sendable {}

/// An error for factories to throw.
struct SampleError: Error, Equatable {}

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
  /// The name of the case without its associated values.
  var name: Substring { String(describing: self).prefix { $0 != "(" } }
}

extension ResolutionError {
  /// The description without source locations.
  var withoutLocations: String { description.replacing(/\ \([^()]+\.swift:\d+\)/, with: "") }
}
