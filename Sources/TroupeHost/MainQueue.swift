internal import Glibc

/// The main queue of Dispatch, which runs the jobs of the main actor.
package enum MainQueue {
  private typealias GetHandle = @convention(c) () -> Int32
  private typealias Run = @convention(c) (UnsafeMutableRawPointer?) -> Void

  /// Runs the jobs of the main queue on the main thread until a descriptor is readable, or for good without one. Returns false, and does
  /// nothing, if that is impossible.
  ///
  /// Foundation's run loop runs these jobs through the same two functions. Dispatch declares them in no header.
  @discardableResult
  package static func serve(until counter: Int32?) -> Bool {
    guard counter ?? 0 >= 0, let handle = dlsym(nil, "_dispatch_get_main_queue_handle_4CF"),
      let run = dlsym(nil, "_dispatch_main_queue_callback_4CF")
    else { return false }
    let main = unsafeBitCast(handle, to: GetHandle.self)()
    // poll(2) ignores a negative descriptor.
    var descriptors = [
      pollfd(fd: counter ?? -1, events: Int16(POLLIN), revents: 0), pollfd(fd: main, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      guard poll(&descriptors, 2, -1) > 0 else { continue }
      if descriptors[1].revents != 0 {
        var count: UInt64 = 0
        _ = read(main, &count, MemoryLayout<UInt64>.size)
        unsafeBitCast(run, to: Run.self)(nil)
      }
      if descriptors[0].revents != 0 { return true }
    }
  }
}
