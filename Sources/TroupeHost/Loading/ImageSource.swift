internal import Glibc
internal import TroupeFiles

/// The file, or the copy of a file, that the loader opens as a plugin's image.
struct ImageSource: Sendable {
  /// The original file, for messages.
  let file: String
  /// The path that the loader opens.
  let path: String
  /// Whether the library is already in this process. The loader must then find it open.
  let isLoaded: Bool
  /// The libraries that have to be opened first.
  let needs: [String]
  /// The stamp of the file that the loader maps for `path`.
  let stamp: FileStamp
  /// The copy at `path`; nil for the file itself.
  private let copy: SealedCopy?

  /// Creates a source for the file itself, without links.
  init(_ library: (path: String, stamp: FileStamp)) {
    file = library.path
    path = OpenedPaths.path(library.path, library.stamp)
    stamp = library.stamp
    (isLoaded, needs, copy) = (false, [], nil)
  }

  /// Copies the examined file. Throws a `Diagnosis` without a subject, for example if the file has changed
  /// since.
  ///
  /// - Parameters:
  ///   - library: The file, without links, and its stamp.
  ///   - id: The id of the plugin.
  ///   - pins: The allowed content hashes; nil disables pinning. The copy is hashed.
  ///   - isAdopted: Whether the file adopts the library. A library that is already in this process is then not opened a second time,
  ///     since a second C library, for example, would not work.
  init(copyOf library: (path: String, stamp: FileStamp), id: String, pins: Pins?, isAdopted: Bool) throws {
    file = library.path
    let original = try Self.open(library)
    let copy = try SealedCopy(of: original, name: id)
    let dynamic = try ELFFile(copy.bytes).dynamicSection()
    // The file may have been written during the copy.
    guard FileStamp.of(library.path) == library.stamp else { throw Self.changed }
    if let diagnosis = try pins?.diagnosis(ContentHash(of: copy.bytes), of: id, path: isAdopted ? nil : file) {
      throw diagnosis
    }
    if isAdopted, let path = Self.loaded(library, dynamic?.soname) {
      self.path = path
      stamp = library.stamp
      (isLoaded, needs, self.copy) = (true, [], nil)
      return
    }
    path = copy.path
    stamp = copy.stamp
    isLoaded = false
    self.copy = copy
    needs = try dynamic.map { try OriginLibraries(of: $0, directory: Path.directory(of: library.path)).files } ?? []
  }

  private static func open(_ library: (path: String, stamp: FileStamp)) throws(Diagnosis) -> RegularFile {
    guard let file = try? RegularFile(path: library.path), file.stamp == library.stamp else { throw changed }
    return file
  }

  private static let changed = Diagnosis(
    .changed, problem: "has changed since it was examined", remedy: "retry after the change")

  /// Returns the name under which a library is already in this process, other than as a copy; nil if it is not.
  private static func loaded(_ library: (path: String, stamp: FileStamp), _ soname: String?) -> String? {
    for name in [OpenedPaths.path(library.path, library.stamp), soname].compactMap(\.self) {
      guard let handle = dlopen(name, RTLD_NOW | RTLD_NOLOAD) else { continue }
      defer { dlclose(handle) }
      if LinkMap(handle)?.name.utf8.starts(with: SealedCopy.descriptorDirectory.utf8) != true { return name }
    }
    return nil
  }
}
