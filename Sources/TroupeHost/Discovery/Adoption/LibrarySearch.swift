internal import Glibc
internal import TroupeJSON

/// Finds the file of a library that is adopted, without opening it.
struct LibrarySearch {
  /// Why there is no file, as the end of a sentence that begins with the library's name.
  struct Failure: Error {
    let problem: String
    let remedy: String
  }

  /// Where the loader looks.
  private let directories = LoaderPath.directories()

  /// The files that a name may mean, in the order in which the loader tries them; at least one. It takes the first that is
  /// for this machine.
  ///
  /// - Parameters:
  ///   - name: The name of a file that the loader would find, or a path.
  ///   - folder: What a relative path begins at.
  func files(_ name: String, from folder: String) throws(Failure) -> [String] {
    if let path = Self.path(name, from: folder) {
      guard isThere(path) else {
        throw Failure(problem: "does not exist: \(path)", remedy: "correct the path, or install the library")
      }
      return [path]
    }
    let files = directories.map { $0 + "/" + name }.filter(isThere)
    guard files.isEmpty else { return files }
    if isThere(folder + "/" + name) {
      throw Failure(
        problem: "is beside the file, where the loader does not look for a name without a path",
        remedy: "write \(("./" + name).shown)")
    }
    throw Failure(
      problem: "is in none of the loader's directories (\(directories.joined(separator: ", ")))",
      remedy: "install it, or write the path to it")
  }

  /// The one path that a name means, or nil for a name that the loader would look for.
  static func path(_ name: String, from folder: String) -> String? {
    guard Path.hasDirectory(name) else { return nil }
    return name.utf8.first == UInt8(ascii: "/") ? name : folder + "/" + withoutDot(name)
  }

  /// A path without the `./` that says no more than that it is one.
  private static func withoutDot(_ path: String) -> String {
    path.utf8.starts(with: "./".utf8) ? String(decoding: path.utf8.dropFirst(2), as: UTF8.self) : path
  }

  private func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
