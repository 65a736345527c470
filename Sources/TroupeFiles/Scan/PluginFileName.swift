internal import Glibc

/// The names of the files that hosts read in a directory of plugins.
///
/// `NAME.so` is a shared library with a manifest. `NAME.troupe.json` is an adoption file, which makes a plugin of an existing C library.
package enum PluginFileName {
  /// The rule as a clause of a message.
  package static let rule = "hosts read only files whose names end in .so or .troupe.json and do not begin with a dot"

  package static func isValid(_ name: some Collection<UInt8>) -> Bool {
    name.first != UInt8(ascii: ".") && suffixes.contains { name.suffix($0.count).elementsEqual($0) }
  }

  private static let suffixes = [".so", adoptionSuffix].map { Array($0.utf8) }

  package static let adoptionSuffix = ".troupe.json"

  package static func isAdoption(_ path: String) -> Bool {
    let (path, suffix) = (path.utf8, adoptionSuffix.utf8)
    // A comparison of the last byte rejects most other paths.
    guard path.last == suffix.last, path.count > suffix.count, path.suffix(suffix.count).elementsEqual(suffix) else {
      return false
    }
    return path.dropLast(suffix.count).last != UInt8(ascii: "/")
  }

  /// Returns the existing file beside a library that adopts it by its name: `NAME.troupe.json` for `NAME.so` and `libNAME.so`.
  package static func file(adopting library: String) -> String? {
    guard library.hasSuffix(".so") else { return nil }
    let (directory, name) = (Path.directory(of: library), Path.lastComponent(of: library).dropLast(3))
    let names = [name] + (name.hasPrefix("lib") ? [name.dropFirst(3)] : [])
    return names.map { (directory == "." ? "" : directory + "/") + $0 + adoptionSuffix }.first { access($0, R_OK) == 0 }
  }
}
