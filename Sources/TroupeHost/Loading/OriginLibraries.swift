internal import Glibc
internal import TroupeFiles

/// The libraries that a library needs from folders relative to its own (`$ORIGIN`). The loader cannot resolve `$ORIGIN` for a copy in
/// memory, but finds libraries that are already open by their SONAMEs.
struct OriginLibraries {
  /// The libraries' files, to be opened before the copy.
  private(set) var files: [String] = []

  /// Finds the libraries. The loader itself finds their dependencies. Throws a `Diagnosis` without a subject if the loader would not recognize a
  /// library.
  ///
  /// - Parameter folder: The folder of the copied file, without links.
  init(of dynamic: DynamicSection, folder: String) throws(Diagnosis) {
    // The folders are needed only for such a name.
    let folders = Self.folders(of: dynamic)
    for name in dynamic.needed {
      if Self.names(name) {
        throw Self.failure(
          name, "which it names by a path from its own folder", "link it by its name, and its folder with -rpath")
      }
      guard !Path.containsSlash(name), folders.contains(where: Self.names), let file = Self.find(name, folders, folder) else {
        continue
      }
      if let handle = dlopen(name, RTLD_NOW | RTLD_NOLOAD) {
        dlclose(handle)
        continue
      }
      guard Self.soname(of: file) == name else {
        throw Self.failure(
          name, "which lies in its own folder and has no SONAME of that name", "link \(name) with -Wl,-soname,\(name)")
      }
      files.append(file)
    }
  }

  /// The folders that are searched before the loader's own directories, in the loader's order.
  private static func folders(of dynamic: DynamicSection) -> [String] {
    guard let path = dynamic.runPath else { return split(dynamic.rpath ?? "") }
    return split(Environment.value("LD_LIBRARY_PATH") ?? "") + split(path)
  }

  private static func split(_ path: String) -> [String] {
    path.utf8.split { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ";") }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the file for a name, if the first folder that contains it is relative to the library's own.
  private static func find(_ name: String, _ folders: [String], _ folder: String) -> String? {
    for path in folders {
      let file = replaced(path, by: folder) + "/" + name
      if access(file, F_OK) == 0 { return names(path) ? file : nil }
    }
    return nil
  }

  private static func soname(of file: String) -> String? {
    guard let file = try? RegularFile(path: file) else { return nil }
    return (try? ELFFile(file.bytes).dynamicSection())?.soname
  }

  private static let spellings = ["$ORIGIN", "${ORIGIN}"]

  /// Whether a path begins with the library's own folder, as required.
  private static func names(_ path: String) -> Bool { spellings.contains { path.utf8.starts(with: $0.utf8) } }

  private static func replaced(_ path: String, by folder: String) -> String {
    guard let spelling = spellings.first(where: { path.utf8.starts(with: $0.utf8) }) else { return path }
    return folder + String(decoding: path.utf8.dropFirst(spelling.utf8.count), as: UTF8.self)
  }

  private static func failure(_ name: String, _ why: String, _ remedy: String) -> Diagnosis {
    Diagnosis(
      .notLoadable, problem: "cannot be opened as a copy: it needs \(name), \(why), so that the loader would not find it",
      remedy: "\(remedy), or let the host open the file itself")
  }
}
