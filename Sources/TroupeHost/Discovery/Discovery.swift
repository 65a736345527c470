/// Goes through directories and files and decides about each plugin, without running any.
struct Discovery {
  private let options: PluginHost.Options

  init(_ options: PluginHost.Options) {
    self.options = options
  }

  /// The plugins in the order in which they are found. A directory that cannot be read is a rejected one.
  func records() -> [PluginRecord] {
    withoutAdoptedLibraries(findings()).map { PluginRecord(path: $0.path, outcome: $0.outcome) }
  }

  private typealias Finding = (path: String, outcome: Admission.Outcome)

  /// Without the libraries that are no plugins by themselves and that a file beside them adopts.
  private func withoutAdoptedLibraries(_ findings: [Finding]) -> [Finding] {
    let adopted = Set(
      findings.filter { AdoptionFile.isName($0.path) }.compactMap { $0.outcome.library.map { Path.key($0.path) } })
    return findings.filter { finding in
      guard finding.outcome.isBareLibrary, let library = finding.outcome.library else { return true }
      return !adopted.contains(Path.key(library.path))
    }
  }

  private func findings() -> [Finding] {
    var findings: [Finding] = []
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
      findings.append((path, outcome))
    }

    for directory in options.directories {
      guard directories.insert(Path.key(Path.resolved(directory) ?? directory)).inserted else { continue }
      do {
        for file in try Directory.plugins(in: directory) {
          if file.isReachable {
            examine(file.path)
          } else {
            let fault = PluginFault(
              path: file.path, code: .unreadable, problem: "has a name that is not UTF-8", remedy: "give it another name")
            findings.append((file.path, Admission.Outcome(fault: fault)))
          }
        }
      } catch {
        let fault = PluginFault(
          path: directory, code: .unreadable, problem: "cannot be read as a directory: \(error)",
          remedy: "create it, or name another")
        findings.append((directory, Admission.Outcome(fault: fault)))
      }
    }
    var files: Set<[UInt8]> = []
    for path in options.files where files.insert(Path.key(path)).inserted { examine(path) }
    return findings
  }
}
