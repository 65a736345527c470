public import TroupeFiles

extension Plugin {
  /// The files of the plugin: its own file and, if it adopts one, the library.
  public var files: [String] { [path] + (library.map { [$0] } ?? []) }

  /// Returns the entries that pin the plugin's present files, in the order of `files`. Cost: reads all of them, about 4 ms per
  /// megabyte. Throws a `PluginFault` if the plugin has no id or a file cannot be read.
  public func pins() throws(PluginFault) -> [Pins.Entry] {
    guard let id = manifest?.id else {
      throw state.fault ?? PluginFault(path: path, code: .invalidManifest, problem: "has no id", remedy: "give it one")
    }
    var entries: [Pins.Entry] = []
    for file in files {
      do {
        if let entry = Pins.Entry(try ContentHash(of: PluginFile(path: file).bytes), plugin: id) { entries.append(entry) }
      } catch let error as PluginFile.Unreadable {
        throw PluginFault(path: file, code: .unreadable, problem: error.problem, remedy: error.remedy)
      } catch {
        throw PluginFault(
          path: file, code: .unreadable, problem: "\(error)", remedy: "retry after the file is complete")
      }
    }
    return entries
  }
}
