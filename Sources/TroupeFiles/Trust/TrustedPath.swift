internal import Glibc
internal import TroupeBase

/// Checks that only root and the user can change a file or redirect its path.
///
/// Whoever can write to a directory on the path can put another file in place. So the path is followed one name at a time, each directory
/// is opened from the one before, and the owner and permissions of each directory and link are checked:
///
///     /home/ada/plugins/a.so     /  ✓    home  ✓    ada  ✓    plugins: writable by the group ✗    a.so
///
/// Callers then open the file from the last checked directory, so that no rename between check and use matters. What is wrong is an
/// `Exposure`, with a remedy that depends on who owns the object.
///
/// **Unknown owners.** In a user namespace that maps only some users, as in bubblewrap, Flatpak and rootless containers, the files of all
/// others show one ID, the overflow ID: those of root like those of an attacker. Such an owner is trusted only
///
/// - of a file, a link, or the directory of a file, below a directory from which this process runs code already (`CodeDirectories`), with
///   no directory on the path in which other users may write. Whoever owns these files could change the process itself.
/// - of a directory further up, such as `/` and `/home`. Its owner could exchange what is below, but only for another directory and another
///   file of the user: those of anyone else are refused.
/// - if the content is pinned, since a host with pins opens a copy that it has compared with them.
package struct TrustedPath {
  /// A permission or owner that lets another user make changes.
  struct Exposure {
    /// The end of a sentence that begins with the file.
    let problem: String
    let remedy: Remedy
  }

  /// How this user can end an exposure.
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

  /// The entry at the end of a path that was followed.
  struct Location {
    /// The open directory of the entry.
    let directory: OpenDirectory
    /// The entry's name, or `.` for the directory itself.
    let name: String
    /// The absolute path without links.
    let path: String
    /// The exposure of a directory or link on the path. The entry itself is not checked unless it is a directory.
    let exposure: Exposure?
    /// True if the owner of a file in the directory may be unknown.
    let trustsUnknownOwners: Bool
  }

  private let user: uid_t
  /// The ID of all users whom the user namespace does not map. Nil if it maps all.
  private let unknownOwner: uid_t?
  /// False if other users have the same ID.
  private let isUserMapped: Bool
  private let group: PrivateGroup
  private let comparesPins: Bool

  /// - Parameter comparesPins: Pass true if the caller compares the content of each file with pins and opens a copy of it. The owners of its
  ///   path may then be unknown.
  package init(comparesPins: Bool = false) {
    user = geteuid()
    let namespace = UserNamespace()
    unknownOwner = namespace.unknownOwner
    isUserMapped = namespace.isMapped(user)
    group = PrivateGroup(of: user)
    self.comparesPins = comparesPins
  }

  /// Checks all directories and links on a path. Throws if the path leads nowhere.
  func locate(_ path: String) throws(SystemError) -> Location {
    let end = try follow(path)
    return Location(
      directory: end.walk.directory, name: end.walk.name, path: end.walk.path,
      exposure: end.found.map { Self.exposure($0, end: end.walk.path) }, trustsUnknownOwners: end.trustsUnknownOwners)
  }

  /// Returns the first object that another user can change: the file, or a directory or link on its path. Throws if the path leads nowhere.
  package func untrusted(_ path: String) throws(SystemError) -> (object: String, problem: String, remedy: Remedy)? {
    let end = try follow(path)
    if let (object, exposure) = end.found { return (object, exposure.problem, exposure.remedy) }
    guard end.walk.name != "." else { return nil }
    let file = end.walk.path
    let exposure = exposure(
      try Path.status(file), trustsUnknownOwners: end.trustsUnknownOwners, try AccessControlList(at: file))
    return exposure.map { (file, $0.problem, $0.remedy) }
  }

  private struct End {
    var walk: PathWalk
    /// The first object on the path that another user can change.
    var found: (object: String, exposure: Exposure)?
    var trustsUnknownOwners = false
  }

  private func follow(_ path: String) throws(SystemError) -> End {
    var end = End(walk: try PathWalk(Path.absolute(path)))
    // Other users may add entries to a directory on the path.
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
      let isFile = entry.kind != S_IFDIR && entry.kind != S_IFLNK
      let status = try directory.status()
      isShared = isShared || status.st_mode & (S_IWOTH | S_IWGRP) != 0
      guard end.found == nil else { continue }
      if let exposure = exposure(
        in: directory, status, allowsSticky: !isFile,
        trustsUnknownOwners: !isFile || trustsUnknownOwners(in: lookup.directory))
      {
        end.found = (lookup.directory, exposure)
      } else if entry.kind == S_IFLNK,
        let exposure = exposure(inOwner: entry, trustsUnknownOwners: trustsUnknownOwners(in: lookup.directory, orAbove: true))
      {
        end.found = (lookup.path, exposure)
      }
    }
    let last = end.walk.name == "." ? end.walk.path : Path.directory(of: end.walk.path)
    if end.found == nil, end.walk.name == "." {
      let status = try end.walk.directory.status()
      isShared = isShared || status.st_mode & (S_IWOTH | S_IWGRP) != 0
      let exposure = exposure(
        in: end.walk.directory, status, allowsSticky: false, trustsUnknownOwners: trustsUnknownOwners(in: last))
      end.found = exposure.map { (last, $0) }
    }
    end.trustsUnknownOwners = trustsUnknownOwners(in: last)
    return end
  }

  /// Throws a `Diagnosis` if another user can change an open file or its path.
  ///
  /// - Parameters:
  ///   - exposure: The exposure of the path.
  ///   - trustsUnknownOwners: See `Location`.
  func check(
    _ descriptor: borrowing FileDescriptor, _ status: stat, _ path: String, _ exposure: Exposure?, trustsUnknownOwners: Bool
  ) throws(Diagnosis) {
    let rawValue = descriptor.rawValue
    if let own = self.exposure(status, trustsUnknownOwners: trustsUnknownOwners, try AccessControlList(ofFile: rawValue)) {
      throw Diagnosis(.untrusted, path, problem: own.problem, remedy: own.remedy.sentence(for: path) { "fix it with \($0)" })
    }
    if let exposure { throw exposure.diagnosis(of: path) }
  }

  private func exposure(
    in directory: OpenDirectory, _ status: stat, allowsSticky: Bool, trustsUnknownOwners: Bool
  ) -> Exposure? {
    if allowsSticky && status.st_mode & S_ISVTX != 0 {
      return exposure(inOwner: status, trustsUnknownOwners: trustsUnknownOwners)
    }
    return exposure(status, trustsUnknownOwners: trustsUnknownOwners, try AccessControlList(at: directory.descriptorPath))
  }

  /// Converts the exposure of a directory or link on the path to that of the file.
  private static func exposure(_ found: (object: String, exposure: Exposure), end: String) -> Exposure {
    let (object, exposure) = found
    let isAbove = end == object || end.utf8.starts(with: Path.withTrailingSlash(object).utf8)
    let problem = "is \(isAbove ? "in" : "reached through") \(object), which \(exposure.problem)"
    guard case .command(let command) = exposure.remedy else { return Exposure(problem: problem, remedy: exposure.remedy) }
    return Exposure(problem: problem, remedy: .command("\(command) \(object)"))
  }

  /// - Parameter list: Read only for a file that its group may write.
  private func exposure(
    _ status: stat, trustsUnknownOwners: Bool, _ list: @autoclosure () throws(SystemError) -> AccessControlList?
  ) -> Exposure? {
    if let exposure = exposure(inOwner: status, trustsUnknownOwners: trustsUnknownOwners) { return exposure }
    let isOwner = user == 0 || status.st_uid == user
    func open(_ problem: String, _ command: String) -> Exposure {
      Exposure(problem: problem, remedy: isOwner ? .command(command) : .copy)
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

  private func exposure(inOwner status: stat, trustsUnknownOwners: Bool) -> Exposure? {
    let owner = status.st_uid
    if owner == 0 || owner == user && isUserMapped { return nil }
    if let unknownOwner, owner == unknownOwner {
      if trustsUnknownOwners { return nil }
      return Exposure(
        problem: "belongs to user \(owner), the id of all users outside of the user namespace",
        remedy: isUserMapped ? .pin : .mapUser)
    }
    return Exposure(
      problem: "belongs to user \(owner), neither to root nor to the user who runs this (\(user))",
      remedy: user == 0 ? .command("chown root") : .copy)
  }

  /// Returns nil for root and the user.
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

  private func isPrivate(_ id: gid_t) -> Bool { id == 0 || id == group.id }
}

extension TrustedPath.Exposure {
  /// The path of the file has the exposure. A command contains the directory or link.
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
