internal import Glibc

/// The libraries that a library needs and that lie in folders which it names relative to its own, as `$ORIGIN`. Of a copy in
/// memory the loader does not know where that is; but what is open already, it knows by its SONAME.
struct OriginLibraries {
  /// The libraries' files, to be opened before the copy.
  private(set) var files: [String] = []

  /// Finds the libraries. Those that they need in turn the loader finds by itself. Throws a `SealedCopy.Failure` if the loader
  /// would not recognise one.
  ///
  /// - Parameter folder: The folder of the file that was copied, without links.
  init(of dynamic: DynamicSection, folder: String) throws(SealedCopy.Failure) {
    // Folders are only asked for where there is such a name.
    let folders = Self.folders(of: dynamic)
    for name in dynamic.needed {
      if Self.names(name) {
        throw Self.failure(
          name, "which it names by a path from its own folder", "link it by its name, and its folder with -rpath")
      }
      guard !Path.hasDirectory(name), folders.contains(where: Self.names), let file = Self.find(name, folders, folder) else {
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

  /// The folders that are looked through before those that the loader knows by itself, in the order in which it does.
  private static func folders(of dynamic: DynamicSection) -> [String] {
    guard let path = dynamic.runPath else { return split(dynamic.olderRunPath ?? "") }
    return split(Environment.value("LD_LIBRARY_PATH") ?? "") + split(path)
  }

  private static func split(_ path: String) -> [String] {
    path.utf8.split { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ";") }.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The file that a name means, if the first folder that has it is named relative to the library's own.
  private static func find(_ name: String, _ folders: [String], _ folder: String) -> String? {
    for path in folders {
      let file = replaced(path, by: folder) + "/" + name
      if access(file, F_OK) == 0 { return names(path) ? file : nil }
    }
    return nil
  }

  private static func soname(of file: String) -> String? {
    guard let file = try? PluginFile(path: file) else { return nil }
    return (try? ELFFile(file.bytes).dynamicSection())?.soname
  }

  private static let spellings = ["$ORIGIN", "${ORIGIN}"]

  /// Whether a path begins with the library's own folder, as it has to.
  private static func names(_ path: String) -> Bool { spellings.contains { path.utf8.starts(with: $0.utf8) } }

  private static func replaced(_ path: String, by folder: String) -> String {
    guard let spelling = spellings.first(where: { path.utf8.starts(with: $0.utf8) }) else { return path }
    return folder + String(decoding: path.utf8.dropFirst(spelling.utf8.count), as: UTF8.self)
  }

  private static func failure(_ name: String, _ why: String, _ remedy: String) -> SealedCopy.Failure {
    SealedCopy.Failure(
      problem: "cannot be opened as a copy: it needs \(name), \(why), so that the loader would not find it",
      remedy: "\(remedy), or let the host open the file itself")
  }
}
