internal import Glibc

/// An open plugin file. Closed when the last reference goes.
final class PluginFile {
  /// What is wrong with a file that cannot be opened, as the end of a sentence that begins with the file.
  struct Unreadable: Error {
    let problem: String
    let remedy: String
  }

  /// What tells a file from another, and from itself after a change.
  struct Identity: Hashable {
    let device, inode, size: UInt64
    let mode: UInt32
    /// When the content and when anything was changed last, in nanoseconds since 1970.
    let modified, changed: Int64

    init(device: UInt64, inode: UInt64, size: UInt64, mode: UInt32, modified: Int64, changed: Int64) {
      (self.device, self.inode, self.size) = (device, inode, size)
      (self.mode, self.modified, self.changed) = (mode, modified, changed)
    }

    init(_ status: stat) {
      self.init(
        device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: UInt64(status.st_size), mode: status.st_mode,
        modified: Self.nanoseconds(status.st_mtim), changed: Self.nanoseconds(status.st_ctim))
    }

    private static func nanoseconds(_ time: timespec) -> Int64 { Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec) }

    /// The identity of what is at a path, or nil if there is nothing.
    static func of(_ path: String) -> Identity? {
      var status = stat()
      return stat(path, &status) == 0 ? Identity(status) : nil
    }
  }

  /// What tells this file from another.
  var identity: Identity { Identity(status) }

  /// The owner, mode and size of the file.
  let status: stat
  private let descriptor: Int32

  /// Opens a file, following links. Throws `Unreadable` if it is not there, may not be read, or is not a regular file.
  init(path: String) throws(Unreadable) {
    // Without O_NONBLOCK opening a named pipe would wait for somebody to write to it.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.unreadable(path, code: errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw Self.unreadable(path, code: code)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      let kind = status.st_mode & S_IFMT == S_IFDIR ? "a directory" : "not a regular file"
      throw Unreadable(problem: "is \(kind)", remedy: "remove it or give it another name; \(Self.whatIs)")
    }
    self.descriptor = descriptor
    self.status = status
  }

  deinit { close(descriptor) }

  /// The content of the file, which keeps it open.
  var bytes: FileBytes { FileBytes(descriptor: descriptor, size: UInt64(status.st_size), owner: self) }

  /// Whether somebody has a file open for writing, as far as the system tells: it grants a lease for reading (fcntl(2)) only if nobody
  /// has. Where there are no leases, or it is another user's file, nobody knows, and it counts as finished.
  static func isBeingWritten(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    // Closing it gives the lease back.
    defer { close(descriptor) }
    return fcntl(descriptor, setLease, Int32(F_RDLCK)) != 0 && errno == EAGAIN
  }

  /// `F_SETLEASE` in fcntl.h, an extension of GNU that Swift's Glibc does not show.
  private static let setLease: Int32 = 1024

  private static let whatIs = "a plugin is a shared library, or a file that adopts one"

  private static func unreadable(_ path: String, code: Int32) -> Unreadable {
    var link = stat()
    let isLink = lstat(path, &link) == 0 && link.st_mode & S_IFMT == S_IFLNK
    return switch code {
    case ENOENT where isLink:
      Unreadable(problem: "is a link to a file that is not there", remedy: "remove the link or restore its target")
    case ELOOP: Unreadable(problem: "is a link that leads back to itself", remedy: "remove the link")
    case ENOENT: Unreadable(problem: "is not there", remedy: "check the path")
    case EACCES: Unreadable(problem: "may not be read", remedy: "give yourself the permission, with chmod u+r for example")
    // What open() says of a socket.
    case ENXIO:
      Unreadable(problem: "is not a regular file", remedy: "remove it or give it another name; \(Self.whatIs)")
    default: Unreadable(problem: "cannot be opened: \(SystemError(code: code))", remedy: "check the file")
    }
  }
}
