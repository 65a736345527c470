internal import CTroupe
internal import Glibc
internal import TroupeManifest

/// Decides from the file alone, without running any of it, whether a plugin may be loaded.
struct Admission {
  var trust = TrustedPath()
  lazy var search = LibrarySearch()
  /// What plugins may contain; nil if that is all the same.
  let pins: Pins?

  init(pins: Pins? = nil) {
    self.pins = pins
  }

  /// What a file turned out to be.
  struct Outcome {
    /// The manifest, if it could be read.
    var manifest: Manifest?
    /// Whether the image holds Swift, in which case it stays mapped once it has been opened.
    var holdsSwift = false
    /// The library that was examined, the plugin's own or the one that it adopts: where links led to, and what tells it from
    /// another.
    var library: (path: String, identity: PluginFile.Identity)?
    /// For a file that adopts a library, the functions that it takes from it; nil for any other.
    var adopted: [AdoptedFunction]?
    /// Whether the file is a sound library and nothing but a manifest is missing.
    var isBareLibrary = false
    /// Why the plugin is not admitted, or nil if it is.
    var fault: PluginFault?
    /// Whether that is because its content did harm before.
    var isQuarantined = false

    /// The plugin's file and, if that adopts a library, the library, as they were examined.
    func files(_ path: String) -> [RegistryFile.FileState] {
      var files = library.map { [RegistryFile.FileState(path: $0.path, identity: $0.identity)] } ?? []
      if AdoptionFile.isName(path), let identity = PluginFile.Identity.of(path) {
        files.insert(RegistryFile.FileState(path: path, identity: identity), at: 0)
      }
      return files
    }
  }

  /// Examines a file.
  mutating func examine(_ path: String) -> Outcome {
    var outcome = Outcome()
    do {
      if AdoptionFile.isName(path) {
        try examineAdoption(path, &outcome)
      } else {
        try examineLibrary(path, &outcome)
      }
    } catch let fault as PluginFault {
      outcome.fault = fault
    } catch {
      outcome.fault = PluginFault(
        path: path, code: .notALibrary, problem: "\(error)", remedy: "build it anew, or remove it")
    }
    return outcome
  }

  private mutating func examineLibrary(_ path: String, _ outcome: inout Outcome) throws {
    let elf = try openLibrary(path, &outcome)
    outcome.manifest = try manifest(path, elf, &outcome)
    try checkCompatibility(path, elf, outcome)
    try checkLinking(path, elf, outcome.manifest, &outcome)
    if let id = outcome.manifest?.id { try checkPin(path, id, elf.bytes) }
  }

  private func manifest(_ path: String, _ elf: ELFFile, _ outcome: inout Outcome) throws -> Manifest {
    let remedy = "correct it where TROUPE_PLUGIN in C or @Plugin in Swift writes it, and build the plugin anew"
    do {
      guard let note = try elf.manifestNote() else {
        outcome.isBareLibrary = true
        throw PluginFault(
          path: path, code: .invalidManifest, problem: "has no Troupe manifest",
          remedy: "write one with TROUPE_PLUGIN in C or @Plugin in Swift, or keep a library that is no plugin elsewhere")
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
}
