internal import CTroupe
internal import TroupeManifest
internal import TroupeBase

/// Decides from a plugin's files alone, without running any code, whether the plugin may be loaded.
package struct Admission {
  let trust: TrustedPath
  lazy var search = AdoptedLibrarySearch()
  let rules: AdmissionRules
  /// The buffers for reading files one after the other.
  let memory = BufferPool()

  package init(_ trust: TrustedPath = TrustedPath(), _ rules: AdmissionRules = AdmissionRules()) {
    self.trust = trust
    self.rules = rules
  }

  /// Examines a file. Returns a fault instead of throwing it.
  mutating func examine(_ candidate: FoundFile) -> Outcome {
    var outcome = Outcome()
    do {
      if PluginFileName.isAdoption(candidate.path) {
        try examineAdoption(candidate, &outcome)
      } else {
        try examineLibrary(candidate, &outcome)
      }
    } catch let fault as Diagnosis {
      outcome.fault = fault
    } catch {
      outcome.fault = Diagnosis(.notALibrary, candidate.path, problem: "\(error)", remedy: "rebuild it, or remove it")
    }
    return outcome
  }

  private mutating func examineLibrary(_ candidate: FoundFile, _ outcome: inout Outcome) throws {
    let path = candidate.path
    let elf = try openLibrary(candidate, &outcome)
    let manifest = try manifest(path, elf, &outcome)
    outcome.manifest = manifest
    try checkMemory(path, elf)
    try checkCompatibility(path, elf, outcome)
    if manifest.language == "swift" {
      outcome.holdsSwift = try checkLinking(path, elf, manifest)
    } else if rules.opensAll {
      // The fault is reported when the plugin is opened.
      outcome.holdsSwift = try? checkLinking(path, elf, nil)
    }
    try checkConfiguration(path, manifest)
    try checkPin(path, manifest.id, elf.bytes)
  }

  private func checkConfiguration(_ path: String, _ manifest: Manifest) throws {
    guard let configured = rules.configuration[manifest.id], let fault = manifest.fault(inConfiguration: configured) else {
      return
    }
    throw fault.of(path)
  }

  private func manifest(_ path: String, _ elf: ELFFile, _ outcome: inout Outcome) throws -> Manifest {
    let remedy = "correct it where TROUPE_PLUGIN in C or @Plugin in Swift writes it, and rebuild the plugin"
    do {
      guard let note = try elf.manifestNote() else {
        outcome.isBareLibrary = true
        throw Diagnosis(
          .invalidManifest, path, problem: "has no Troupe manifest",
          remedy: PluginFileName.file(adopting: path).map { "name \($0), which makes a plugin of it" }
            ?? "write one with TROUPE_PLUGIN in C or @Plugin in Swift, or keep a library that is no plugin elsewhere")
      }
      return try Manifest(json: note)
    } catch let error as ReadError {
      throw Diagnosis(.invalidManifest, path, problem: error.description, remedy: remedy)
    } catch let error as ManifestError {
      throw Diagnosis(.invalidManifest, path, problem: "has a manifest that \(error)", remedy: remedy)
    }
  }

  private func checkCompatibility(_ path: String, _ elf: ELFFile, _ outcome: Outcome) throws {
    guard let manifest = outcome.manifest else { return }
    let abi = Manifest.ABI(major: Int(TROUPE_ABI_MAJOR), minor: Int(TROUPE_ABI_MINOR))
    if manifest.abi.major != abi.major {
      throw Diagnosis(
        .incompatibleABI, path, problem: "is for version \(manifest.abi) of the ABI, and this host has \(abi)",
        remedy: "build it against this host's troupe.h")
    }
    if manifest.abi.minor > abi.minor {
      throw Diagnosis(
        .incompatibleABI, path, problem: "needs version \(manifest.abi) of the ABI, and this host has the older \(abi)",
        remedy: "update the host, or build the plugin against this host's troupe.h")
    }
    if manifest.language == "swift" { try checkSwift(path, elf, manifest) }
  }
}
