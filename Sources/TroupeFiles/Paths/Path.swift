internal import Glibc
internal import TroupeBase

/// Functions for paths as bytes, as the system treats them. In Swift, a slash with a combining mark is another character, and two
/// spellings of a name are equal.
package enum Path {
  /// The absolute path without links, or nil if the path does not exist.
  package static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Returns the path itself if it is absolute; prepends the current directory to a relative path. Throws a `SystemError` if there is
  /// no current directory, or `EILSEQ` if its name is not UTF-8.
  package static func absolute(_ path: String) throws(SystemError) -> String {
    guard path.utf8.first != UInt8(ascii: "/") else { return path }
    guard let current = getcwd(nil, 0) else { throw SystemError(code: errno) }
    defer { free(current) }
    guard let name = String(validatingCString: current) else { throw SystemError(code: EILSEQ) }
    return Path.prefix(name) + path
  }

  /// The directory part of a path; `.` for a bare name.
  package static func directory(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(decoding: path.utf8[..<slash], as: UTF8.self)
  }

  /// The part after the last slash.
  package static func lastComponent(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return String(decoding: path.utf8[path.utf8.index(after: slash)...], as: UTF8.self)
  }

  /// Whether a path contains a slash.
  package static func hasDirectory(_ path: String) -> Bool { path.utf8.contains(UInt8(ascii: "/")) }

  /// A key for a dictionary. Paths are equal only if their bytes are.
  package static func key(_ path: String) -> [UInt8] { Array(path.utf8) }
}
