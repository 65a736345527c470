internal import Glibc
internal import TroupeFiles

/// The libraries that a library needs from directories relative to its own (`$ORIGIN`). The loader cannot resolve `$ORIGIN` for a copy in
/// memory, but finds libraries that are already open by their SONAMEs.
struct OriginLibraries {
  /// The libraries' files, to be opened before the copy.
  private(set) var files: [String] = []

  /// Finds the libraries. The loader itself finds their dependencies. Throws a `Diagnosis` without a subject if the loader would not recognize a
  /// library.
  ///
  /// - Parameter directory: The directory of the copied file, without links.
  init(of dynamic: DynamicSection, directory: String) throws(Diagnosis) {
    // The directories are needed only for such a name.
    let directories = Self.directories(of: dynamic)
    for name in dynamic.needed {
      if LoaderPath.beginsWithOrigin(name) {
        throw Self.failure(
          name, "which it names by a path from its own directory", "link it by its name, and its directory with -rpath")
      }
      guard !Path.containsSlash(name), directories.contains(where: LoaderPath.beginsWithOrigin),
        let file = Self.find(name, directories, directory)
      else {
        continue
      }
      if LinkMap(named: name) != nil { continue }
      guard (try? ELFFile(path: file).dynamicSection())?.soname == name else {
        throw Self.failure(
          name, "which lies in its own directory and has no SONAME of that name", "link \(name) with -Wl,-soname,\(name)")
      }
      files.append(file)
    }
  }

  /// The directories that are searched before the loader's own directories, in the loader's order.
  private static func directories(of dynamic: DynamicSection) -> [String] {
    guard let path = dynamic.runPath else { return split(dynamic.rpath ?? "") }
    return split(LoaderPath.environment) + split(path)
  }

  private static func split(_ path: String) -> [String] {
    path.utf8.split { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ";") }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the file for a name, if the first directory that contains it is relative to the library's own.
  private static func find(_ name: String, _ directories: [String], _ directory: String) -> String? {
    for entry in directories {
      guard let path = LoaderPath.expanded(entry, origin: directory) else { continue }
      let file = path + "/" + name
      if access(file, F_OK) == 0 { return LoaderPath.beginsWithOrigin(entry) ? file : nil }
    }
    return nil
  }

  private static func failure(_ name: String, _ why: String, _ remedy: String) -> Diagnosis {
    Diagnosis(
      .notLoadable, problem: "cannot be opened as a copy: it needs \(name), \(why), so that the loader would not find it",
      remedy: "\(remedy), or let the host open the file itself")
  }
}
