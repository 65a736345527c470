internal import CLinux
internal import Glibc
internal import TroupeBase

/// The POSIX access control list of a file or directory: rights of further users and groups; see acl(5).
///
/// While a file has a list, the group bits of its mode are the mask of the list, an upper bound for these rights. The extended attribute
/// `system.posix_acl_access` stores the list as a version and entries of eight bytes, as in the kernel's `linux/posix_acl_xattr.h`:
///
///     version 2 │ tag, permissions, id │ tag, permissions, id │ …
struct AccessControlList {
  /// A user or group other than the owner.
  enum Party: Hashable {
    case user(uid_t)
    case group(gid_t)
    case owningGroup
  }

  /// Those that may write after the mask is applied.
  private(set) var writers: [Party] = []

  /// Returns nil for a file without a list.
  init?(ofFile descriptor: Int32) throws(SystemError) {
    try self.init { fgetxattr(descriptor, Self.attribute, $0.baseAddress, $0.count) }
  }

  /// Follows links. Returns nil for a file without a list.
  init?(at path: String) throws(SystemError) {
    try self.init { getxattr(path, Self.attribute, $0.baseAddress, $0.count) }
  }

  private init?(_ read: (UnsafeMutableRawBufferPointer) -> Int) throws(SystemError) {
    // The longest extended attribute; see xattr(7).
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = bytes.withUnsafeMutableBytes(read)
    guard count >= 0 else {
      if errno == ENODATA || errno == ENOTSUP { return nil }
      throw SystemError(code: errno)
    }
    try self.init(bytes: Array(bytes[..<count]))
  }

  /// The error of another format is `EINVAL`.
  init(bytes: [UInt8]) throws(SystemError) {
    func number(_ offset: Int, _ size: Int) -> UInt32 {
      (0..<size).reduce(0) { $0 | UInt32(bytes[offset + $1]) << (8 * $1) }
    }
    guard bytes.count >= 4, bytes.count % 8 == 4, number(0, 4) == Self.version else { throw SystemError(code: EINVAL) }
    var mask: UInt32 = Self.write
    for offset in stride(from: 4, to: bytes.count, by: 8) {
      let (tag, permissions, id) = (number(offset, 2), number(offset + 2, 2), number(offset + 4, 4))
      if tag == Self.maskTag { mask &= permissions }
      guard permissions & Self.write != 0 else { continue }
      switch tag {
      case Self.userTag: writers.append(.user(id))
      case Self.groupTag: writers.append(.group(id))
      case Self.owningGroupTag: writers.append(.owningGroup)
      default: break
      }
    }
    if mask == 0 { writers = [] }
  }

  private static let attribute = "system.posix_acl_access"
  private static let version: UInt32 = 2
  private static let write: UInt32 = 2
  /// `ACL_USER`, `ACL_GROUP_OBJ`, `ACL_GROUP` and `ACL_MASK` of the kernel's `linux/posix_acl.h`.
  private static let (userTag, owningGroupTag, groupTag, maskTag): (UInt32, UInt32, UInt32, UInt32) = (0x02, 0x04, 0x08, 0x10)
}
