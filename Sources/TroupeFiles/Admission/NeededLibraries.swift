internal import TroupeBase

/// The libraries outside of the system's directories that the loader opens for plugins: those that the plugins need, those that
/// these need, and so on.
///
/// The dynamic section of a library decides what is searched, so a hostile library could name any file of the user. A file
/// counts only if admission would trust it as a library: a regular file that only root and the user can change, and a shared
/// library for this machine. The loader of a worker that may read only these files finds the same ones, since it passes over
/// those that it may not read.
package struct NeededLibraries {
  package struct File {
    /// The absolute path without links.
    package let path: String
    package let descriptor: SharedDescriptor
  }

  package private(set) var files: [File] = []
  /// Why files that the loader would open are not among them.
  package private(set) var refusals: [Diagnosis] = []

  private let search = LoaderSearch()
  private let systemDirectories: [String]
  private var admission: Admission
  /// The keys of the resolved paths of `files`.
  private var known: Set<[UInt8]> = []

  /// The first descriptor above the standard streams and the channel of a worker.
  private static let lowestDescriptor: Int32 = 4

  /// - Parameter systemDirectories: Directories whose libraries need no descriptor.
  package init(systemDirectories: [String]) {
    self.systemDirectories = systemDirectories.compactMap { Path.resolved($0).map(Path.withTrailingSlash) }
    var rules = AdmissionRules()
    rules.maximumFileSize = .max
    admission = Admission(TrustedPath(), rules)
  }

  /// Adds a plugin's library and what it needs. Throws if there is no descriptor left.
  package mutating func add(_ path: String) throws(SystemError) {
    guard let root = search.library(path) else { return }
    // For a name of a library that it has opened, the loader searches no file.
    var names = Set([Path.key(path)] + [root.soname].compactMap(\.self).map(Path.key))
    var (libraries, next) = ([root], 0)
    while next < libraries.count {
      let library = libraries[next]
      next += 1
      for name in library.needed where names.insert(Path.key(name)).inserted {
        for file in search.files(name, neededBy: library) where try open(file) {
          guard let found = search.library(file, neededBy: library) else { continue }
          names.insert(Path.key(file))
          if let soname = found.soname { names.insert(Path.key(soname)) }
          libraries.append(found)
        }
      }
    }
  }

  /// Opens a library and keeps it open, unless it is the system's. Returns true if a worker can read it.
  private mutating func open(_ path: String) throws(SystemError) -> Bool {
    guard let resolved = Path.resolved(path) else { return false }
    if systemDirectories.contains(where: { resolved.utf8.starts(with: $0.utf8) }) || known.contains(Path.key(resolved)) {
      return true
    }
    do {
      let (file, end) = try admission.openTrusted(.path(path))
      _ = try admission.read(path, file)
      files.append(File(path: end, descriptor: SharedDescriptor(try file.bytes.descriptor.copy(from: Self.lowestDescriptor))))
      known.insert(Path.key(end))
      return true
    } catch let diagnosis as Diagnosis {
      refusals.append(diagnosis)
    } catch let error as SystemError {
      throw error
    } catch {
      refusals.append(Diagnosis(.notALibrary, path, problem: "\(error)", remedy: "rebuild it"))
    }
    return false
  }
}
