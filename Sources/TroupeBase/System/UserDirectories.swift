internal import CLinux
internal import Glibc

/// Troupe's directories of a user, by the XDG Base Directory Specification.
///
/// Each is nil for a user without a home. A home that does not exist, such as that of a service, counts as none: root does not create it.
package enum UserDirectories {
  /// Files that can be created again: `$XDG_CACHE_HOME/troupe`, by default `~/.cache/troupe`.
  package static var cache: String? { directory("XDG_CACHE_HOME", ".cache") }
  /// Files that have to be kept: `$XDG_STATE_HOME/troupe`, by default `~/.local/state/troupe`.
  package static var state: String? { directory("XDG_STATE_HOME", ".local/state") }
  /// The user's configuration: `$XDG_CONFIG_HOME/troupe`, by default `~/.config/troupe`.
  package static var configuration: String? { directory("XDG_CONFIG_HOME", ".config") }
  /// Files that the user installs: `$XDG_DATA_HOME/troupe`, by default `~/.local/share/troupe`.
  package static var data: String? { directory("XDG_DATA_HOME", ".local/share") }

  /// Explains in a message why a variable of the specification leads to no directory.
  package static func absence(of variable: String) -> String {
    guard let home = absolute("HOME") else { return "neither \(variable) nor HOME is set" }
    return "\(variable) is not set, and HOME is \(home), which does not exist"
  }

  private static func directory(_ variable: String, _ fallback: String) -> String? {
    if let directory = absolute(variable) { return directory + "/troupe" }
    guard let home = absolute("HOME"), access(home, F_OK) == 0 else { return nil }
    return "\(home)/\(fallback)/troupe"
  }

  /// Ignores a relative path. The specification requires this, and a relative home would be a
  /// different directory in each working directory.
  private static func absolute(_ variable: String) -> String? {
    Environment.value(variable).flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
  }
}

/// The environment of the process, for variables that decide which files are read.
package enum Environment {
  /// Treats an empty variable as unset, and ignores all variables in a process with more rights than its user; see secure_getenv(3).
  package static func value(_ name: String) -> String? {
    linux_secure_getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the value with which the process was started, before calls of setenv(3), by the rules of `value(_:)`. A program that writes
  /// its title over its arguments overwrites the environment, too.
  package static func initialValue(_ name: String) -> String? {
    guard !linux_is_secure() else { return nil }
    guard let initial else { return value(name) }
    let prefix = Array("\(name)=".utf8)
    // The loader takes the last one.
    let line = initial.split(separator: 0).last { $0.starts(with: prefix) }
    return line.map { String(decoding: $0.dropFirst(prefix.count), as: UTF8.self) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Nil if the system does not tell.
  private static let initial = (try? FileDescriptor(opening: "/proc/self/environ", O_RDONLY).readToEnd()) as [UInt8]?
}
