internal import Glibc
internal import Synchronization

/// The private group of a user: it has the user's name and no other member. Many systems create one for each user, with files that are
/// writable by it, so a file of this group is as good as one of the user.
///
/// The group is looked up at the first use, which reads all users and groups. Thread-safe.
final class PrivateGroup: Sendable {
  private let user: uid_t
  /// The outer value is nil before the lookup.
  private let found = Mutex<gid_t??>(nil)

  init(of user: uid_t) { self.user = user }

  /// Nil if the user's primary group has another name than the user, or another member: a user listed in an entry of the group, or a user
  /// whose primary group it is.
  var id: gid_t? {
    found.withLock { found in
      let group = found ?? Self.find(user)
      found = .some(group)
      return group
    }
  }

  /// The results of the C library are in static memory.
  private static let database = Mutex<Void>(())

  private static func find(_ user: uid_t) -> gid_t? {
    database.withLock { _ in
      guard let account = getpwuid(user) else { return nil }
      let (name, group) = (String(cString: account.pointee.pw_name), account.pointee.pw_gid)
      guard let entry = getgrgid(group), String(cString: entry.pointee.gr_name) == name, !hasOtherMember(group, than: name),
        !isFirstGroup(group, ofOtherThan: user)
      else { return nil }
      return group
    }
  }

  private static func hasOtherMember(_ group: gid_t, than name: String) -> Bool {
    setgrent()
    defer { endgrent() }
    while let entry = getgrent() {
      guard entry.pointee.gr_gid == group, var member = entry.pointee.gr_mem else { continue }
      while let other = member.pointee {
        if String(cString: other) != name { return true }
        member += 1
      }
    }
    return false
  }

  private static func isFirstGroup(_ group: gid_t, ofOtherThan user: uid_t) -> Bool {
    setpwent()
    defer { endpwent() }
    while let account = getpwent() {
      if account.pointee.pw_gid == group && account.pointee.pw_uid != user { return true }
    }
    return false
  }
}
