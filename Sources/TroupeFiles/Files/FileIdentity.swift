package import Glibc

/// What makes two paths the same file: the device and the inode.
package struct FileIdentity: Hashable, Sendable {
  private let device: dev_t
  private let inode: ino_t

  package init(_ status: stat) { (device, inode) = (status.st_dev, status.st_ino) }

  /// The file at a path, behind symbolic links; nil if there is none.
  package init?(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}
