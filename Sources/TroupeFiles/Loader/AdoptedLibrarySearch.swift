internal import Glibc
internal import TroupeBase

/// Finds the file of an adopted library by the name or path in an adoption file, without opening it.
///
/// A path is relative to the adoption file. A name without a slash is searched where the loader searches; the directory of the adoption file
/// is not among these directories.
struct AdoptedLibrarySearch {
  private let directories = LoaderPath.directories()

  /// Returns the files for a name, at least one, in the order of the loader. The loader opens the first one for this machine.
  ///
  /// - Parameters:
  ///   - name: A file name or a path.
  ///   - directory: The start of a relative path.
  /// - Throws: A `Diagnosis` without a subject.
  func files(_ name: String, from directory: String) throws(Diagnosis) -> [String] {
    if let path = Self.path(name, from: directory) {
      guard isThere(path) else {
        throw Diagnosis(.missingLibrary, problem: "does not exist: \(path)", remedy: "correct the path, or install the library")
      }
      return [path]
    }
    let files = directories.map { $0 + "/" + name }.filter(isThere)
    guard files.isEmpty else { return files }
    if isThere(directory + "/" + name) {
      throw Diagnosis(
        .missingLibrary, problem: "is beside the file, where the loader does not look for a name without a path",
        remedy: "write \(("./" + name).shown)")
    }
    throw Diagnosis(
      .missingLibrary, problem: "is in none of the loader's directories (\(directories.joined(separator: ", ")))",
      remedy: "install it, or write the path to it")
  }

  /// Returns nil for a name that the loader searches.
  static func path(_ name: String, from directory: String) -> String? {
    guard Path.containsSlash(name) else { return nil }
    return name.utf8.first == UInt8(ascii: "/") ? name : directory + "/" + withoutDot(name)
  }

  private static func withoutDot(_ path: String) -> String {
    path.utf8.starts(with: "./".utf8) ? String(decoding: path.utf8.dropFirst(2), as: UTF8.self) : path
  }

  private func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
