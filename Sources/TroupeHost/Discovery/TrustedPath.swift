internal import Glibc

/// Whether nobody but root and the user can change a file or put another in its place.
struct TrustedPath {
  /// What is wrong with an owner or a mode.
  struct Fault {
    /// The end of a sentence that begins with the file.
    let problem: String
    /// The command that mends it, without the file.
    let remedy: String
  }

  private let user: uid_t
  private let group: PrivateGroup
  /// What was found out about directories, which are few.
  private var directories: [(key: [UInt8], fault: Fault?)] = []

  init() {
    user = geteuid()
    group = PrivateGroup(of: user)
  }

  /// What is wrong with a file's owner and mode, or nil.
  func fault(inFile status: stat) -> Fault? {
    fault(status)
  }

  /// What is wrong with the directory of a file, or with one above it, or nil. The path is absolute and free of links. The
  /// answer is remembered.
  mutating func fault(inDirectoryOf path: String) -> Fault? {
    fault(inDirectory: Path.directory(of: path))
  }

  /// What is wrong with a directory, or with one above it, or nil. The path is absolute and free of links. The answer is
  /// remembered.
  mutating func fault(inDirectory directory: String) -> Fault? { fault(inDirectory: directory, isParent: false) }

  private mutating func fault(inDirectory directory: String, isParent: Bool) -> Fault? {
    let key = Path.key(directory) + (isParent ? [0] : [])
    if let known = directories.first(where: { $0.key == key }) { return known.fault }
    let fault = examine(directory, isParent: isParent)
    directories.append((key, fault))
    return fault
  }

  private mutating func examine(_ directory: String, isParent: Bool) -> Fault? {
    var status = stat()
    guard stat(directory, &status) == 0 else {
      let reason = SystemError(code: errno)
      return Fault(problem: "is in \(directory), which cannot be examined: \(reason)", remedy: "move the plugin")
    }
    // In a sticky directory, /tmp above all, others can add files but not rename or remove what is not theirs. That is
    // enough for a directory further up; in the plugin directory itself others could add plugins.
    let isSticky = isParent && status.st_mode & S_ISVTX != 0
    if let fault = fault(status, ignoringMode: isSticky) {
      return Fault(
        problem: "is in \(directory), which \(fault.problem)",
        remedy: "move the plugin to a directory of your own, or fix this one with \(fault.remedy)")
    }
    guard directory != "/" else { return nil }
    return fault(inDirectory: Path.directory(of: directory), isParent: true)
  }

  private func fault(_ status: stat, ignoringMode: Bool = false) -> Fault? {
    guard status.st_uid == 0 || status.st_uid == user else {
      return Fault(
        problem: "belongs to user \(status.st_uid), neither to root nor to the user who runs this (\(user))", remedy: "chown")
    }
    if ignoringMode { return nil }
    if status.st_mode & S_IWOTH != 0 { return Fault(problem: "is writable by all users", remedy: "chmod o-w") }
    if status.st_mode & S_IWGRP != 0 && status.st_gid != 0 && status.st_gid != group.identifier {
      return Fault(problem: "is writable by the group \(status.st_gid)", remedy: "chmod g-w")
    }
    return nil
  }
}
