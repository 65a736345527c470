package import Glibc
internal import TroupeBase

/// Paths as bytes, as the system treats them.
///
/// A Swift string compares characters by canonical equivalence: a slash with a combining mark is another character, and two normal forms of a
/// name are equal. For the system the first is a slash, and the second are two files. Bytes that are not UTF-8 become replacement characters,
/// so that a message can show them.
package enum Path {
  /// Returns the absolute path without links, or nil if the system cannot resolve it.
  package static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Prepends the current directory to a relative path.
  ///
  /// - Throws: `EILSEQ` if the name of the current directory is not UTF-8.
  package static func absolute(_ path: String) throws(SystemError) -> String {
    guard path.utf8.first != UInt8(ascii: "/") else { return path }
    guard let current = getcwd(nil, 0) else { throw SystemError(code: errno) }
    defer { free(current) }
    guard let name = String(validatingCString: current) else { throw SystemError(code: EILSEQ) }
    return withTrailingSlash(name) + path
  }

  /// Returns the path up to the last slash, `.` for a bare name, or `/` for an entry of the root.
  package static func directory(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(decoding: path.utf8[..<slash], as: UTF8.self)
  }

  package static func lastComponent(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return String(decoding: path.utf8[path.utf8.index(after: slash)...], as: UTF8.self)
  }

  /// The loader searches for a name without a slash in its directories.
  package static func containsSlash(_ path: String) -> Bool { path.utf8.contains(UInt8(ascii: "/")) }

  /// A key for a dictionary. Paths are equal only if their bytes are.
  package static func key(_ path: String) -> [UInt8] { Array(path.utf8) }

  /// All paths below a directory begin with the result.
  static func withTrailingSlash(_ directory: String) -> String {
    directory.utf8.last == UInt8(ascii: "/") ? directory : directory + "/"
  }

  /// - Parameter followsLinks: False for the status of a link itself.
  package static func status(_ path: String, followsLinks: Bool = true) throws(SystemError) -> stat {
    var status = stat()
    guard (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { throw SystemError(code: errno) }
    return status
  }

  /// Returns the names of all entries except `.` and `..`, in no particular order.
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

extension stat {
  /// The kind of the file, such as `S_IFREG`.
  package var kind: mode_t { st_mode & S_IFMT }
}
