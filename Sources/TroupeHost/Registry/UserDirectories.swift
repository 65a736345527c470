internal import Glibc

/// Where a user's programs keep what they find out, by the XDG Base Directory Specification.
enum UserDirectories {
  /// What may be lost: `$XDG_CACHE_HOME/troupe`, by default `~/.cache/troupe`; nil for somebody without a home.
  static var cache: String? { directory("XDG_CACHE_HOME", ".cache") }
  /// What is to stay: `$XDG_STATE_HOME/troupe`, by default `~/.local/state/troupe`; nil for somebody without a home.
  static var state: String? { directory("XDG_STATE_HOME", ".local/state") }

  private static func directory(_ variable: String, _ fallback: String) -> String? {
    // The specification has relative paths ignored.
    let named = environment(variable).flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
    return (named ?? environment("HOME").map { "\($0)/\(fallback)" }).map { $0 + "/troupe" }
  }

  private static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
