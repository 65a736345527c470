import Glibc
import Synchronization

/// The one instance of a singleton, made by whoever asks first while the others wait.
final class SharedInstance: @unchecked Sendable {
  // Sendable because `instance` is only touched while `lock` is held, and `lock` and `builder` are Sendable themselves.
  // The instance itself is handed to every thread that asks for the singleton, which is what registering it as one means.
  private let lock = Mutex<Void>(())
  private let builder = Atomic<UInt>(0)
  private var instance: Any?

  /// The instance, made with `make` if there is none yet. Nothing is kept when `make` throws.
  ///
  /// Throws what `make` throws, and `.cycle` when `make` asks for the same instance on its own thread.
  func value(key: AnyKey, make: () throws -> Any) throws -> Any {
    let thread = UInt(pthread_self())
    // Only this thread can have stored its own number, so a relaxed load cannot be mistaken about it.
    if builder.load(ordering: .relaxed) == thread { throw ResolutionError(key, reason: .cycle) }
    return try lock.withLock { _ in
      if let instance { return instance }
      builder.store(thread, ordering: .relaxed)
      defer { builder.store(0, ordering: .relaxed) }
      let made = try make()
      instance = made
      return made
    }
  }
}
