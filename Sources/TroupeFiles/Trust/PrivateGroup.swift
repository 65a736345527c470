internal import Glibc
internal import Synchronization

/// The private group of a user, of which no other user is a member; many systems create one for each user. Looked up at the first use.
/// Thread-safe.
final class PrivateGroup: Sendable {
  private enum Answer {
    case unknown
    case known(gid_t?)
  }

  private let user: uid_t
  private let answer = Mutex(Answer.unknown)

  /// Creates the lookup for a user.
  init(of user: uid_t) { self.user = user }

  /// The group id, or nil if the user's primary group has another name than the user, or another member. A member is a user listed in
  /// an entry of the group, or a user whose primary group it is.
  ///
  /// Cost: reads all entries of the users and groups, once.
  var identifier: gid_t? {
    answer.withLock { answer in
      if case .known(let group) = answer { return group }
      let group = Self.find(user)
      answer = .known(group)
      return group
    }
  }

  /// Protects the results of the C library, which are in static memory.
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

  /// Whether an entry of a group lists another user.
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
