/// The names of the files that make plugins of existing C libraries.
package enum AdoptionName {
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
}
