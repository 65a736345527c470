internal import TroupeBase

/// A directory of files to examine, with the properties that its files share.
package final class ScannedDirectory: Sendable {
  let directory: DirectoryListing
  /// The prefix of the paths of its files, absolute and without links.
  let resolved: String
  /// Whether the paths of its files, as found, have this prefix.
  let isResolved: Bool
  /// The reason why none of its files can be trusted, or nil.
  let fault: TrustedPath.Fault?
  /// Whether the owners of its files may be unknown.
  let trustsUnknownOwners: Bool

  /// Opens a directory. Throws a `SystemError` if it cannot be read.
  init(_ path: String, _ trust: TrustedPath) throws(SystemError) {
    let location = try trust.locate(path)
    directory = try DirectoryListing(location, path: path)
    resolved = Path.prefix(location.path)
    isResolved = Path.key(resolved) == Path.key(Path.prefix(path))
    (fault, trustsUnknownOwners) = (location.fault, location.trustsUnknownOwners)
  }
}
