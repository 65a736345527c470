internal import Glibc

/// Paths as text.
enum Path {
  /// The absolute path without links, or nil if there is nothing.
  static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// The directory that a path lies in; the current one for a bare name.
  static func directory(of path: String) -> String? {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// What stands behind the last slash.
  static func lastComponent(of path: String) -> String {
    String(path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...])
  }
}
