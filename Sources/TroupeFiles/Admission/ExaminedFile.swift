internal import Glibc
internal import TroupeBase

/// A plugin file with the result of its examination. A reference, since the result is large and passed on often.
///
/// `@unchecked Sendable` because one thread creates it, and only the thread that collects all of them changes it afterwards.
package final class ExaminedFile: @unchecked Sendable {
  /// The path of the file as found.
  package let path: String
  package var outcome: Admission.Outcome

  package init(_ path: String, _ outcome: Admission.Outcome) {
    self.path = path
    self.outcome = outcome
  }

  /// The paths of the plugin's file and, if it adopts one, of the library.
  package var paths: [String] { [path] + (outcome.adoptionFile == nil ? [] : outcome.library.map { [$0.path] } ?? []) }

  /// Whether the files are unchanged since the examination.
  package var isCurrent: Bool { outcome.files(path).allSatisfy(\.isUnchanged) }

  /// Whether the file was removed before it could be examined, and does not exist now.
  package var hasVanished: Bool {
    guard outcome.fault?.code == .unreadable, outcome.files(path).isEmpty else { return false }
    var status = stat()
    return lstat(path, &status) != 0 && errno == ENOENT
  }
}
