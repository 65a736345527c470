import Foundation

/// A thread that somebody waits for.
final class JoinableThread: Sendable {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private let thread: pthread_t

  init(_ run: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let body = Unmanaged.passRetained(Body(run))
    let status = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, body.toOpaque())
    precondition(status == 0, "no thread can be started")
    self.thread = thread
  }

  /// Waits until it has ended.
  func join() { pthread_join(thread, nil) }
}
