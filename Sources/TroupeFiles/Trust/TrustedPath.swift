internal import Glibc
internal import TroupeBase

/// Checks that only root and the user can change a file or redirect its path.
///
/// Checks every directory and link on the path step by step. Callers open the file from the last checked directory.
///
/// **Unknown owners.** In a user namespace that maps only some users, as in bubblewrap, Flatpak and rootless containers, the files of all
/// others show one id, the overflow id: those of root like those of an attacker. Such an owner is trusted only
///
/// - of a file, a link, or the directory of a file, below a directory from which this process runs code already (`CodeDirectories`), with
///   no directory on the path in which other users may write. Whoever owns these files could change the process itself.
/// - of a directory further up, such as `/` and `/home`. Its owner could exchange what is below, but only for another directory and another
///   file of the user: those of anyone else are refused.
/// - if the content is pinned, since a host with pins opens a copy that it has compared with them.
package struct TrustedPath {
  /// A permission or owner that lets another user make changes.
  struct Fault {
    /// The problem, as the end of a sentence that begins with the file.
    let problem: String
    let remedy: Remedy
  }

  /// What this user can do about a fault.
  package enum Remedy: Equatable {
    /// A command, without the object as its last word. The user is root or owns the object.
    case command(String)
    /// A copy in a directory of the user: only root or another user can change the object.
    case copy
    /// Pins, since the owner is unknown.
    case pin
    /// A user namespace in which the user has an id of its own.
    case mapUser
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
    /// Whether the owner of a file in the directory may be unknown.
    let trustsUnknownOwners: Bool
  }

  private let user: uid_t
  /// The id of all users whom the user namespace does not map; nil if it maps all.
  private let unknownOwner: uid_t?
  /// Whether no other user has the id of the user.
  private let isUserMapped: Bool
  private let group: PrivateGroup
  private let comparesPins: Bool

  /// - Parameter comparesPins: Whether the caller compares the content of each file with pins and opens a copy of it, so that the owners of
  ///   its path may be unknown.
  package init(comparesPins: Bool = false) {
    user = geteuid()
    let namespace = UserNamespace()
    unknownOwner = namespace.unknownOwner
    isUserMapped = namespace.isMapped(user)
    group = PrivateGroup(of: user)
    self.comparesPins = comparesPins
  }

  /// Follows a path and checks all directories and links on it. Throws a `SystemError` if the path leads nowhere.
  func locate(_ path: String) throws(SystemError) -> Location {
    let end = try follow(path)
    return Location(
      directory: end.walk.directory, name: end.walk.name, path: end.walk.path,
      fault: end.found.map { Self.fault($0, end: end.walk.path) }, trustsUnknownOwners: end.trustsUnknownOwners)
  }

  /// Returns the file, or the directory or link on its path, that another user can change, with the problem and the remedy; nil if there is
  /// none. Throws a `SystemError` if the path leads nowhere.
  package func untrusted(_ path: String) throws(SystemError) -> (object: String, problem: String, remedy: Remedy)? {
    let end = try follow(path)
    if let (object, fault) = end.found { return (object, fault.problem, fault.remedy) }
    guard end.walk.name != "." else { return nil }
    var status = stat()
    let file = end.walk.path
    guard stat(file, &status) == 0 else { throw SystemError(code: errno) }
    return fault(status, trustsUnknownOwners: end.trustsUnknownOwners) { () throws(SystemError) in
      try AccessControlList(at: file)
    }.map { (file, $0.problem, $0.remedy) }
  }

  /// The end of a path.
  private struct End {
    var walk: PathWalk
    /// The first object on the path that another user can change.
    var found: (object: String, fault: Fault)?
    var trustsUnknownOwners = false
  }

  private func follow(_ path: String) throws(SystemError) -> End {
    var end = End(walk: try PathWalk(Path.absolute(path)))
    // Whether other users may add entries to a directory on the path.
    var isShared = false
    func trustsUnknownOwners(in directory: String, orAbove: Bool = false) -> Bool {
      if comparesPins || unknownOwner == nil { return comparesPins }
      return !isShared && (CodeDirectories.contain(directory) || orAbove && CodeDirectories.isAbove(directory))
    }
    while let lookup = end.walk.next {
      let directory = end.walk.directory
      let entry = try end.walk.advance()
      // In a sticky directory such as /tmp, other users can add entries, but not rename or remove the user's. That suffices for a
      // directory or a link in it, but not for the directory of a plugin, to which others could add plugins.
      let isFile = entry.st_mode & S_IFMT != S_IFDIR && entry.st_mode & S_IFMT != S_IFLNK
      let status = try directory.status()
      isShared = isShared || status.st_mode & (S_IWOTH | S_IWGRP) != 0
      guard end.found == nil else { continue }
      if let fault = fault(
        in: directory, status, allowsSticky: !isFile,
        trustsUnknownOwners: !isFile || trustsUnknownOwners(in: lookup.directory))
      {
        end.found = (lookup.directory, fault)
      } else if entry.st_mode & S_IFMT == S_IFLNK,
        let fault = fault(inOwner: entry, trustsUnknownOwners: trustsUnknownOwners(in: lookup.directory, orAbove: true))
      {
        end.found = (lookup.path, fault)
      }
    }
    let last = end.walk.name == "." ? end.walk.path : Path.directory(of: end.walk.path)
    if end.found == nil, end.walk.name == "." {
      let status = try end.walk.directory.status()
      isShared = isShared || status.st_mode & (S_IWOTH | S_IWGRP) != 0
      let fault = fault(in: end.walk.directory, status, allowsSticky: false, trustsUnknownOwners: trustsUnknownOwners(in: last))
      end.found = fault.map { (last, $0) }
    }
    end.trustsUnknownOwners = trustsUnknownOwners(in: last)
    return end
  }

  /// Throws a `Diagnosis` if another user can change an open file or its path.
  ///
  /// - Parameters:
  ///   - fault: The fault of the path; nil if only root and the user can redirect it.
  ///   - trustsUnknownOwners: Whether the owner of the file may be unknown, see `Location`.
  func check(_ file: PluginFile, _ path: String, _ fault: Fault?, trustsUnknownOwners: Bool) throws(Diagnosis) {
    let own = self.fault(file.status, trustsUnknownOwners: trustsUnknownOwners) { () throws(SystemError) in
      try AccessControlList(ofFile: file.bytes.descriptor.number)
    }
    if let own {
      throw Diagnosis(.untrusted, path, problem: own.problem, remedy: own.remedy.sentence(for: path) { "fix it with \($0)" })
    }
    if let fault { throw fault.diagnosis(of: path) }
  }

  private func fault(
    in directory: OpenDirectory, _ status: stat, allowsSticky: Bool, trustsUnknownOwners: Bool
  ) -> Fault? {
    if allowsSticky && status.st_mode & S_ISVTX != 0 { return fault(inOwner: status, trustsUnknownOwners: trustsUnknownOwners) }
    return fault(status, trustsUnknownOwners: trustsUnknownOwners) { () throws(SystemError) in
      try AccessControlList(at: directory.descriptorPath)
    }
  }

  /// Converts the fault of a directory or link on the path to a fault of the file.
  private static func fault(_ found: (object: String, fault: Fault), end: String) -> Fault {
    let (object, fault) = found
    let isAbove = end == object || end.utf8.starts(with: Path.prefix(object).utf8)
    let problem = "is \(isAbove ? "in" : "reached through") \(object), which \(fault.problem)"
    guard case .command(let command) = fault.remedy else { return Fault(problem: problem, remedy: fault.remedy) }
    return Fault(problem: problem, remedy: .command("\(command) \(object)"))
  }

  private func fault(
    _ status: stat, trustsUnknownOwners: Bool, _ list: () throws(SystemError) -> AccessControlList?
  ) -> Fault? {
    if let fault = fault(inOwner: status, trustsUnknownOwners: trustsUnknownOwners) { return fault }
    let isOwner = user == 0 || status.st_uid == user
    func open(_ problem: String, _ command: String) -> Fault {
      Fault(problem: problem, remedy: isOwner ? .command(command) : .copy)
    }
    if status.st_mode & S_IWOTH != 0 { return open("is writable by all users", "chmod o-w") }
    guard status.st_mode & S_IWGRP != 0 else { return nil }
    do throws(SystemError) {
      for party in try list()?.writers ?? [.owningGroup] {
        if let (problem, command) = writer(party, group: status.st_gid) { return open(problem, command) }
      }
    } catch {
      return open("has an access control list that cannot be read: \(error)", "chmod g-w")
    }
    return nil
  }

  private func fault(inOwner status: stat, trustsUnknownOwners: Bool) -> Fault? {
    let owner = status.st_uid
    if owner == 0 || owner == user && isUserMapped { return nil }
    if let unknownOwner, owner == unknownOwner {
      if trustsUnknownOwners { return nil }
      return Fault(
        problem: "belongs to user \(owner), the id of all users outside of the user namespace",
        remedy: isUserMapped ? .pin : .mapUser)
    }
    return Fault(
      problem: "belongs to user \(owner), neither to root nor to the user who runs this (\(user))",
      remedy: user == 0 ? .command("chown root") : .copy)
  }

  /// The problem and the command for a party that may write, or nil if the party is root or the user.
  private func writer(_ party: AccessControlList.Party, group owner: gid_t) -> (problem: String, command: String)? {
    switch party {
    case .user(let id):
      guard id != 0 && id != user else { return nil }
      return ("is writable by the user \(id), by its access control list", "setfacl -x user:\(id)")
    case .group(let id):
      guard !isPrivate(id) else { return nil }
      return ("is writable by the group \(id), by its access control list", "setfacl -x group:\(id)")
    case .owningGroup:
      guard !isPrivate(owner) else { return nil }
      return ("is writable by the group \(owner)", "chmod g-w")
    }
  }

  private func isPrivate(_ id: gid_t) -> Bool { id == 0 || id == group.identifier }
}

extension TrustedPath.Fault {
  /// The diagnosis of a file whose path has the fault. A command contains the directory or link.
  func diagnosis(of path: String) -> Diagnosis {
    let remedy = remedy.sentence(for: path) { "move it to a directory of your own, or fix this with \($0)" }
    return Diagnosis(.untrusted, path, problem: problem, remedy: remedy)
  }
}

extension TrustedPath.Remedy {
  /// The remedy as a sentence without its first capital letter.
  ///
  /// - Parameters:
  ///   - path: The file that cannot be used.
  ///   - command: Returns the sentence for a command.
  package func sentence(for path: String, _ command: (String) -> String) -> String {
    switch self {
    case .command(let text): command(text)
    case .copy: "copy it to a directory of your own"
    case .pin: "if you trust it, pin it with troupe pin \(path), and use the pins with --pins"
    case .mapUser: "map your user, as unshare --map-current-user does"
    }
  }
}
