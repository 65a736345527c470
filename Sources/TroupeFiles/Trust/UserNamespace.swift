internal import Glibc
internal import TroupeBase

/// The user namespace of the process: which users outside have an ID inside; see user_namespaces(7).
struct UserNamespace {
  /// The ID of all users without a mapping, if it is known.
  private let overflow: UInt64?
  /// Each line has the first ID inside, the first ID outside, and the number of IDs.
  private let map: [[UInt64]]

  /// Without /proc, or without user namespaces in the kernel, the namespace is the first one.
  init() {
    let hasMap = access("/proc/self/uid_map", F_OK) == 0
    self.init(
      overflow: hasMap ? ProcessStatus.text("/proc/sys/kernel/overflowuid") : "",
      map: hasMap ? ProcessStatus.text("/proc/self/uid_map") : "")
  }

  /// Parses the contents of `overflowuid` and `uid_map`.
  init(overflow: String, map: String) {
    self.overflow = overflow.wholeNumbers.first
    self.map = map.split(separator: "\n").map(\.wholeNumbers).filter { $0.count == 3 }
  }

  /// The overflow ID. Nil if this namespace maps all users, as the first namespace does.
  var unknownOwner: uid_t? {
    let count = map.reduce(0) { $0 &+ $1[2] }
    // The ID -1 belongs to no user.
    guard count < UInt64(uid_t.max) else { return nil }
    return overflow.flatMap(uid_t.init(exactly:))
  }

  /// Returns false if several users may have the ID.
  func isMapped(_ user: uid_t) -> Bool {
    let user = UInt64(user)
    guard user == overflow else { return true }
    return map.contains { $0[0] <= user && user - $0[0] < $0[2] }
  }
}

extension StringProtocol {
  fileprivate var wholeNumbers: [UInt64] { split { !$0.isWholeNumber }.compactMap { UInt64($0) } }
}
