internal import CLinux

/// The environment of the process.
package enum Environment {
  /// Returns a variable; nil if it is unset or empty, or if the process has more rights than its user (secure_getenv(3)).
  package static func value(_ name: String) -> String? {
    linux_secure_getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
