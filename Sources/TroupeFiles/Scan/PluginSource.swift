internal import TroupeBase

/// A place where plugins are searched for: an open directory, or a single file. Nothing of the files has been read.
package enum PluginSource {
  case folder(ScannedDirectory)
  case file(String)
  /// A directory that cannot be read.
  case unreadable(String, SystemError)

  /// Opens directories and lists their names. Leaves out repeated directories and files; the first of each counts.
  package static func scan(directories: [String], files: [String], _ trust: TrustedPath) -> [PluginSource] {
    var sources: [PluginSource] = []
    var known: Set<[UInt8]> = []
    for directory in directories {
      do {
        let folder = try ScannedDirectory(directory, trust)
        if known.insert(Path.key(folder.resolved)).inserted { sources.append(.folder(folder)) }
      } catch {
        if known.insert(Path.key(directory)).inserted { sources.append(.unreadable(directory, error)) }
      }
    }
    var knownFiles: Set<[UInt8]> = []
    for path in files where knownFiles.insert(Path.key(path)).inserted { sources.append(.file(path)) }
    return sources
  }
}
