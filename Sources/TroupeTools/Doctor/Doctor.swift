internal import Glibc
package import TroupeHost

/// `troupe doctor`: finds why a host does not use a plugin, or checks the installation.
///
///     examine(_:isFile:)          finds the plugin ─► PluginExamination ─► DoctorReport
///     examineInstallation(_:)     Doctor+Installation.swift             ─► DoctorReport
///
/// It examines a host that another command with the same options would make, so that it finds what that command would find.
package struct Doctor {
  let search: PluginSearch
  let directories: [String]
  /// The file of `--pins`.
  let pinsOption: String?
  /// The file of `--pins` or `TROUPE_PINS`, nil without one; or the error in that option, which the report shows.
  let pinsFile: Result<String?, any Error>
  private let makeHost: (_ files: [String]?) throws -> PluginHost
  private let checkIDs: (_ host: PluginHost, _ missing: String?) throws -> Void

  /// - Parameters:
  ///   - makeHost: Makes a host with the options of the command line, for these files only or, for nil, for the searched directories.
  ///   - checkIDs: Throws a `Diagnosis` if an option such as `--isolate` names a plugin that the host has not found. The id `missing` is
  ///     exempt, since the report says that it is missing.
  package init(
    _ search: PluginSearch, directories: [String], pinsOption: String?, pinsFile: Result<String?, any Error>,
    makeHost: @escaping (_ files: [String]?) throws -> PluginHost,
    checkIDs: @escaping (_ host: PluginHost, _ missing: String?) throws -> Void
  ) {
    (self.search, self.directories, self.pinsOption, self.pinsFile) = (search, directories, pinsOption, pinsFile)
    (self.makeHost, self.checkIDs) = (makeHost, checkIDs)
  }

  /// Examines the plugin with an id or file. A missing id is a finding of the report.
  ///
  /// - Parameter isFile: True if the name is a path.
  /// - Throws: A `Diagnosis` if there is no such file, if it is an adopted library, or if an option names an unknown plugin.
  package func examine(_ name: String, isFile: Bool) throws -> DoctorReport {
    let searching = try makeHost(nil)
    // A file in a searched directory is examined as a part of the host that other commands make.
    let path = Self.location(of: name)
    let found = searching.discover().filter { isFile ? Self.location(of: $0.path) == path : $0.manifest?.id == name }
    // Several plugins can have one id. The host uses the admitted one.
    if let plugin = found.first(where: { $0.state.diagnosis == nil }) ?? found.first {
      return try examine(plugin, name, searching)
    }
    guard isFile else {
      try checkIDs(searching, name)
      return PluginExamination(name, searching, self).run(missing: name)
    }
    // Any other file is examined with the plugins of the directories, since it may require some of them.
    let host = try makeHost([name] + searching.plugins.map(\.path))
    guard let plugin = host.discover().first(where: { $0.path == name }) else {
      let adopting =
        host.plugins.first { $0.library.map(Self.location) == path }?.path ?? PluginFileName.file(adopting: name)
      throw Diagnosis(
        .unreadable, name, problem: adopting == nil ? "is not found" : "is an adopted library, which is no plugin of its own",
        remedy: "name \(adopting ?? "a plugin file")")
    }
    // A missing file is an error in the command line. A link to a missing file is examined, so lstat(2) does not follow it.
    if (try? Path.status(name, followsLinks: false)) == nil, let diagnosis = plugin.state.diagnosis { throw diagnosis }
    return try examine(plugin, name, host)
  }

  private func examine(_ plugin: Plugin, _ name: String, _ host: PluginHost) throws -> DoctorReport {
    // An option may name the plugin of a file whose manifest cannot be read, so that its id is unknown.
    if plugin.manifest != nil { try checkIDs(host, nil) }
    return PluginExamination(name, host, self).run(plugin)
  }

  /// The path without symbolic links. If the file is missing, only the path of its directory is resolved.
  private static func location(of path: String) -> String {
    Path.resolved(path) ?? (Path.resolved(Path.directory(of: path)) ?? ".") + "/" + Path.lastComponent(of: path)
  }
}
