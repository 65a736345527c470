internal import Glibc

/// Checks that only root and the user can change a file or redirect its path.
///
/// Checks every directory and link on the path step by step. Callers open the file from the last checked directory.
package struct TrustedPath {
  /// A permission or owner that lets another user make changes.
  struct Fault {
    /// The problem, as the end of a sentence that begins with the file.
    let problem: String
    /// The command that fixes it, without the file.
    let remedy: String
  }

  /// The end of a path.
  struct Location {
    /// The open directory of the entry.
    let directory: OpenDirectory
    /// The entry's name; `.` for the directory itself.
    let name: String
    /// The absolute path without links.
    let path: String
    /// The fault of a directory or link on the path, or nil. The entry itself is not checked unless it is a directory.
    let fault: Fault?
  }

  private let user: uid_t
  /// Whether no other user has the id of the user.
  private let isUserMapped: Bool
  private let group: PrivateGroup

  package init() {
    user = geteuid()
    isUserMapped = UserNamespace.isMapped(user)
    group = PrivateGroup(of: user)
  }

  /// Follows a path and checks all directories and links on it. Throws a `SystemError` if the path leads nowhere.
  func locate(_ path: String) throws(SystemError) -> Location {
    let (walk, found) = try follow(path)
    return Location(
      directory: walk.directory, name: walk.name, path: walk.path, fault: found.map { Self.fault($0, end: walk.path) })
  }

  /// Returns the file, or the directory or link on its path, that another user can change, with the problem and the command that fixes it;
  /// nil if there is none. Throws a `SystemError` if the path leads nowhere.
  package func untrusted(_ path: String) throws(SystemError) -> (object: String, problem: String, command: String)? {
    let (walk, found) = try follow(path)
    if let (object, fault) = found { return (object, fault.problem, fault.remedy) }
    guard walk.name != "." else { return nil }
    var status = stat()
    guard stat(walk.path, &status) == 0 else { throw SystemError(code: errno) }
    return fault(status) { () throws(SystemError) in try AccessControlList(at: walk.path) }.map {
      (walk.path, $0.problem, $0.remedy)
    }
  }

  /// Follows a path, with the first object on it that another user can change.
  private func follow(_ path: String) throws(SystemError) -> (PathWalk, found: (object: String, fault: Fault)?) {
    var walk = try PathWalk(Path.absolute(path))
    var found: (object: String, fault: Fault)?
    while let lookup = walk.next {
      let directory = walk.directory
      let entry = try walk.advance()
      // In a sticky directory such as /tmp, other users can add entries, but not rename or remove the user's. That suffices for a
      // directory or a link in it, but not for the directory of a plugin, to which others could add plugins.
      let isFile = entry.st_mode & S_IFMT != S_IFDIR && entry.st_mode & S_IFMT != S_IFLNK
      guard found == nil else { continue }
      if let fault = try fault(in: directory, allowsSticky: !isFile) {
        found = (lookup.directory, fault)
      } else if entry.st_mode & S_IFMT == S_IFLNK, let fault = fault(inOwner: entry) {
        found = (lookup.path, fault)
      }
    }
    if found == nil, walk.name == ".", let fault = try fault(in: walk.directory, allowsSticky: false) {
      found = (walk.path, fault)
    }
    return (walk, found)
  }

  /// Throws a `Diagnosis` if another user can change an open file or its path.
  ///
  /// - Parameter fault: The fault of the path; nil if only root and the user can redirect it.
  func check(_ file: PluginFile, _ path: String, _ fault: Fault?) throws(Diagnosis) {
    let own = self.fault(file.status) { () throws(SystemError) in
      try AccessControlList(ofFile: file.bytes.descriptor.number)
    }
    if let own { throw Diagnosis(.untrusted, path, problem: own.problem, remedy: "fix it with \(own.remedy)") }
    if let fault { throw Diagnosis(.untrusted, path, problem: fault.problem, remedy: fault.remedy) }
  }

  private func fault(in directory: OpenDirectory, allowsSticky: Bool) throws(SystemError) -> Fault? {
    let status = try directory.status()
    if allowsSticky && status.st_mode & S_ISVTX != 0 { return fault(inOwner: status) }
    return fault(status) { () throws(SystemError) in try AccessControlList(at: directory.descriptorPath) }
  }

  /// Converts the fault of a directory or link on the path to a fault of the file.
  private static func fault(_ found: (object: String, fault: Fault), end: String) -> Fault {
    let (object, fault) = found
    let isAbove = end == object || end.utf8.starts(with: Directory.prefix(object).utf8)
    return Fault(
      problem: "is \(isAbove ? "in" : "reached through") \(object), which \(fault.problem)",
      remedy: "move it to a directory of your own, or fix \(isAbove ? "this one" : object) with \(fault.remedy)")
  }

  private func fault(_ status: stat, _ list: () throws(SystemError) -> AccessControlList?) -> Fault? {
    if let fault = fault(inOwner: status) { return fault }
    if status.st_mode & S_IWOTH != 0 { return Fault(problem: "is writable by all users", remedy: "chmod o-w") }
    guard status.st_mode & S_IWGRP != 0 else { return nil }
    do throws(SystemError) {
      for party in try list()?.writers ?? [.owningGroup] {
        if let fault = fault(party, group: status.st_gid) { return fault }
      }
    } catch {
      return Fault(problem: "has an access control list that cannot be read: \(error)", remedy: "chmod g-w")
    }
    return nil
  }

  private func fault(inOwner status: stat) -> Fault? {
    guard status.st_uid != 0 && status.st_uid != user else {
      if status.st_uid == 0 || isUserMapped { return nil }
      return Fault(
        problem: "belongs to user \(status.st_uid), the id of all users outside of the user namespace",
        remedy: "unshare --map-current-user")
    }
    return Fault(
      problem: "belongs to user \(status.st_uid), neither to root nor to the user who runs this (\(user))", remedy: "chown")
  }

  /// The fault of a party that may write, or nil if the party is root or the user.
  private func fault(_ party: AccessControlList.Party, group owner: gid_t) -> Fault? {
    switch party {
    case .user(let id):
      guard id != 0 && id != user else { return nil }
      return Fault(problem: "is writable by the user \(id), by its access control list", remedy: "setfacl -x user:\(id)")
    case .group(let id):
      guard !isPrivate(id) else { return nil }
      return Fault(problem: "is writable by the group \(id), by its access control list", remedy: "setfacl -x group:\(id)")
    case .owningGroup:
      guard !isPrivate(owner) else { return nil }
      return Fault(problem: "is writable by the group \(owner)", remedy: "chmod g-w")
    }
  }

  private func isPrivate(_ id: gid_t) -> Bool { id == 0 || id == group.identifier }
}
