internal import Dispatch
internal import Glibc

/// Notices that files in directories come, go or are finished, by inotify(7).
final class DirectoryWatch {
  /// One element for any number of changes that nobody has asked about yet. It never ends by itself.
  let changes: AsyncStream<Void>
  private let source: any DispatchSourceRead

  /// Begins to watch. A directory that is not there is not watched. Throws a `SystemError` if the system has no watches left.
  init(_ directories: [String]) throws(SystemError) {
    let descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard descriptor >= 0 else { throw SystemError(code: errno) }
    for directory in directories {
      guard inotify_add_watch(descriptor, directory, Self.events) < 0, errno != ENOENT, errno != ENOTDIR else { continue }
      let code = errno
      close(descriptor)
      throw SystemError(code: code)
    }
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.changes = changes
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: DispatchQueue(label: "troupe.watch"))
    source.setEventHandler {
      // What happened is not looked at: the directories are, as a whole.
      var events = [UInt8](repeating: 0, count: 1 << 14)
      while read(descriptor, &events, events.count) > 0 {}
      continuation.yield()
    }
    source.setCancelHandler {
      close(descriptor)
      continuation.finish()
    }
    source.activate()
  }

  deinit { source.cancel() }

  /// A file that is written is looked at when it is closed, and one that is renamed or linked when it has its name.
  private static let events = UInt32(
    IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)
}
