internal import Glibc
internal import TroupeBase

/// Paths as bytes, as the system treats them. A Swift string would take a slash with a combining mark for another character, and two
/// spellings of a name for the same.
package enum Path {
  /// Returns the absolute path without links, or nil if the path does not exist.
  package static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Prepends the current directory to a relative path. The error is `EILSEQ` if its name is not UTF-8.
  package static func absolute(_ path: String) throws(SystemError) -> String {
    guard path.utf8.first != UInt8(ascii: "/") else { return path }
    guard let current = getcwd(nil, 0) else { throw SystemError(code: errno) }
    defer { free(current) }
    guard let name = String(validatingCString: current) else { throw SystemError(code: EILSEQ) }
    return withTrailingSlash(name) + path
  }

  /// Returns `.` for a bare name.
  package static func directory(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(decoding: path.utf8[..<slash], as: UTF8.self)
  }

  package static func lastComponent(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return String(decoding: path.utf8[path.utf8.index(after: slash)...], as: UTF8.self)
  }

  package static func containsSlash(_ path: String) -> Bool { path.utf8.contains(UInt8(ascii: "/")) }

  /// A key for a dictionary. Paths are equal only if their bytes are.
  package static func key(_ path: String) -> [UInt8] { Array(path.utf8) }

  /// Appends a slash unless the path ends with one. All paths below a directory begin with this prefix.
  static func withTrailingSlash(_ directory: String) -> String {
    directory.utf8.last == UInt8(ascii: "/") ? directory : directory + "/"
  }

  /// Returns the names of all entries except `.` and `..`, in no particular order. A name that is not UTF-8 contains replacement characters.
  package static func entries(in directory: String) throws(SystemError) -> [String] {
    guard let stream = opendir(directory) else { throw SystemError(code: errno) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }
}
