internal import Glibc

extension Admission {
  /// Opens a library and checks everything about it but what it says: where it is, whose it is, what machine it is for.
  mutating func openLibrary(_ path: String, _ outcome: inout Outcome) throws -> ELFFile {
    let (file, resolved) = try openTrusted(path)
    outcome.library = (resolved, file.identity)
    guard !resolved.utf8.contains(UInt8(ascii: "$")) else {
      throw PluginFault(
        path: path, code: .unreadable, problem: "has a $ in its path, for which the loader may put something else",
        remedy: "move it or give it another name")
    }
    let elf = try read(path, file)
    outcome.holdsSwift = try elf.holdsSwift()
    return elf
  }

  /// Opens a file that nobody else can change, and gives the path that links lead to.
  mutating func openTrusted(_ path: String) throws -> (file: PluginFile, resolved: String) {
    let file = try open(path)
    return (file, try checkTrust(path, file))
  }

  private func open(_ path: String) throws -> PluginFile {
    do {
      return try PluginFile(path: path)
    } catch {
      throw PluginFault(path: path, code: .unreadable, problem: error.problem, remedy: error.remedy)
    }
  }

  /// Gives the path that links lead to.
  private mutating func checkTrust(_ path: String, _ file: PluginFile) throws -> String {
    if let fault = trust.fault(inFile: file.status) {
      throw PluginFault(path: path, code: .untrusted, problem: fault.problem, remedy: "mend it with \(fault.remedy)")
    }
    // Both where the name stands and where a link leads to have to be out of others' reach.
    let link = Path.resolved(Path.directory(of: path)).map { $0 + "/" + Path.lastComponent(of: path) }
    guard let link, let resolved = Path.resolved(path) else {
      throw PluginFault(path: path, code: .unreadable, problem: "vanished while it was examined", remedy: "try again")
    }
    for place in [link, resolved] {
      if let fault = trust.fault(inDirectoryOf: place) {
        throw PluginFault(path: path, code: .untrusted, problem: fault.problem, remedy: fault.remedy)
      }
    }
    return resolved
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
