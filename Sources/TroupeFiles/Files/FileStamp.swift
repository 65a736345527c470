package import Glibc
internal import TroupeBase

/// What the system knows about a version of a file. The host compares stamps to see whether a file is still the one that it examined.
///
/// A stamp changes with the content, the permissions and the inode. A process can reset the time of the last write, but not the time of
/// the last change of the inode (`st_ctim`), so that no write goes unnoticed. Compare `FileIdentity`: it is the same for all versions.
package struct FileStamp: Hashable, Sendable {
  /// A time of the file system's clock, since 1970.
  struct Time: Hashable, Sendable {
    let seconds: Int64
    let nanoseconds: Int64
  }

  package let device: UInt64
  package let inode: UInt64
  /// The size in bytes.
  package let size: Int64
  /// The file type and the permissions.
  let mode: UInt32
  let modified: Time
  /// The time of the last change of the inode.
  let changed: Time
}

extension FileStamp {
  package init(_ status: stat) {
    self.init(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size), mode: UInt32(status.st_mode),
      modified: Time(status.st_mtim), changed: Time(status.st_ctim))
  }

  package var identity: FileIdentity { FileIdentity(device: device, inode: inode) }

  /// Returns nil if the file does not exist.
  package static func of(_ path: String) -> Self? {
    (try? Path.status(path)).map { Self($0) }
  }
}

extension FileStamp.Time {
  fileprivate init(_ time: timespec) {
    self.init(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
  }
}

extension FileStamp: Recordable {
  package func write(to writer: inout RecordWriter) {
    writer.write(device, inode, size, mode, modified.seconds, modified.nanoseconds, changed.seconds, changed.nanoseconds)
  }

  package init(from reader: inout RecordReader) throws(ReadError) {
    self.init(
      device: try reader.number(), inode: try reader.number(), size: try reader.number(), mode: try reader.number(),
      modified: Time(seconds: try reader.number(), nanoseconds: try reader.number()),
      changed: Time(seconds: try reader.number(), nanoseconds: try reader.number()))
  }
}

/// A file at a path as it was at some time.
package struct FileState: Hashable, Sendable {
  package let path: String
  package let stamp: FileStamp

  package init(path: String, stamp: FileStamp) { (self.path, self.stamp) = (path, stamp) }

  /// Reads the present state. Returns nil if the file does not exist.
  package init?(path: String) {
    guard let stamp = FileStamp.of(path) else { return nil }
    self.init(path: path, stamp: stamp)
  }

  /// Cost: a system call.
  package var isUnchanged: Bool { FileStamp.of(path) == stamp }
}

extension [FileState] {
  /// The total size of the files in bytes.
  package var size: Int64 { reduce(0) { $0 &+ $1.stamp.size } }
}

extension FileState: Recordable {
  package func write(to writer: inout RecordWriter) { writer.write(path, stamp) }

  package init(from reader: inout RecordReader) throws(ReadError) { (path, stamp) = try reader.values() }
}

/// The device and inode, by which two paths lead to the same file.
package struct FileIdentity: Hashable, Sendable {
  private let device, inode: UInt64

  fileprivate init(device: UInt64, inode: UInt64) { (self.device, self.inode) = (device, inode) }

  package init(_ status: stat) { self.init(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)) }

  /// Follows symbolic links. Returns nil if the file does not exist.
  package init?(of path: String) {
    guard let status = try? Path.status(path) else { return nil }
    self.init(status)
  }
}
