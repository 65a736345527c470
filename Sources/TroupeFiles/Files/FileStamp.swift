package import Glibc

extension PluginFile {
  /// The stamp of a file and of its version: it changes with the content, the permissions and the inode.
  package struct Identity: Hashable, Sendable {
    /// A time of the file system's clock, since 1970.
    struct Time: Hashable, Sendable {
      let seconds: Int64
      let nanoseconds: Int64
    }

    /// The device of the file system.
    package let device: UInt64
    /// The inode number.
    package let inode: UInt64
    /// The size in bytes.
    package let size: Int64
    /// The file type and the permissions.
    let mode: UInt32
    /// The time of the last write, which a process can set to any value.
    let modified: Time
    /// The time of the last change of the inode, which no process can set.
    let changed: Time
  }
}

extension FileStamp {
  /// The stamp in a status.
  package init(_ status: stat) {
    self.init(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size), mode: UInt32(status.st_mode),
      modified: Time(status.st_mtim), changed: Time(status.st_ctim))
  }
}

extension FileStamp {
  /// The stamp of the file at a path, or nil if there is none.
  package static func of(_ path: String) -> Self? {
    var status = stat()
    return stat(path, &status) == 0 ? Self(status) : nil
  }
}

extension FileStamp.Time {
  fileprivate init(_ time: timespec) {
    self.init(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
  }
}
