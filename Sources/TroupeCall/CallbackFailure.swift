internal import Glibc

/// What callbacks throw while a function runs that calls them. C cannot pass an error on, so it waits here until the function
/// has returned.
enum CallbackFailure {
  /// The address of the variable for the error of the thread's present call.
  // Safe to share: made once, and constant from then on.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key, nil)
    precondition(status == 0, "the process has no thread-specific key left for TroupeCall")
    return key
  }()

  /// Runs a closure, and gives the first error that a callback threw meanwhile on this thread.
  static func collecting<Result>(_ body: () -> Result) -> (Result, (any Error)?) {
    var error: (any Error)?
    let result = withUnsafeMutablePointer(to: &error) { error in
      let outer = pthread_getspecific(key)
      pthread_setspecific(key, error)
      defer { pthread_setspecific(key, outer) }
      return body()
    }
    return (result, error)
  }

  /// Keeps an error for whoever called the function that called back. False if nobody on this thread did.
  static func report(_ error: any Error) -> Bool {
    guard let pointer = pthread_getspecific(key) else { return false }
    let first = pointer.assumingMemoryBound(to: (any Error)?.self)
    first.pointee = first.pointee ?? error
    return true
  }
}
