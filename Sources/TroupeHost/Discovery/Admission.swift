internal import CTroupe
internal import Glibc
internal import TroupeManifest

/// Decides from the file alone, without running any of it, whether a plugin may be loaded.
struct Admission {
  private var trust = TrustedPath()

  init() {}

  /// What a file turned out to be.
  struct Outcome {
    /// The manifest, if it could be read.
    var manifest: Manifest?
    /// Whether the image holds Swift, in which case it stays mapped once it has been opened.
    var holdsSwift = false
    /// The file that was examined: where links led to, and what tells it from another.
    var file: (path: String, identity: PluginFile.Identity)?
    /// Why the plugin is not admitted, or nil if it is.
    var fault: PluginFault?
  }

  /// Examines a file.
  mutating func examine(_ path: String) -> Outcome {
    var outcome = Outcome()
    do {
      let file = try open(path)
      let resolved = try checkTrust(path, file)
      outcome.file = (resolved, file.identity)
      let elf = try read(path, file)
      outcome.holdsSwift = try elf.holdsSwift()
      outcome.manifest = try manifest(path, elf)
      try checkCompatibility(path, elf, outcome)
    } catch let fault as PluginFault {
      outcome.fault = fault
    } catch {
      outcome.fault = PluginFault(
        path: path, code: .notALibrary, problem: "\(error)", remedy: "build it anew, or remove it")
    }
    return outcome
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
    guard !resolved.utf8.contains(UInt8(ascii: "$")) else {
      throw PluginFault(
        path: path, code: .unreadable, problem: "has a $ in its path, for which the loader may put something else",
        remedy: "move it or give it another name")
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

  private func manifest(_ path: String, _ elf: ELFFile) throws -> Manifest {
    let remedy = "write one with TROUPE_PLUGIN in C or @Plugin in Swift, or keep a library that is no plugin elsewhere"
    do {
      guard let note = try elf.manifestNote() else {
        throw PluginFault(path: path, code: .invalidManifest, problem: "has no Troupe manifest", remedy: remedy)
      }
      return try Manifest(json: note)
    } catch let error as ELFError {
      throw PluginFault(path: path, code: .invalidManifest, problem: error.description, remedy: remedy)
    } catch let error as ManifestError {
      throw PluginFault(path: path, code: .invalidManifest, problem: "has a manifest that \(error)", remedy: remedy)
    }
  }

  private func checkCompatibility(_ path: String, _ elf: ELFFile, _ outcome: Outcome) throws {
    guard let manifest = outcome.manifest else { return }
    let abi = Manifest.ABI(major: Int(TROUPE_ABI_MAJOR), minor: Int(TROUPE_ABI_MINOR))
    if manifest.abi.major != abi.major {
      throw PluginFault(
        path: path, code: .incompatibleABI, problem: "is for version \(manifest.abi) of the ABI, and this host has \(abi)",
        remedy: "build it against this host's troupe.h")
    }
    if manifest.abi.minor > abi.minor {
      throw PluginFault(
        path: path, code: .incompatibleABI,
        problem: "needs version \(manifest.abi) of the ABI, and this host has the older \(abi)",
        remedy: "update the host, or build the plugin against this host's troupe.h")
    }
    if manifest.language == "swift" { try checkSwift(path, elf, manifest) }
  }

  private func checkSwift(_ path: String, _ elf: ELFFile, _ manifest: Manifest) throws {
    let remedy = "build it with this host's compiler against Troupe \(Release.version)"
    guard manifest.sdk == Release.version else {
      let other = manifest.sdk.map { "Troupe \($0)" } ?? "no release of Troupe that it names"
      throw PluginFault(
        path: path, code: .incompatibleCompiler, problem: "was built against \(other), and this host is \(Release.version)",
        remedy: remedy)
    }
    guard let own = SwiftToolchain.compiler else {
      throw PluginFault(
        path: path, code: .incompatibleCompiler, problem: "is in Swift, and this host does not know which compiler built it",
        remedy: "install a libTroupe.so whose section .comment has not been stripped")
    }
    guard let compiler = try elf.swiftCompiler() else {
      throw PluginFault(
        path: path, code: .incompatibleCompiler, problem: "does not say which compiler built it",
        remedy: "build it with this host's compiler and do not strip the section .comment")
    }
    guard compiler == own else {
      throw PluginFault(
        path: path, code: .incompatibleCompiler, problem: "was built by another compiler (\(compiler), this host by \(own))",
        remedy: remedy)
    }
  }
}
