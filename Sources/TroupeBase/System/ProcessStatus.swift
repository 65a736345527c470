internal import Glibc

/// The state of the calling thread and its process in `/proc`; see proc(5).
///
/// The properties are lines of `/proc/thread-self/status`, which are only compared: before a plugin's code runs and after.
package struct ProcessStatus {
  /// The user and the groups.
  package let identity: [UInt8]
  package let capabilities: [UInt8]
  /// The allowed processors and memory nodes.
  package let places: [UInt8]
  /// The seccomp mode and filters.
  package let filters: [UInt8]

  package init() {
    var lines: [[UInt8]] = [[], [], [], []]
    for line in Self.bytes("/proc/thread-self/status").split(separator: UInt8(ascii: "\n")) {
      guard let index = Self.names.firstIndex(where: { $0.contains { line.starts(with: $0.utf8) } }) else { continue }
      lines[index] += line
    }
    (identity, capabilities, places, filters) = (lines[0], lines[1], lines[2], lines[3])
  }

  /// The prefixes of the lines for each property.
  private static let names = [["Uid:", "Gid:", "Groups:"], ["Cap"], ["Cpus_allowed:", "Mems_allowed:"], ["Seccomp"]]

  /// The IDs of the timers of timer_create(2).
  package static var timers: Set<String> {
    Set(text("/proc/self/timers").split(separator: "\n").filter { $0.utf8.starts(with: "ID:".utf8) }.map(String.init))
  }

  /// The namespaces of the thread and of its children.
  package static var namespaces: [String] {
    ["cgroup", "ipc", "mnt", "net", "pid_for_children", "time_for_children", "user", "uts"].map {
      var target = [CChar](repeating: 0, count: 64)
      let count = readlink("/proc/thread-self/ns/" + $0, &target, target.count)
      return String(decoding: target.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }

  /// Reads a file in `/proc`. Returns an empty text if that fails.
  package static func text(_ path: String) -> String {
    String(decoding: bytes(path), as: UTF8.self)
  }

  private static func bytes(_ path: String) -> [UInt8] {
    guard let file = try? FileDescriptor(opening: path, O_RDONLY) else { return [] }
    return (try? file.readToEnd()) ?? []
  }
}
