/// The libraries in a directory of plugins that are no plugins themselves: an adoption file adopts them, or a plugin in the same directory
/// links them, directly or through another such library. Hosts do not list them as rejected plugins.
///
/// Cost: reads the dynamic section of every plugin, so create it only if there are libraries without a manifest.
struct SupportLibraries {
  /// Without links.
  private var adopted: Set<[UInt8]> = []
  /// The paths of the libraries that are linked, or that have the name of an adoption file which does not name its library:
  /// `a.so` and `liba.so` beside `a.troupe.json`.
  private var linked: Set<[UInt8]> = []

  init(_ files: [PluginFile]) {
    for file in files where PluginFileName.isAdoption(file.path) {
      if let library = file.outcome.library?.path ?? file.outcome.adoptedLibrary {
        // A missing library needs no entry.
        if let path = Path.resolved(library) { adopted.insert(Path.key(path)) }
      } else {
        let stem = file.path.dropLast(PluginFileName.adoptionSuffix.count)
        let name = Path.lastComponent(of: String(stem))
        linked.formUnion(["", "lib"].map { Path.key("\(stem.dropLast(name.count))\($0)\(name).so") })
      }
    }
    for (_, neighbors) in Dictionary(grouping: files, by: { Path.key(Path.directory(of: $0.path)) }) {
      addLinked(neighbors)
    }
  }

  func contain(_ file: PluginFile) -> Bool {
    linked.contains(Path.key(file.path))
      || file.outcome.library.map { adopted.contains(Path.key($0.path)) } ?? false
  }

  /// Adds the libraries of one directory that plugins there need.
  private mutating func addLinked(_ files: [PluginFile]) {
    var libraries: [(path: [UInt8], names: Set<String>, dependencies: [String])] = []
    var needed: Set<String> = []
    for file in files {
      guard let path = file.outcome.library?.path, let section = try? ELFFile(path: path).dynamicSection() else { continue }
      let dependencies = section.needed.map { Path.lastComponent(of: $0) }
      if file.outcome.isBareLibrary, !adopted.contains(Path.key(path)) {
        let names = Set([Path.lastComponent(of: file.path), section.soname].compactMap(\.self))
        libraries.append((Path.key(file.path), names, dependencies))
      } else {
        needed.formUnion(dependencies)
      }
    }
    // Each iteration but the last finds another library.
    while let index = libraries.firstIndex(where: { !$0.names.isDisjoint(with: needed) }) {
      let library = libraries.remove(at: index)
      linked.insert(library.path)
      needed.formUnion(library.dependencies)
    }
  }
}
