internal import Glibc
internal import TroupeBase
internal import TroupeManifest

/// A file that a host found, as `Admission` examined it: the facts about the plugin, or the diagnosis for which it is rejected.
///
///     path ──► Admission.examine ──► outcome: manifest, library, adopted functions …   admitted
///                                    outcome: what was read before, and `fault`        rejected
///
/// No code of the plugin has run. The facts are those of one moment: `isCurrent` tells whether the files are still the same.
///
/// The outcome is large and passed on often, so this is a reference. It is `@unchecked Sendable` because one thread creates it, and only the
/// thread that collects all files changes it afterwards: it adds the diagnoses that only the whole shows, such as a duplicate ID.
package final class PluginFile: @unchecked Sendable {
  /// As found, before links are followed.
  package let path: String
  package var outcome: Admission.Outcome

  package init(_ path: String, _ outcome: Admission.Outcome) {
    self.path = path
    self.outcome = outcome
  }

  /// The paths of the plugin's file and, if it adopts one, of the library.
  package var paths: [String] { [path] + (outcome.adoptionFile == nil ? [] : outcome.library.map { [$0.path] } ?? []) }

  /// False if one of the files has changed since the examination.
  package var isCurrent: Bool { outcome.files(path).allSatisfy(\.isUnchanged) }

  /// The file was removed before it could be examined, and does not exist now.
  package var hasVanished: Bool {
    guard outcome.diagnosis?.code == .unreadable, outcome.files(path).isEmpty else { return false }
    do throws(SystemError) { _ = try Path.status(path, followsLinks: false) } catch { return error.code == ENOENT }
    return false
  }
}

extension Admission {
  /// What the examination of a file found out before it ended, or before the check that failed.
  package struct Outcome {
    package var manifest: Manifest?
    /// An image with Swift code stays mapped once it has been opened. Nil if unknown: the answer is at the end of the file, and for a plugin
    /// in another language it is read only if the plugin is opened soon.
    package var holdsSwift: Bool?
    /// The plugin's own library or the adopted one. The path has no links.
    package var library: (path: String, stamp: FileStamp)?
    /// For an adoption file, the path of the library before links are followed. If no directory of the loader contains the name, the path
    /// beside the file. Nil if the file does not name a library.
    package var adoptedLibrary: String?
    /// The stamp of an adoption file. Nil for a library.
    var adoptionFile: FileStamp?
    /// The functions that an adoption file registers.
    package var adopted: AdoptedFunctions?
    /// A valid library without a manifest.
    var isBareLibrary = false
    /// Why the plugin is rejected.
    package var diagnosis: Diagnosis?
    /// The reason is that the content is in quarantine.
    package var isQuarantined = false

    /// The plugin's file and the library that it adopts, as they were when they were examined.
    package func files(_ path: String) -> [FileState] {
      var files = library.map { [FileState(path: $0.path, stamp: $0.stamp)] } ?? []
      if let adoptionFile { files.insert(FileState(path: path, stamp: adoptionFile), at: 0) }
      return files
    }
  }
}
