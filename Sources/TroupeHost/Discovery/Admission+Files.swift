internal import Glibc

extension Admission {
  /// Opens a library and checks everything about it but what it says: where it is, whose it is, what machine it is for.
  mutating func openLibrary(_ candidate: Candidate, _ outcome: inout Outcome) throws -> ELFFile {
    let path = candidate.path
    let (file, resolved) = try openTrusted(candidate)
    outcome.library = (resolved, file.identity)
    guard strchr(resolved, CInt(UInt8(ascii: "$"))) == nil else {
      throw PluginFault(
        path: path, code: .unreadable, problem: "has a $ in its path, for which the loader may put something else",
        remedy: "move it or give it another name")
    }
    return try read(path, file)
  }

  /// Opens a file that nobody else can change, and gives the path that links lead to.
  mutating func openTrusted(_ candidate: Candidate) throws -> (file: PluginFile, resolved: String) {
    do {
      if case .entry(let entry, let folder) = candidate, let file = try PluginFile(entry, in: folder.directory, memory: memory)
      {
        return (file, try checkTrust(entry, in: folder, file))
      }
      let file = try PluginFile(path: candidate.path, memory: memory)
      return (file, try checkTrust(candidate.path, file))
    } catch let error as PluginFile.Unreadable {
      throw PluginFault(path: candidate.path, code: .unreadable, problem: error.problem, remedy: error.remedy)
    }
  }

  /// Checks a file in a folder, which is no link. Gives its path without the links that lead to the folder.
  private func checkTrust(_ entry: Directory.File, in folder: Folder, _ file: PluginFile) throws -> String {
    try checkOwner(entry.path, file)
    guard let resolved = folder.resolved else { throw vanished(entry.path) }
    if let fault = folder.fault { throw untrusted(entry.path, fault) }
    return folder.isResolved ? entry.path : resolved + entry.name
  }

  /// Checks a file. Gives the path that links lead to.
  private mutating func checkTrust(_ path: String, _ file: PluginFile) throws -> String {
    try checkOwner(path, file)
    // Both where the name stands and where a link leads to have to be out of others' reach.
    let link = Path.resolved(Path.directory(of: path)).map { $0 + "/" + Path.lastComponent(of: path) }
    guard let link, let resolved = Path.resolved(path) else { throw vanished(path) }
    for place in [link, resolved] {
      if let fault = trust.fault(inDirectoryOf: place) { throw untrusted(path, fault) }
    }
    return resolved
  }

  private func checkOwner(_ path: String, _ file: PluginFile) throws(PluginFault) {
    guard let fault = trust.fault(inFile: file.status) else { return }
    throw PluginFault(path: path, code: .untrusted, problem: fault.problem, remedy: "fix it with \(fault.remedy)")
  }

  private func vanished(_ path: String) -> PluginFault {
    PluginFault(path: path, code: .unreadable, problem: "vanished while it was examined", remedy: "try again")
  }

  private func untrusted(_ path: String, _ fault: TrustedPath.Fault) -> PluginFault {
    PluginFault(path: path, code: .untrusted, problem: fault.problem, remedy: fault.remedy)
  }

  private func read(_ path: String, _ file: PluginFile) throws -> ELFFile {
    do {
      let elf = try ELFFile(file.bytes)
      let machine = Machine(number: elf.machine)
      guard machine == .current else {
        throw PluginFault(
          path: path, code: .wrongMachine, problem: "is for \(machine), and this host runs on \(Machine.current)",
          remedy: "install the build for \(Machine.current)")
      }
      return elf
    } catch let error as ELFError {
      throw PluginFault(
        path: path, code: .notALibrary, problem: error.description,
        remedy: "build a shared library for \(Machine.current), or remove the file")
    }
  }
}
