internal import Glibc

/// Paths as text, taken apart byte by byte as the system does: to Swift a slash with a combining mark behind it is another
/// character, and two spellings of a name are the same.
package enum Path {
  /// The absolute path without links, or nil if there is nothing.
  static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Returns an absolute path as it is, and a relative one with the current directory before it. Throws a `SystemError` if there is no
  /// current directory.
  package static func absolute(_ path: String) throws(SystemError) -> String {
    guard path.utf8.first != UInt8(ascii: "/") else { return path }
    guard let current = getcwd(nil, 0) else { throw SystemError(code: errno) }
    defer { free(current) }
    return Directory.prefix(String(cString: current)) + path
  }

  /// The directory that a path lies in; the current one for a bare name.
  static func directory(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(decoding: path.utf8[..<slash], as: UTF8.self)
  }

  /// What stands behind the last slash.
  static func lastComponent(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return String(decoding: path.utf8[path.utf8.index(after: slash)...], as: UTF8.self)
  }

  /// Whether there is a slash in a path.
  static func hasDirectory(_ path: String) -> Bool { path.utf8.contains(UInt8(ascii: "/")) }

  /// A path as a key: two paths are the same file name only if they are the same bytes.
  static func key(_ path: String) -> [UInt8] { Array(path.utf8) }
}
