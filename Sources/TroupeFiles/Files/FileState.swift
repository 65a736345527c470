/// The path and the identity of a file at some time.
package struct FileState: Hashable, Sendable {
  package let path: String
  package let identity: FileStamp

  package init(path: String, identity: FileStamp) { (self.path, self.identity) = (path, identity) }

  /// Reads the present state of a file. Returns nil if the file does not exist.
  package init?(path: String) {
    guard let identity = FileStamp.of(path) else { return nil }
    self.init(path: path, identity: identity)
  }

  /// Whether the file has not changed since. Cost: a system call.
  package var isUnchanged: Bool { FileStamp.of(path) == identity }
}

extension [FileState] {
  /// The total size of the files in bytes.
  package var size: Int64 { reduce(0) { $0 &+ $1.identity.size } }
}
