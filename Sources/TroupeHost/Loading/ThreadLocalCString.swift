internal import Glibc
internal import Troupe
internal import TroupeFiles

/// A text per thread, as a C string.
final class ThreadLocalCString: Sendable {
  private let key: pthread_key_t

  /// The reason that a plugin passes to `troupe_host.fail` before it fails.
  static let failure = ThreadLocalCString()
  /// The text that `troupe_resolver.message` returns.
  static let resolverMessage = ThreadLocalCString()

  private init() {
    var key = pthread_key_t()
    let status = pthread_key_create(&key) { $0?.assumingMemoryBound(to: CChar.self).deallocate() }
    precondition(status == 0, "the process has no more thread-specific keys: \(SystemError(code: status))")
    self.key = key
  }

  /// The calling thread's text, owned by this object until the thread sets another text or ends.
  var pointer: UnsafePointer<CChar>? {
    pthread_getspecific(key).map { UnsafePointer($0.assumingMemoryBound(to: CChar.self)) }
  }

  func set(_ text: String?) {
    let old = pthread_getspecific(key)
    pthread_setspecific(key, text.map { UnsafeRawPointer(CString.copy($0)) })
    old?.assumingMemoryBound(to: CChar.self).deallocate()
  }

  func clear() {
    if pthread_getspecific(key) != nil { set(nil) }
  }

  func take() -> String? {
    defer { set(nil) }
    return pointer.map { String(cString: $0) }
  }
}
