/// A file to examine.
package enum FoundFile {
  case path(String)
  case entry(DirectoryListing.File, in: ScannedDirectory)

  /// The path of the file as found.
  var path: String {
    switch self {
    case .path(let path): path
    case .entry(let file, _): file.path
    }
  }
}
