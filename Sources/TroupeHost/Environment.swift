internal import Glibc

/// The environment of the process.
package enum Environment {
  /// A variable, or nil if it is not set or empty.
  package static func value(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
