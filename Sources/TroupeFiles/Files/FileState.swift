/// The path and the stamp of a file at some time.
package struct FileState: Hashable, Sendable {
  package let path: String
  package let stamp: FileStamp

  package init(path: String, stamp: FileStamp) { (self.path, self.stamp) = (path, stamp) }

  /// Reads the present state of a file. Returns nil if the file does not exist.
  package init?(path: String) {
    guard let stamp = FileStamp.of(path) else { return nil }
    self.init(path: path, stamp: stamp)
  }

  /// Whether the file has not changed since. Cost: a system call.
  package var isUnchanged: Bool { FileStamp.of(path) == stamp }
}

extension [FileState] {
  /// The total size of the files in bytes.
  package var size: Int64 { reduce(0) { $0 &+ $1.stamp.size } }
}
