internal import Synchronization

/// Under which paths files have been opened by the loader, which takes a library that it knows by the path for the one that is
/// asked for, though the file has been replaced since.
enum OpenedPaths {
  private struct Opened {
    let identity: PluginFile.Identity
    /// How many other files had the path before.
    let number: UInt64
  }

  private static let opened = Mutex<[String: Opened]>([:])

  /// A path to a file that the loader has not known another file by.
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

  /// A number as what means nothing between two parts of a path: `./` for each bit that is set and `/` for each that is not.
  static func spelling(_ number: UInt64) -> String {
    number == 0 ? "" : String(number, radix: 2).map { $0 == "1" ? "./" : "/" }.joined()
  }
}
