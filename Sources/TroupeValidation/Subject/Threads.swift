internal import Glibc

/// Threads of a check.
enum Threads {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs a closure on several new threads at once, and waits for them. The closure gets the number of its thread.
  static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    var threads: [pthread_t] = []
    for index in 0..<count {
      let box = Unmanaged.passRetained(Body { body(index) })
      var thread = pthread_t()
      let status = pthread_create(
        &thread, nil,
        { argument in
          if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
          return nil
        }, box.toOpaque())
      if status == 0 { threads.append(thread) } else { box.release() }
    }
    for thread in threads { pthread_join(thread, nil) }
  }
}

/// A value that one thread at a time uses, since `Threads.run` waits for its threads.
struct Unshared<Value>: @unchecked Sendable {
  // Sendable because the thread that waits for the others does not use the value meanwhile.
  let value: Value
  init(_ value: Value) { self.value = value }
}

/// A failure that a check reports as it is.
struct CheckFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
