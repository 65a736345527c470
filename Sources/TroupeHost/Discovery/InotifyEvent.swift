internal import Glibc

/// What inotify(7) tells of a directory.
struct InotifyEvent {
  /// The number of the directory.
  let watch: Int32
  /// The name in it that this is about; empty if it is about the directory itself.
  let name: [UInt8]
  private let mask: UInt32

  /// Whether some events are lost, of whichever directories.
  var isOverflow: Bool { mask & UInt32(IN_Q_OVERFLOW) != 0 }
  /// Whether the directory is not watched any more.
  var isLast: Bool { mask & UInt32(IN_IGNORED) != 0 }

  /// Reads everything that is there, without waiting, from a descriptor that does not wait.
  static func read(from descriptor: Int32) -> [InotifyEvent] {
    var events: [InotifyEvent] = []
    var bytes = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = Glibc.read(descriptor, &bytes, bytes.count)
      guard count > 0 else { return events }
      bytes.withUnsafeBytes { bytes in
        // The system gives whole events only: a head of constant size, and the name with zeros behind it.
        var place = 0
        while place < count {
          let head = bytes.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
          let name = bytes[(place + headSize)...].prefix(Int(head.len)).prefix { $0 != 0 }
          events.append(InotifyEvent(watch: head.wd, name: Array(name), mask: head.mask))
          place += headSize + Int(head.len)
        }
      }
    }
  }

  private static let headSize = MemoryLayout<inotify_event>.size
}
