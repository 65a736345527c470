internal import Glibc
internal import TroupeBase

/// An event of a directory; see inotify(7).
struct InotifyEvent {
  /// The watch descriptor of the directory.
  let watch: Int32
  /// The name in the directory; empty for an event of the directory itself.
  let name: [UInt8]
  private let mask: UInt32

  /// Whether events of any directories were lost.
  var isOverflow: Bool { mask & UInt32(IN_Q_OVERFLOW) != 0 }
  /// Whether the watch was removed; the last event of a watch.
  var isLast: Bool { mask & UInt32(IN_IGNORED) != 0 }

  /// Reads all pending events from a non-blocking descriptor.
  static func read(from descriptor: borrowing FileDescriptor) -> [InotifyEvent] {
    var events: [InotifyEvent] = []
    while let bytes = try? descriptor.readPiece(), !bytes.isEmpty {
      let count = bytes.count
      bytes.withUnsafeBytes { bytes in
        // The system returns whole events only: a header of constant size, then the name padded with NUL.
        var place = 0
        while place < count {
          let head = bytes.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
          let name = bytes[(place + headSize)...].prefix(Int(head.len)).prefix { $0 != 0 }
          events.append(InotifyEvent(watch: head.wd, name: Array(name), mask: head.mask))
          place += headSize + Int(head.len)
        }
      }
    }
    return events
  }

  private static let headSize = MemoryLayout<inotify_event>.size
}
