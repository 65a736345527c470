internal import Glibc
internal import TroupeBase

/// The user namespace of the process, see user_namespaces(7).
struct UserNamespace {
  /// The id that all users without a mapping have; nil if it is not known.
  private let overflow: UInt64?
  /// Each line has the first id inside, the first id outside, and the number of ids.
  private let map: [[UInt64]]

  /// Reads the namespace. Without /proc, or without user namespaces in the kernel, it is the first one.
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

  /// The overflow id if this namespace does not map all users; nil if it does, as the first namespace.
  var unknownOwner: uid_t? {
    let count = map.reduce(0) { $0 &+ $1[2] }
    // The id -1 belongs to no user.
    guard count < UInt64(uid_t.max) else { return nil }
    return overflow.flatMap(uid_t.init(exactly:))
  }

  /// Whether a user id belongs to one user only, as far as it is known.
  func isMapped(_ user: uid_t) -> Bool {
    let user = UInt64(user)
    guard user == overflow else { return true }
    return map.contains { $0[0] <= user && user - $0[0] < $0[2] }
  }
}

extension StringProtocol {
  fileprivate var wholeNumbers: [UInt64] { split { !$0.isWholeNumber }.compactMap { UInt64($0) } }
}
