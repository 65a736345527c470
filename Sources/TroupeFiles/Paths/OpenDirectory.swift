internal import CLinux
internal import Glibc
internal import TroupeBase

/// A directory that is open for lookups (`O_PATH`), which needs no permission to read it. Closed with the last reference.
final class OpenDirectory: Sendable {
  private let descriptor: FileDescriptor

  private init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

  /// Follows links.
  convenience init(_ path: String) throws(SystemError) {
    self.init(try FileDescriptor(opening: path, Self.flags))
  }

  private static let flags = linux_o_path | O_DIRECTORY

  /// Throws for a link.
  func openDirectory(_ name: String) throws(SystemError) -> OpenDirectory {
    OpenDirectory(try FileDescriptor(openingEntry: name, of: descriptor, Self.flags))
  }

  /// The error of a link is `ELOOP`.
  func openFile(_ name: String, _ flags: Int32) throws(SystemError) -> FileDescriptor {
    try FileDescriptor(openingEntry: name, of: descriptor, flags)
  }

  func status() throws(SystemError) -> stat { try descriptor.status() }

  /// Does not follow a link.
  func status(of name: String) throws(SystemError) -> stat {
    var status = stat()
    guard fstatat(descriptor.rawValue, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw SystemError(code: errno) }
    return status
  }

  /// The error of a target that is not UTF-8 is `EILSEQ`.
  func target(ofLink name: String) throws(SystemError) -> String {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlinkat(descriptor.rawValue, name, &bytes, bytes.count)
    guard count > 0 else { throw SystemError(code: count < 0 ? errno : ENOENT) }
    guard let target = String(validating: bytes[..<count], as: UTF8.self) else { throw SystemError(code: EILSEQ) }
    return target
  }

  /// A path of the directory for a system call that takes no descriptor. It stays valid when the directory is renamed.
  var descriptorPath: String { "/proc/self/fd/\(descriptor.rawValue)" }
}
