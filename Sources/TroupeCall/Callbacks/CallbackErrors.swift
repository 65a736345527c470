internal import CCallbacks

/// What callbacks throw while a function runs that calls them. C cannot pass an error on, so it waits here until the function
/// has returned.
enum CallbackErrors {
  /// Runs a closure, and gives the first error that a callback threw meanwhile on this thread.
  static func collecting<Result>(_ body: () -> Result) -> (Result, (any Error)?) {
    var error: (any Error)?
    let result = withUnsafeMutablePointer(to: &error) { error in
      let outer = troupe_callback_set_failure(error)
      defer { _ = troupe_callback_set_failure(outer) }
      return body()
    }
    return (result, error)
  }

  /// Keeps an error for the caller of the function that called back. Returns false if there is none on this thread.
  static func report(_ error: any Error) -> Bool {
    guard let pointer = troupe_callback_get_failure() else { return false }
    let first = pointer.assumingMemoryBound(to: (any Error)?.self)
    first.pointee = first.pointee ?? error
    return true
  }
}
