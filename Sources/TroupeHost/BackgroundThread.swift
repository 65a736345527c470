internal import Dispatch

/// Threads for single pieces of work that block.
enum BackgroundThread {
  /// Runs a closure on a new thread, or on one of Dispatch if the system has no thread left.
  static func run(_ body: @escaping @Sendable () -> Void) {
    do throws(SystemError) {
      try DetachedThread.start(body)
    } catch {
      DispatchQueue.global().async(execute: body)
    }
  }
}
