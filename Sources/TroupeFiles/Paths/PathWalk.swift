internal import CLinux
internal import Glibc
internal import TroupeBase

/// Resolves a path one name at a time, as the system does, so that the caller can check or watch each step.
///
/// ```swift
/// var walk = try PathWalk("/home/ada/plugins")
/// while let lookup = walk.next {      // "home" in "/", then "ada" in "/home", …
///   let status = try walk.advance()   // A link puts the names of its target before the remaining ones.
/// }
/// ```
///
/// Each directory is opened relative to the one before, so renaming a directory during the walk does not change the result.
struct PathWalk {
  struct Lookup {
    /// The directory's path, without links.
    let directory: String
    let name: String

    var path: String { directory == "/" ? "/" + name : directory + "/" + name }
  }

  /// The path of `directory`, or at the end of the last entry. It has no links, and is relative if the whole path is.
  private(set) var path: String
  /// The open directory of the next lookup, or at the end of the last one.
  private(set) var directory: OpenDirectory
  /// The name of the last entry in `directory`, or `.` for the directory itself.
  private(set) var name = "."
  /// The remaining names, the next one last.
  private var names: [String]
  private var linksLeft = maximumLinks

  /// A relative path starts at the current directory.
  init(_ path: String) throws(SystemError) {
    self.path = Self.isAbsolute(path) ? "/" : "."
    directory = try OpenDirectory(self.path)
    names = Self.names(path).reversed()
  }

  var next: Lookup? { names.last.map { Lookup(directory: path, name: $0) } }

  /// Makes the next lookup and returns the status of the entry. Throws if the entry does not exist, or is no directory although names
  /// follow.
  mutating func advance() throws(SystemError) -> stat {
    guard let lookup = next else { fatalError("the walk has ended") }
    if lookup.name == ".." {
      (directory, path) = (try directory.openDirectory(".."), Self.parent(of: path))
      names.removeLast()
      return try directory.status()
    }
    let status = try directory.status(of: lookup.name)
    if status.kind == S_IFLNK {
      let target = try directory.target(ofLink: lookup.name)
      guard linksLeft > 0 else { throw SystemError(code: ELOOP) }
      linksLeft -= 1
      if Self.isAbsolute(target) { (directory, path) = (try OpenDirectory("/"), "/") }
      names.removeLast()
      names += Self.names(target).reversed()
    } else {
      names.removeLast()
      if status.kind == S_IFDIR {
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
