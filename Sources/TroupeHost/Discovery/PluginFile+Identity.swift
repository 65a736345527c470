internal import Glibc

extension PluginFile {
  /// What tells a file from another, and from itself after a change.
  struct Identity: Hashable, Sendable {
    /// A moment of the file system's clock, since 1970.
    struct Time: Hashable, Sendable {
      let seconds: Int64
      let nanoseconds: Int64
    }

    /// The device that the file is on.
    let device: UInt64
    /// The file's number there.
    let inode: UInt64
    /// In bytes.
    let size: Int64
    /// The kind of file and its permissions.
    let mode: UInt32
    /// When the content was last written, or what somebody said that it is.
    let modified: Time
    /// When the file was last changed in any way, which nobody can set.
    let changed: Time
  }
}

extension PluginFile.Identity {
  /// The identity of the file that a status is of.
  init(_ status: stat) {
    self.init(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size), mode: UInt32(status.st_mode),
      modified: Time(status.st_mtim), changed: Time(status.st_ctim))
  }
}

extension PluginFile.Identity {
  /// The identity of what is at a path, or nil if there is nothing.
  static func of(_ path: String) -> Self? {
    var status = stat()
    return stat(path, &status) == 0 ? Self(status) : nil
  }
}

extension PluginFile.Identity.Time {
  fileprivate init(_ time: timespec) {
    self.init(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
  }
}
