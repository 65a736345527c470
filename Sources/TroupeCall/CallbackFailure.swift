internal import Glibc

/// What callbacks throw while a function runs that calls them. C cannot pass an error on, so it waits here until the function
/// has returned.
enum CallbackFailure {
  /// The errors of one call.
  private final class Collector {
    var error: (any Error)?
  }

  /// The thread's present collector.
  // Safe to share: made once, and constant from then on.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key, nil)
    precondition(status == 0, "the process has no thread-specific key left for TroupeCall")
    return key
  }()

  /// Runs a closure, and gives the first error that a callback threw meanwhile on this thread.
  static func collecting<Result>(_ body: () -> Result) -> (Result, (any Error)?) {
    let collector = Collector()
    let outer = pthread_getspecific(key)
    pthread_setspecific(key, Unmanaged.passUnretained(collector).toOpaque())
    let result = body()
    pthread_setspecific(key, outer)
    return withExtendedLifetime(collector) { (result, collector.error) }
  }

  /// Keeps an error for whoever called the function that called back. False if nobody on this thread did.
  static func report(_ error: any Error) -> Bool {
    guard let pointer = pthread_getspecific(key) else { return false }
    let collector = Unmanaged<Collector>.fromOpaque(pointer).takeUnretainedValue()
    collector.error = collector.error ?? error
    return true
  }
}
