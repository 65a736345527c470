/// Where a user's programs keep what is theirs, by the XDG Base Directory Specification; each nil for somebody without a home.
package enum UserDirectories {
  /// What may be lost: `$XDG_CACHE_HOME/troupe`, by default `~/.cache/troupe`.
  package static var cache: String? { directory("XDG_CACHE_HOME", ".cache") }
  /// What is to stay: `$XDG_STATE_HOME/troupe`, by default `~/.local/state/troupe`.
  package static var state: String? { directory("XDG_STATE_HOME", ".local/state") }
  /// What the user decides: `$XDG_CONFIG_HOME/troupe`, by default `~/.config/troupe`.
  package static var configuration: String? { directory("XDG_CONFIG_HOME", ".config") }
  /// What the user installs: `$XDG_DATA_HOME/troupe`, by default `~/.local/share/troupe`.
  package static var data: String? { directory("XDG_DATA_HOME", ".local/share") }

  private static func directory(_ variable: String, _ fallback: String) -> String? {
    (absolute(variable) ?? absolute("HOME").map { "\($0)/\(fallback)" }).map { $0 + "/troupe" }
  }

  /// A variable that names an absolute path. The specification has relative ones ignored, and a relative home would be another
  /// one in each directory.
  private static func absolute(_ variable: String) -> String? {
    Environment.value(variable).flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
  }
}
