internal import Synchronization

/// A closure that is called once, and that has released what it captures when its result arrives.
///
/// Whoever waits for the result may then release the last reference to a captured host or plugin, and have it closed at once. Otherwise the
/// thread that has delivered the result would do that some time later, on behalf of nobody: with `shutdown` and destructors of plugins.
final class SingleUseClosure<Success, Failure: Error>: Sendable {
  private let body: Mutex<(@Sendable () throws(Failure) -> Success)?>

  init(_ body: @escaping @Sendable () throws(Failure) -> Success) { self.body = Mutex(body) }

  /// Calls the closure, and releases it.
  func callAsFunction() -> Result<Success, Failure> {
    let taken = body.withLock { body in
      defer { body = nil }
      return body
    }
    guard let taken else { preconditionFailure("the closure is called once") }
    return Result(catching: taken)
  }
}
