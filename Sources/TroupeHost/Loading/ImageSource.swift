internal import Synchronization
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
    [OpenedPaths.path(library.path, library.stamp), soname].compactMap(\.self).first { name in
      LinkMap(named: name).map { !$0.name.utf8.starts(with: SealedCopy.descriptorDirectory.utf8) } ?? false
    }
  }
}

// MARK: Paths that the loader knows

/// The paths under which the loader has opened files. For a path that it knows, the loader returns the open library, even if the file at
/// the path has been replaced.
enum OpenedPaths {
  private struct Opened {
    let stamp: FileStamp
    /// The number of other files that had the path before.
    let number: UInt64
  }

  private static let opened = Mutex<[String: Opened]>([:])
  /// The files by device and inode. The loader identifies a library by them, too.
  private static let versions = Mutex<[FileIdentity: FileStamp]>([:])

  /// Whether the loader has the file open, and the file has changed since: the loader would return the old image, whose code was
  /// overwritten.
  static func isOverwritten(_ stamp: FileStamp) -> Bool {
    guard let known = versions.withLock({ $0[stamp.identity] }), known != stamp else { return false }
    return MemoryMap.isMapped(device: stamp.device, inode: stamp.inode)
  }

  /// Returns a path to a file that the loader has not used for another file.
  ///
  /// - Parameter path: The file, without links.
  static func path(_ path: String, _ stamp: FileStamp) -> String {
    versions.withLock { $0[stamp.identity] = stamp }
    let number = opened.withLock { opened -> UInt64 in
      guard let known = opened.updateValue(Opened(stamp: stamp, number: 0), forKey: path) else { return 0 }
      let number = known.stamp == stamp ? known.number : known.number + 1
      if number > 0 { opened[path] = Opened(stamp: stamp, number: number) }
      return number
    }
    guard number > 0 else { return path }
    let directory = Path.directory(of: path)
    return (directory == "/" ? "" : directory) + "/" + spelling(number) + Path.lastComponent(of: path)
  }

  /// Spells a number as parts of a path that do not change its meaning: `./` for each bit that is set and `/` for each that is not.
  static func spelling(_ number: UInt64) -> String {
    number == 0 ? "" : String(number, radix: 2).map { $0 == "1" ? "./" : "/" }.joined()
  }
}
