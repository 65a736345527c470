internal import Dispatch
internal import Glibc

/// Threads for single pieces of work that block. The threads of Dispatch run the tasks of Swift, too, which would wait.
enum BackgroundThread {
  /// Runs a closure on a new thread, or on one of Dispatch if the system has no thread left.
  static func run(_ body: @escaping @Sendable () -> Void) {
    final class Work: Sendable {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    let work = Unmanaged.passRetained(Work(body))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, work.toOpaque())
    if code == 0 {
      pthread_detach(thread)
    } else {
      work.release()
      DispatchQueue.global().async(execute: body)
    }
  }
}
