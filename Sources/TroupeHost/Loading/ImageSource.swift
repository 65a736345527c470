internal import Glibc

/// What the loader opens as a plugin's image: a file, or a copy of it.
struct ImageSource {
  /// The file, as a person knows it.
  let file: String
  /// What the loader is given.
  let path: String
  /// Whether the library is in this process already, and is not to be opened if it is not.
  let isLoaded: Bool
  /// Libraries that have to be open before.
  let needs: [String]
  /// The identity of the file that the loader maps for `path`.
  let identity: PluginFile.Identity
  /// What `path` leads to.
  private let copy: SealedCopy?

  /// Why there is nothing to open, as the end of a sentence that begins with the file.
  struct Failure: Error {
    let code: PluginFault.Code
    let problem: String
    let remedy: String
  }

  /// The file itself, without links.
  init(_ library: (path: String, identity: PluginFile.Identity)) {
    file = library.path
    path = OpenedPaths.path(library.path, library.identity)
    identity = library.identity
    (isLoaded, needs, copy) = (false, [], nil)
  }

  /// A copy of the file that was examined: of what is at its path, if that still is the same.
  ///
  /// - Parameters:
  ///   - library: The file, without links, and what tells it from another.
  ///   - id: The plugin.
  ///   - pins: What the plugin may contain; nil if that is all the same. It is the copy that is held against them.
  ///   - isAdopted: Whether the library is somebody else's, which may be in this process already; it is not opened a second
  ///     time then, since a second C library, for example, would not work.
  init(copyOf library: (path: String, identity: PluginFile.Identity), id: String, pins: Pins?, isAdopted: Bool) throws {
    file = library.path
    let original = try Self.open(library)
    let copy: SealedCopy
    let dynamic: DynamicSection?
    do {
      copy = try SealedCopy(of: original, name: id)
      dynamic = try ELFFile(copy.bytes).dynamicSection()
    } catch let failure as SealedCopy.Failure {
      throw Failure(code: .notLoadable, problem: failure.problem, remedy: failure.remedy)
    }
    // While it was copied, the file may have been written to.
    guard PluginFile.Identity.of(library.path) == library.identity else { throw Self.changed }
    if let fault = try pins?.fault(ContentHash(of: copy.bytes), of: id) {
      throw Failure(code: .unpinned, problem: fault.problem, remedy: fault.remedy)
    }
    if isAdopted, let path = Self.loaded(library, dynamic?.soname) {
      self.path = path
      identity = library.identity
      (isLoaded, needs, self.copy) = (true, [], nil)
      return
    }
    path = copy.path
    identity = copy.identity
    isLoaded = false
    self.copy = copy
    do {
      needs = try dynamic.map { try OriginLibraries(of: $0, folder: Path.directory(of: library.path)).files } ?? []
    } catch let failure as SealedCopy.Failure {
      throw Failure(code: .notLoadable, problem: failure.problem, remedy: failure.remedy)
    }
  }

  private static func open(_ library: (path: String, identity: PluginFile.Identity)) throws(Failure) -> PluginFile {
    guard let file = try? PluginFile(path: library.path), file.identity == library.identity else { throw changed }
    return file
  }

  private static let changed = Failure(
    code: .changed, problem: "has changed since it was examined", remedy: "retry after the change")

  /// Under which name a library is in this process already, other than as a copy; nil if it is not.
  private static func loaded(_ library: (path: String, identity: PluginFile.Identity), _ soname: String?) -> String? {
    for name in [OpenedPaths.path(library.path, library.identity), soname].compactMap(\.self) {
      guard let handle = dlopen(name, RTLD_NOW | RTLD_NOLOAD) else { continue }
      defer { dlclose(handle) }
      if LinkMap(handle)?.name.utf8.starts(with: SealedCopy.folder.utf8) != true { return name }
    }
    return nil
  }
}
