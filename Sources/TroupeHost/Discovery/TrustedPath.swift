internal import Glibc

/// Whether nobody but root and the user can change a file or put another in its place.
struct TrustedPath {
  private let user = geteuid()
  private let group = getegid()
  /// What was found out about directories.
  private var directories: [String: String?] = [:]

  init() {}

  /// What is wrong with a file's owner and mode, as the end of a sentence that begins with the file, or nil.
  func fault(inFile status: stat) -> String? {
    fault(status)
  }

  /// What is wrong with the directory of a file, or with one above it, as the end of a sentence that begins with the file,
  /// or nil. The path is absolute and free of links. The answer is remembered.
  mutating func fault(inDirectoryOf path: String) -> String? {
    guard let slash = path.lastIndex(of: "/") else { return nil }
    let directory = slash == path.startIndex ? "/" : String(path[..<slash])
    return fault(inDirectory: directory, isParent: false)
  }

  private mutating func fault(inDirectory directory: String, isParent: Bool) -> String? {
    let key = isParent ? "parent " + directory : directory
    if let known = directories[key] { return known }
    let fault = examine(directory, isParent: isParent)
    directories[key] = .some(fault)
    return fault
  }

  private mutating func examine(_ directory: String, isParent: Bool) -> String? {
    var status = stat()
    guard stat(directory, &status) == 0 else {
      return "is in \(directory), which cannot be examined: \(SystemError(code: errno))"
    }
    // In a sticky directory, /tmp above all, others can add files but not rename or remove what is not theirs. That is
    // enough for a directory further up; in the plugin directory itself others could add plugins.
    let isSticky = isParent && status.st_mode & S_ISVTX != 0
    if let fault = fault(status, ignoringMode: isSticky) { return "is in \(directory), which \(fault)" }
    guard directory != "/", let slash = directory.lastIndex(of: "/") else { return nil }
    return fault(inDirectory: slash == directory.startIndex ? "/" : String(directory[..<slash]), isParent: true)
  }

  private func fault(_ status: stat, ignoringMode: Bool = false) -> String? {
    guard status.st_uid == 0 || status.st_uid == user else {
      return "belongs to user \(status.st_uid), neither to root nor to the user who runs this (\(user))"
    }
    if ignoringMode { return nil }
    if status.st_mode & S_IWOTH != 0 { return "is writable by everybody" }
    // A group of one's own, as many systems give to each user, is nobody else.
    if status.st_mode & S_IWGRP != 0 && status.st_gid != 0 && status.st_gid != group {
      return "is writable by the group \(status.st_gid)"
    }
    return nil
  }
}
