internal import Glibc
internal import Troupe

/// A text that each thread has for itself, as C sees it.
final class ThreadText: Sendable {
  private let key: pthread_key_t

  /// What plugins say about a failure that is about to come, through `troupe_host.fail`.
  static let failure = ThreadText()
  /// What `troupe_resolver.message` gives.
  static let resolverMessage = ThreadText()

  private init() {
    var key = pthread_key_t()
    let status = pthread_key_create(&key) { $0?.assumingMemoryBound(to: CChar.self).deallocate() }
    precondition(status == 0, "the process has no more thread-specific keys: \(SystemError(code: status))")
    self.key = key
  }

  /// The calling thread's text, owned by this object until the thread sets another or ends.
  var pointer: UnsafePointer<CChar>? {
    pthread_getspecific(key).map { UnsafePointer($0.assumingMemoryBound(to: CChar.self)) }
  }

  /// Replaces the calling thread's text.
  func set(_ text: String?) {
    let old = pthread_getspecific(key)
    pthread_setspecific(key, text.map { UnsafeRawPointer(CString.copy($0)) })
    old?.assumingMemoryBound(to: CChar.self).deallocate()
  }

  /// Forgets the calling thread's text.
  func clear() {
    if pthread_getspecific(key) != nil { set(nil) }
  }

  /// Gives the calling thread's text and forgets it.
  func take() -> String? {
    defer { set(nil) }
    return pointer.map { String(cString: $0) }
  }
}
