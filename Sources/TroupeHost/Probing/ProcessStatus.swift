internal import Glibc

/// What `/proc` tells of the calling thread and its process that there is no function for, or a call for each piece; see proc(5).
struct ProcessStatus {
  /// The user and the groups.
  let identity: [Substring]
  /// What it may do that not everybody may.
  let capabilities: [Substring]
  /// The processors, and the parts of memory, that it may use.
  let places: [Substring]
  /// What of the kernel it may not use.
  let filters: [Substring]

  /// What is true now.
  init() {
    var lines: [[Substring]] = [[], [], [], []]
    for line in Self.text("/proc/thread-self/status").split(separator: "\n") {
      guard let index = Self.names.firstIndex(where: { $0.contains { line.utf8.starts(with: $0.utf8) } }) else { continue }
      lines[index].append(line)
    }
    (identity, capabilities, places, filters) = (lines[0], lines[1], lines[2], lines[3])
  }

  /// How the lines begin that each of the properties is made of.
  private static let names = [["Uid:", "Gid:", "Groups:"], ["Cap"], ["Cpus_allowed:", "Mems_allowed:"], ["Seccomp"]]

  /// The timers that timer_create(2) has made, by their numbers.
  static var timers: Set<String> {
    Set(text("/proc/self/timers").split(separator: "\n").filter { $0.utf8.starts(with: "ID:".utf8) }.map(String.init))
  }

  /// The namespaces of the thread, and those that its children will have.
  static var namespaces: [String] {
    ["cgroup", "ipc", "mnt", "net", "pid_for_children", "time_for_children", "user", "uts"].map {
      var target = [CChar](repeating: 0, count: 64)
      let count = readlink("/proc/thread-self/ns/" + $0, &target, target.count)
      return String(decoding: target.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }

  /// A file of `/proc`, which gives its content in as many pieces as it likes; empty if it is not there.
  private static func text(_ path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 13)
    while true {
      let count = read(descriptor, &piece, piece.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += piece[..<count]
    }
  }
}
