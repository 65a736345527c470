internal import Glibc

/// Looks up the names of a path one by one, as the system does, links included.
///
/// Each directory is opened relative to the one before. Renaming a directory during the walk does not change the result.
struct PathWalk {
  /// The lookup of a name in a directory.
  struct Lookup {
    /// The directory's path, without links.
    let directory: String
    let name: String

    /// The path of the entry with the name.
    var path: String { directory == "/" ? "/" + name : directory + "/" + name }
  }

  /// The path of the directory that the next lookup starts from, or of the last entry at the end; without links. Relative if the whole
  /// path is.
  private(set) var path: String
  /// The open directory of the next lookup; at the end, that of the last one.
  private(set) var directory: OpenDirectory
  /// The name of the last entry in `directory`; `.` for the directory itself.
  private(set) var name = "."
  /// The names that are left, the next one last.
  private var names: [String]
  private var linksLeft = maximumLinks

  /// Starts at the root, or at the current directory for a relative path. Throws a `SystemError` if that cannot be opened.
  init(_ path: String) throws(SystemError) {
    self.path = Self.isAbsolute(path) ? "/" : "."
    directory = try OpenDirectory(self.path)
    names = Self.names(path).reversed()
  }

  /// The next lookup; nil at the end of the path.
  var next: Lookup? { names.last.map { Lookup(directory: path, name: $0) } }

  /// Makes the next lookup and returns the status of the entry. Throws a `SystemError` if the entry does not exist or is no directory
  /// although names follow.
  mutating func advance() throws(SystemError) -> stat {
    guard let lookup = next else { fatalError("the walk has ended") }
    if lookup.name == ".." {
      (directory, path) = (try directory.openDirectory(".."), Self.parent(of: path))
      names.removeLast()
      return try directory.status()
    }
    let status = try directory.status(of: lookup.name)
    if status.st_mode & S_IFMT == S_IFLNK {
      let target = try directory.target(ofLink: lookup.name)
      guard linksLeft > 0 else { throw SystemError(code: ELOOP) }
      linksLeft -= 1
      if Self.isAbsolute(target) { (directory, path) = (try OpenDirectory("/"), "/") }
      names.removeLast()
      names += Self.names(target).reversed()
    } else {
      names.removeLast()
      if status.st_mode & S_IFMT == S_IFDIR {
        directory = try directory.openDirectory(lookup.name)
      } else if names.isEmpty {
        name = lookup.name
      } else {
        throw SystemError(code: ENOTDIR)
      }
      path = lookup.path
    }
    return status
  }

  /// The limit of the system; see path_resolution(7).
  private static let maximumLinks = 40

  private static func isAbsolute(_ path: String) -> Bool { path.utf8.first == UInt8(ascii: "/") }

  private static func names(_ path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }.filter { $0 != "." }
  }

  /// The directory above a directory whose path has no links.
  private static func parent(of path: String) -> String {
    isAbsolute(path) ? Path.directory(of: path) : path + "/.."
  }
}

/// A directory that is open for lookups. Closed with the last reference.
final class OpenDirectory: Sendable {
  private let descriptor: Int32

  private init(descriptor: Int32) throws(SystemError) {
    guard descriptor >= 0 else { throw SystemError(code: errno) }
    self.descriptor = descriptor
  }

  /// Opens a directory, following links. Needs no permission to read it. Throws a `SystemError`.
  convenience init(_ path: String) throws(SystemError) {
    try self.init(descriptor: open(path, Self.flags))
  }

  deinit { close(descriptor) }

  private static let flags = pathOnly | O_DIRECTORY | O_CLOEXEC
  /// `O_PATH` in fcntl.h, an extension of GNU that Swift's Glibc does not show.
  private static let pathOnly: Int32 = 0o10_000_000

  /// Opens a directory in this one unless the name is that of a link. Throws a `SystemError`.
  func openDirectory(_ name: String) throws(SystemError) -> OpenDirectory {
    try OpenDirectory(descriptor: openat(descriptor, name, Self.flags | O_NOFOLLOW))
  }

  /// Opens an entry unless it is a link; fails with `ELOOP` for a link. The caller closes the descriptor. Throws a `SystemError`.
  func openFile(_ name: String, _ flags: Int32) throws(SystemError) -> Int32 {
    let file = openat(descriptor, name, flags | O_NOFOLLOW)
    guard file >= 0 else { throw SystemError(code: errno) }
    return file
  }

  /// The status of the directory. Throws a `SystemError`.
  func status() throws(SystemError) -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw SystemError(code: errno) }
    return status
  }

  /// The status of an entry, of a link itself. Throws a `SystemError`.
  func status(of name: String) throws(SystemError) -> stat {
    var status = stat()
    guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw SystemError(code: errno) }
    return status
  }

  /// The target of a link. Throws a `SystemError`.
  func target(ofLink name: String) throws(SystemError) -> String {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlinkat(descriptor, name, &bytes, bytes.count)
    guard count > 0 else { throw SystemError(code: count < 0 ? errno : ENOENT) }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// A path of the directory for a system call that takes no descriptor. It stays valid when the directory is renamed.
  var descriptorPath: String { "/proc/self/fd/\(descriptor)" }
}
