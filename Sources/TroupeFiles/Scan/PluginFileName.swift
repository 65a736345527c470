internal import Glibc

/// The names of the files that make plugins of existing C libraries.
package enum PluginFileName {
  /// The suffix of the file name.
  package static let suffix = ".troupe.json"

  /// Whether a path has the suffix.
  package static func matches(_ path: String) -> Bool {
    let (path, suffix) = (path.utf8, suffix.utf8)
    // A comparison of the last byte rejects most other paths.
    guard path.last == suffix.last, path.count > suffix.count, path.suffix(suffix.count).elementsEqual(suffix) else {
      return false
    }
    return path.dropLast(suffix.count).last != UInt8(ascii: "/")
  }

  /// Returns the file beside a library that adopts it by its name: `NAME.troupe.json` for `NAME.so` and `libNAME.so`. Nil if there is
  /// none.
  package static func file(adopting library: String) -> String? {
    guard library.hasSuffix(".so") else { return nil }
    let (folder, name) = (Path.directory(of: library), Path.lastComponent(of: library).dropLast(3))
    let names = [name] + (name.hasPrefix("lib") ? [name.dropFirst(3)] : [])
    return names.map { (folder == "." ? "" : folder + "/") + $0 + suffix }.first { access($0, R_OK) == 0 }
  }
}
