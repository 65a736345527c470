internal import Synchronization
internal import TroupeFiles

/// The paths under which the loader has opened files. For a path that it knows, the loader returns the open library, even if the file at
/// the path has been replaced.
enum OpenedPaths {
  private struct Opened {
    let identity: FileStamp
    /// The number of other files that had the path before.
    let number: UInt64
  }

  private static let opened = Mutex<[String: Opened]>([:])
  /// The files by device and inode. The loader identifies a library by them, too.
  private static let versions = Mutex<[FileKey: FileStamp]>([:])

  private struct FileKey: Hashable {
    let device, inode: UInt64

    init(_ identity: FileStamp) { (device, inode) = (identity.device, identity.inode) }
  }

  /// Whether the loader has the file open, and the file has changed since: the loader would return the old image, whose code was
  /// overwritten.
  static func isOverwritten(_ identity: FileStamp) -> Bool {
    guard let known = versions.withLock({ $0[FileKey(identity)] }), known != identity else { return false }
    return LoadedFile.isMapped(device: identity.device, inode: identity.inode)
  }

  /// Returns a path to a file that the loader has not used for another file.
  ///
  /// - Parameter path: The file, without links.
  static func path(_ path: String, _ identity: FileStamp) -> String {
    versions.withLock { $0[FileKey(identity)] = identity }
    let number = opened.withLock { opened -> UInt64 in
      guard let known = opened.updateValue(Opened(identity: identity, number: 0), forKey: path) else { return 0 }
      let number = known.identity == identity ? known.number : known.number + 1
      if number > 0 { opened[path] = Opened(identity: identity, number: number) }
      return number
    }
    guard number > 0 else { return path }
    let folder = Path.directory(of: path)
    return (folder == "/" ? "" : folder) + "/" + spelling(number) + Path.lastComponent(of: path)
  }

  /// Spells a number as parts of a path that do not change its meaning: `./` for each bit that is set and `/` for each that is not.
  static func spelling(_ number: UInt64) -> String {
    number == 0 ? "" : String(number, radix: 2).map { $0 == "1" ? "./" : "/" }.joined()
  }
}
