internal import Synchronization
internal import TroupeFiles

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
  private static let versions = Mutex<[FileKey: FileStamp]>([:])

  private struct FileKey: Hashable {
    let device, inode: UInt64

    init(_ stamp: FileStamp) { (device, inode) = (stamp.device, stamp.inode) }
  }

  /// Whether the loader has the file open, and the file has changed since: the loader would return the old image, whose code was
  /// overwritten.
  static func isOverwritten(_ stamp: FileStamp) -> Bool {
    guard let known = versions.withLock({ $0[FileKey(stamp)] }), known != stamp else { return false }
    return MemoryMap.isMapped(device: stamp.device, inode: stamp.inode)
  }

  /// Returns a path to a file that the loader has not used for another file.
  ///
  /// - Parameter path: The file, without links.
  static func path(_ path: String, _ stamp: FileStamp) -> String {
    versions.withLock { $0[FileKey(stamp)] = stamp }
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
