/// Goes through directories and files and decides about each plugin, without running any.
struct Discovery {
  private let options: PluginHost.Options

  init(_ options: PluginHost.Options) {
    self.options = options
  }

  /// The plugins in the order in which they are found. A directory that cannot be read is a rejected one.
  func records() -> [PluginRecord] {
    var records: [PluginRecord] = []
    var admission = Admission()
    var directories: Set<[UInt8]> = []
    var holders: [String: String] = [:]

    func examine(_ path: String) {
      var outcome = admission.examine(path)
      // Of several files with one id the first counts, as with commands in PATH.
      if outcome.fault == nil, let id = outcome.manifest?.id {
        if let holder = holders[id] {
          outcome.fault = PluginFault(
            path: path, code: .duplicateIdentifier, problem: "has the id \(id), as \(holder) has, which was found first",
            remedy: "remove one of the two")
        } else {
          holders[id] = path
        }
      }
      records.append(PluginRecord(path: path, outcome: outcome))
    }

    for directory in options.directories {
      guard directories.insert(Path.key(Path.resolved(directory) ?? directory)).inserted else { continue }
      do {
        for file in try Directory.libraries(in: directory) {
          if file.isReachable {
            examine(file.path)
          } else {
            let fault = PluginFault(
              path: file.path, code: .unreadable, problem: "has a name that is not UTF-8", remedy: "give it another name")
            records.append(PluginRecord(path: file.path, outcome: Admission.Outcome(fault: fault)))
          }
        }
      } catch {
        let fault = PluginFault(
          path: directory, code: .unreadable, problem: "cannot be read as a directory: \(error)",
          remedy: "create it, or name another")
        records.append(PluginRecord(path: directory, outcome: Admission.Outcome(fault: fault)))
      }
    }
    var files: Set<[UInt8]> = []
    for path in options.files where files.insert(Path.key(path)).inserted { examine(path) }
    return records
  }
}
