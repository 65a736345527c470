internal import Glibc

/// A thread that can be joined.
public final class JoinableThread: Sendable {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private let thread: pthread_t

  /// Starts a thread that runs a closure.
  public init(_ run: @escaping @Sendable () -> Void) {
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

  /// Waits for the end of the thread.
  public func join() { pthread_join(thread, nil) }
}
