internal import Glibc

/// The user namespace of the process, see user_namespaces(7).
enum UserNamespace {
  /// Whether a user id belongs to one user only. All users without a mapping in this namespace have the overflow id.
  static func isMapped(_ user: uid_t) -> Bool {
    guard let overflow = ProcessStatus.text("/proc/sys/kernel/overflowuid").wholeNumbers.first else { return true }
    return isMapped(UInt64(user), overflow: overflow, map: ProcessStatus.text("/proc/self/uid_map"))
  }

  /// Implements `isMapped(_:)` on the contents of the files. Each line of the map has the first id inside, the first id outside, and
  /// the number of ids.
  static func isMapped(_ user: UInt64, overflow: UInt64, map: String) -> Bool {
    guard user == overflow else { return true }
    return map.split(separator: "\n").contains { line in
      let numbers = line.wholeNumbers
      return numbers.count == 3 && numbers[0] <= user && user - numbers[0] < numbers[2]
    }
  }
}

extension StringProtocol {
  fileprivate var wholeNumbers: [UInt64] { split { !$0.isWholeNumber }.compactMap { UInt64($0) } }
}
