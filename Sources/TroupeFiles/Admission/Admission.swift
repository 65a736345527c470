internal import CTroupe
internal import TroupeManifest
internal import TroupeBase

/// Decides from a plugin's files alone, without running any code, whether the plugin may be loaded.
///
/// The checks of a library run in this order. The first one that fails is the plugin's diagnosis:
///
/// | check | decided by | called in |
/// |---|---|---|
/// | size; owner and permissions of the file and its path | `TrustedPath` | `Admission+File` |
/// | shared library for this machine | `ELFFile` | `Admission+File` |
/// | manifest | `Manifest` | this file |
/// | no memory that is writable and executable | `ELFFile.writableCode` | `Admission+File` |
/// | ABI, and for Swift compiler and interface | this type | this file, `Admission+Swift` |
/// | no copy of the host's types | this type | `Admission+Swift` |
/// | configuration | `Manifest.diagnosis(inConfiguration:)` | this file |
/// | pin | `Pins` | this file |
///
/// An adoption file goes through `Admission+Adoption`, and the library that it adopts through the same checks but those of a manifest.
/// `Admission+Sources` examines all files of a host: in parallel, and then for what only the whole shows, such as two plugins with one ID.
///
/// A value reuses the buffers for files, and examines one file at a time. It changes nothing, and can run in any process.
package struct Admission {
  let trust: TrustedPath
  lazy var search = AdoptedLibrarySearch()
  let rules: AdmissionRules
  let memory = BufferPool()

  package init(_ trust: TrustedPath = TrustedPath(), _ rules: AdmissionRules = AdmissionRules()) {
    self.trust = trust
    self.rules = rules
  }

  /// Returns the diagnosis of a rejected file in the outcome.
  mutating func examine(_ candidate: FoundFile) -> Outcome {
    var outcome = Outcome()
    do {
      if PluginFileName.isAdoption(candidate.path) {
        try examineAdoption(candidate, &outcome)
      } else {
        try examineLibrary(candidate, &outcome)
      }
    } catch let diagnosis as Diagnosis {
      outcome.diagnosis = diagnosis
    } catch {
      outcome.diagnosis = Diagnosis(.notALibrary, candidate.path, problem: "\(error)", remedy: "rebuild it, or remove it")
    }
    return outcome
  }

  private mutating func examineLibrary(_ candidate: FoundFile, _ outcome: inout Outcome) throws {
    let path = candidate.path
    let elf = try openLibrary(candidate, &outcome)
    let manifest = try manifest(path, elf, &outcome)
    outcome.manifest = manifest
    try checkMemory(path, elf)
    try checkCompatibility(path, outcome)
    if manifest.language == "swift" {
      outcome.holdsSwift = try checkLinking(path, elf, manifest: manifest)
    } else if rules.opensAll {
      // The diagnosis is reported when the plugin is opened.
      outcome.holdsSwift = try? checkLinking(path, elf, manifest: nil)
    }
    try checkConfiguration(path, manifest)
    try checkPin(path, manifest.id, elf.bytes)
  }

  private func checkConfiguration(_ path: String, _ manifest: Manifest) throws {
    guard let configured = rules.configuration[manifest.id], let diagnosis = manifest.diagnosis(inConfiguration: configured)
    else {
      return
    }
    throw diagnosis.about(path)
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

  private func checkCompatibility(_ path: String, _ outcome: Outcome) throws {
    guard let manifest = outcome.manifest else { return }
    let abi = Manifest.ABI(major: Int(TROUPE_ABI_MAJOR), minor: Int(TROUPE_ABI_MINOR))
    if manifest.abi.major != abi.major {
      throw Diagnosis(
        .incompatibleABI, path, problem: "requires ABI \(manifest.abi), this host has \(abi)",
        remedy: "build it against this host's troupe.h")
    }
    if manifest.abi.minor > abi.minor {
      throw Diagnosis(
        .incompatibleABI, path, problem: "requires ABI \(manifest.abi), this host has the older \(abi)",
        remedy: "update the host, or build the plugin against this host's troupe.h")
    }
    if manifest.language == "swift" { try checkSwift(path, manifest) }
  }

  /// Throws if the host has pins and the content of the file is not pinned for the plugin. Reads the whole file.
  ///
  /// - Parameter plugin: The adoption file, if this is the library that it adopts.
  func checkPin(_ path: String, _ id: String, _ bytes: any ByteSource, plugin: String? = nil) throws {
    guard let pins = rules.pins else { return }
    if let diagnosis = pins.diagnosis(try ContentHash(of: bytes), of: id, path: plugin ?? path) { throw diagnosis.about(path) }
  }
}

/// The policy of a host: its settings that decide which plugin files are admitted.
package struct AdmissionRules: Sendable {
  /// Nil disables pinning.
  package var pins: Pins?
  /// By plugin ID.
  package var configuration: [String: [String: String]] = [:]
  /// Every plugin is opened soon, so all images are checked for Swift code.
  package var opensAll = false
  /// In bytes.
  package var maximumFileSize = 1 << 30
  /// Rejects libraries with relocations in their code. The check reads each file once more, so in a host that probes the probe does it.
  package var checksRelocations = false

  package init() {}
}
