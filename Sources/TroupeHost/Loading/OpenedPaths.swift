internal import Synchronization
internal import TroupeFiles

/// The paths under which the loader has opened files. For a path that it knows, the loader returns the open library, even if the file at
/// the path has been replaced.
enum OpenedPaths {
  private struct Opened {
    let identity: PluginFile.Identity
    /// The number of other files that had the path before.
    let number: UInt64
  }

  private static let opened = Mutex<[String: Opened]>([:])

  /// Returns a path to a file that the loader has not used for another file.
  ///
  /// - Parameter path: The file, without links.
  static func path(_ path: String, _ identity: PluginFile.Identity) -> String {
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
