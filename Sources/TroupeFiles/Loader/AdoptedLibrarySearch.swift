internal import Glibc
internal import TroupeBase

/// Finds the file of an adopted library without opening it.
struct AdoptedLibrarySearch {
  /// The directories that the loader searches.
  private let directories = LoaderPath.directories()

  /// Returns the files for a name, at least one, in the order of the loader. The loader opens the first one for this machine.
  ///
  /// - Parameters:
  ///   - name: A file name or a path.
  ///   - folder: The start of a relative path.
  /// - Throws: A `Diagnosis` without a subject if there is none.
  func files(_ name: String, from folder: String) throws(Diagnosis) -> [String] {
    if let path = Self.path(name, from: folder) {
      guard isThere(path) else {
        throw Diagnosis(.missingLibrary, problem: "does not exist: \(path)", remedy: "correct the path, or install the library")
      }
      return [path]
    }
    let files = directories.map { $0 + "/" + name }.filter(isThere)
    guard files.isEmpty else { return files }
    if isThere(folder + "/" + name) {
      throw Diagnosis(
        .missingLibrary, problem: "is beside the file, where the loader does not look for a name without a path",
        remedy: "write \(("./" + name).shown)")
    }
    throw Diagnosis(
      .missingLibrary, problem: "is in none of the loader's directories (\(directories.joined(separator: ", ")))",
      remedy: "install it, or write the path to it")
  }

  /// Returns the path for a name with a directory; nil for a name that the loader searches.
  static func path(_ name: String, from folder: String) -> String? {
    guard Path.hasDirectory(name) else { return nil }
    return name.utf8.first == UInt8(ascii: "/") ? name : folder + "/" + withoutDot(name)
  }

  /// Removes the leading `./` of a path.
  private static func withoutDot(_ path: String) -> String {
    path.utf8.starts(with: "./".utf8) ? String(decoding: path.utf8.dropFirst(2), as: UTF8.self) : path
  }

  private func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
