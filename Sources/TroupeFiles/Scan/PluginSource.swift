internal import Glibc
internal import TroupeBase

/// Where a host looks for plugins: an open directory, or a single file. No file has been read yet.
package enum PluginSource {
  case directory(ScannedDirectory)
  case file(String)
  /// A directory that cannot be read.
  case unreadable(String, SystemError)

  /// Opens directories and lists their names. Of repeated directories and files the first one counts.
  package static func scan(directories: [String], files: [String], _ trust: TrustedPath) -> [PluginSource] {
    var sources: [PluginSource] = []
    var known: Set<[UInt8]> = []
    for path in directories {
      do {
        let directory = try ScannedDirectory(path, trust)
        if known.insert(Path.key(directory.resolved)).inserted { sources.append(.directory(directory)) }
      } catch {
        if known.insert(Path.key(path)).inserted { sources.append(.unreadable(path, error)) }
      }
    }
    var knownFiles: Set<[UInt8]> = []
    for path in files where knownFiles.insert(Path.key(path)).inserted { sources.append(.file(path)) }
    return sources
  }
}

/// An open directory of plugins, with what all of its files have in common. The path is checked once, not for each file.
package final class ScannedDirectory: Sendable {
  let listing: DirectoryListing
  /// The prefix of the paths of its files, absolute and without links.
  let resolved: String
  /// True if the paths of its files, as found, have this prefix.
  let isResolved: Bool
  /// Why none of its files can be trusted.
  let exposure: TrustedPath.Exposure?
  /// True if the owners of its files may be unknown.
  let trustsUnknownOwners: Bool

  init(_ path: String, _ trust: TrustedPath) throws(SystemError) {
    let location = try trust.locate(path)
    listing = try DirectoryListing(location, path: path)
    resolved = Path.withTrailingSlash(location.path)
    isResolved = Path.key(resolved) == Path.key(Path.withTrailingSlash(path))
    (exposure, trustsUnknownOwners) = (location.exposure, location.trustsUnknownOwners)
  }
}

/// A file to examine: at a path, or in a scanned directory.
package enum FoundFile {
  case path(String)
  case entry(DirectoryListing.File, in: ScannedDirectory)

  /// The path as found, before links are followed.
  var path: String {
    switch self {
    case .path(let path): path
    case .entry(let file, _): file.path
    }
  }
}

/// The directories that hosts scan for plugins by default.
public enum PluginDirectories {
  /// The directories in `TROUPE_PLUGIN_PATH`, separated by colons. If it is unset or empty, the existing ones of the user's directory
  /// (`$XDG_DATA_HOME/troupe/plugins`) and the directory beside the installed library (`PREFIX/lib/troupe/plugins`).
  public static var standard: [String] {
    let named = Environment.value("TROUPE_PLUGIN_PATH")?.split(separator: ":").map(String.init) ?? []
    return named.isEmpty ? conventional.filter { access($0, F_OK) == 0 } : named
  }

  /// The directories to use without `TROUPE_PLUGIN_PATH`, existing or not.
  public static var conventional: [String] {
    let own = OwnLibrary.path.flatMap(Path.resolved).map(Path.directory(of:))
    return [UserDirectories.data.map { $0 + "/plugins" }, own.map { $0 + "/troupe/plugins" }].compactMap { $0 }
  }
}
