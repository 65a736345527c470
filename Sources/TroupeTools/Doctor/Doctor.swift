internal import Glibc
package import TroupeHost

/// Finds why a host does not use a plugin, or checks the installation.
///
/// It examines the hosts that other commands with the same options make, so that it finds what they find.
package struct Doctor {
  let search: PluginSearch
  /// The directories that the command line searches.
  let directories: [String]
  /// The file of `--pins`.
  let pinsOption: String?
  /// The file of `--pins` or `TROUPE_PINS`, or the fault of that option.
  let pinsFile: Result<String?, any Error>
  private let makeHost: (_ files: [String]?) throws -> PluginHost
  private let checkIDs: (_ host: PluginHost, _ missing: String?) throws -> Void

  /// - Parameters:
  ///   - makeHost: Makes a host with the options of the command line for files, or for the searched directories.
  ///   - checkIDs: Throws a `Diagnosis` if an option names a plugin that a host has not found, besides a missing one.
  package init(
    _ search: PluginSearch, directories: [String], pinsOption: String?, pinsFile: Result<String?, any Error>,
    makeHost: @escaping (_ files: [String]?) throws -> PluginHost,
    checkIDs: @escaping (_ host: PluginHost, _ missing: String?) throws -> Void
  ) {
    (self.search, self.directories, self.pinsOption, self.pinsFile) = (search, directories, pinsOption, pinsFile)
    (self.makeHost, self.checkIDs) = (makeHost, checkIDs)
  }

  /// Examines the plugin with an id or file. Throws a `Diagnosis` if the file is not found.
  package func examine(_ name: String, isFile: Bool) throws -> DoctorReport {
    let inDirectories = try makeHost(nil)
    // A file is found in its directory, with the plugins that it may require, or by its path.
    let path = Self.location(of: name)
    let found = inDirectories.discover().filter { isFile ? Self.location(of: $0.path) == path : $0.manifest?.id == name }
    // Several plugins can have one id. The host uses the admitted one.
    if let plugin = found.first(where: { $0.state.diagnosis == nil }) ?? found.first {
      return try examine(plugin, name, inDirectories)
    }
    guard isFile else {
      try checkIDs(inDirectories, name)
      return PluginExamination(name, inDirectories, self).run(missing: name)
    }
    let host = try makeHost([name] + inDirectories.plugins.map(\.path))
    guard let plugin = host.discover().first(where: { $0.path == name }) else {
      let adopting =
        host.plugins.first { $0.library.map(Self.location) == path }?.path ?? PluginFileName.file(adopting: name)
      throw Diagnosis(
        .unreadable, name, problem: adopting == nil ? "is not found" : "is an adopted library, which is no plugin of its own",
        remedy: "name \(adopting ?? "a plugin file")")
    }
    // A link to a missing file is there.
    var status = stat()
    if lstat(name, &status) != 0, let diagnosis = plugin.state.diagnosis { throw diagnosis }
    return try examine(plugin, name, host)
  }

  private func examine(_ plugin: Plugin, _ name: String, _ host: PluginHost) throws -> DoctorReport {
    // The id of an unreadable plugin may be one of the options.
    if plugin.manifest != nil { try checkIDs(host, nil) }
    return PluginExamination(name, host, self).run(plugin)
  }

  /// The path without links; for a link to a missing file, that of the link in its directory.
  private static func location(of path: String) -> String {
    Path.resolved(path) ?? (Path.resolved(Path.directory(of: path)) ?? ".") + "/" + Path.lastComponent(of: path)
  }
}
