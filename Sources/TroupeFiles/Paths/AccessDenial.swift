internal import Glibc
internal import TroupeBase

/// Why a user may not read a file: the first object on the path that prevents it, a directory that may not be searched or the file itself,
/// and the remedy.
package struct AccessDenial {
  package let object: String
  /// Gives the user the permission. Nil if the object belongs to another user.
  package let command: String?
  /// Nil if a directory behind a link keeps it from being known.
  private let owner: uid_t?

  /// Returns nil if the user may read the file, or if another error than EACCES prevents that.
  package init?(_ path: String) {
    guard access(path, R_OK) != 0, errno == EACCES else { return nil }
    var closed = path
    var directory = ""
    for part in path.split(separator: "/").dropLast() where closed == path {
      directory += (directory.isEmpty && path.utf8.first != UInt8(ascii: "/") ? "" : "/") + part
      if access(directory, X_OK) != 0, errno == EACCES { closed = directory }
    }
    owner = (try? Path.status(closed))?.st_uid
    object = closed
    command = owner == geteuid() ? "chmod u+\(closed == path ? "r" : "x") \(closed.shellWord)" : nil
  }

  /// A clause for a diagnosis.
  package var remedy: String {
    if let command { return "give yourself the permission with \(command)" }
    let reason = owner.map { "belongs to \($0 == 0 ? "root" : "user \($0)")" } ?? "leads to a directory that you may not search"
    return "\(object) \(reason): ask for a copy that you may read"
  }
}
