internal import CLinux
internal import Glibc
internal import TroupeBase

/// A directory that is open for lookups. Closed with the last reference.
final class OpenDirectory: Sendable {
  private let descriptor: FileDescriptor

  private init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

  /// Opens a directory, following links. Needs no permission to read it. Throws a `SystemError`.
  convenience init(_ path: String) throws(SystemError) {
    self.init(try FileDescriptor(opening: path, Self.flags))
  }

  private static let flags = linux_path_only | O_DIRECTORY

  /// Opens a directory in this one unless the name is that of a link. Throws a `SystemError`.
  func openDirectory(_ name: String) throws(SystemError) -> OpenDirectory {
    OpenDirectory(try FileDescriptor(openingEntry: name, of: descriptor, Self.flags))
  }

  /// Opens an entry unless it is a link. Throws a `SystemError`; `ELOOP` for a link.
  func openFile(_ name: String, _ flags: Int32) throws(SystemError) -> FileDescriptor {
    try FileDescriptor(openingEntry: name, of: descriptor, flags)
  }

  /// The status of the directory. Throws a `SystemError`.
  func status() throws(SystemError) -> stat { try descriptor.status() }

  /// The status of an entry, of a link itself. Throws a `SystemError`.
  func status(of name: String) throws(SystemError) -> stat {
    var status = stat()
    guard fstatat(descriptor.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw SystemError(code: errno) }
    return status
  }

  /// The target of a link. Throws a `SystemError`, with `EILSEQ` for a target that is not UTF-8.
  func target(ofLink name: String) throws(SystemError) -> String {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlinkat(descriptor.number, name, &bytes, bytes.count)
    guard count > 0 else { throw SystemError(code: count < 0 ? errno : ENOENT) }
    guard let target = String(validating: bytes[..<count], as: UTF8.self) else { throw SystemError(code: EILSEQ) }
    return target
  }

  /// A path of the directory for a system call that takes no descriptor. It stays valid when the directory is renamed.
  var descriptorPath: String { "/proc/self/fd/\(descriptor.number)" }
}
