internal import CTroupe
internal import Glibc
internal import TroupeManifest

/// Decides from the file alone, without running any of it, whether a plugin may be loaded.
struct Admission {
  let trust: TrustedPath
  lazy var search = LibrarySearch()
  /// What plugins may contain; nil if that is all the same.
  let pins: Pins?
  /// For each plugin, by its id, its configuration.
  let configuration: [String: [String: String]]
  /// Whether every plugin is opened soon, so that it is worth to look for Swift in all of them.
  let opensAll: Bool
  /// The largest size of a file in bytes.
  let maximumFileSize: Int
  /// Whether libraries with relocations in their code are refused. To find them costs another read of each file; a probe does it for a
  /// host that probes.
  let checksRelocations: Bool
  /// What files are read into, one after the other.
  let memory = ReadMemory()

  init(_ trust: TrustedPath = TrustedPath(), _ options: PluginHost.Options = PluginHost.Options()) {
    self.trust = trust
    pins = options.pins
    configuration = options.configuration
    opensAll = options.loading == .eager
    maximumFileSize = options.maximumFileSize
    checksRelocations = options.probing == .never
  }

  /// A directory in which files are examined, and what holds for all of them.
  final class Folder: Sendable {
    let directory: Directory
    /// The beginning of the path of each file in it, absolute and without links.
    let resolved: String
    /// Whether the paths of the files in it are such paths.
    let isResolved: Bool
    /// The reason why no file in it can be trusted, or nil.
    let fault: TrustedPath.Fault?

    /// Opens a directory. Throws a `SystemError` if it cannot be read.
    init(_ path: String, _ trust: TrustedPath) throws(SystemError) {
      let location = try trust.locate(path)
      directory = try Directory(location, path: path)
      resolved = Directory.prefix(location.path)
      isResolved = Path.key(resolved) == Path.key(Directory.prefix(path))
      fault = location.fault
    }
  }

  /// A file that is to be examined.
  enum Candidate {
    case path(String)
    case entry(Directory.File, in: Folder)

    /// The file, as it was found.
    var path: String {
      switch self {
      case .path(let path): path
      case .entry(let file, _): file.path
      }
    }
  }

  /// What a file turned out to be.
  struct Outcome {
    /// The manifest, if it could be read.
    var manifest: Manifest?
    /// Whether the image holds Swift, in which case it stays mapped once it has been opened; nil if nobody has looked yet. The end
    /// of the file tells, which is not worth a look for a plugin that says it is in C, until it is opened or is sure to be.
    var holdsSwift: Bool?
    /// The library that was examined, the plugin's own or the one that it adopts: where links led to, and what tells it from
    /// another.
    var library: (path: String, identity: PluginFile.Identity)?
    /// For a file that adopts a library, the path of the library before links are followed. Of a name that is in none of the loader's
    /// directories, the path beside the file. Nil if the file does not name a library.
    var adoptedLibrary: String?
    /// For a file that adopts a library, what tells it from another.
    var adoptionFile: PluginFile.Identity?
    /// For a file that adopts a library, the functions that it takes from it; nil for any other.
    var adopted: AdoptedFunctions?
    /// Whether the file is a sound library and nothing but a manifest is missing.
    var isBareLibrary = false
    /// Why the plugin is not admitted, or nil if it is.
    var fault: PluginFault?
    /// Whether that is because its content did harm before.
    var isQuarantined = false

    /// The plugin's file and, if that adopts a library, the library, as they were examined.
    func files(_ path: String) -> [RegistryFile.FileState] {
      var files = library.map { [RegistryFile.FileState(path: $0.path, identity: $0.identity)] } ?? []
      if let adoptionFile { files.insert(RegistryFile.FileState(path: path, identity: adoptionFile), at: 0) }
      return files
    }
  }

  /// Examines a file.
  mutating func examine(_ candidate: Candidate) -> Outcome {
    var outcome = Outcome()
    do {
      if AdoptionFile.isName(candidate.path) {
        try examineAdoption(candidate, &outcome)
      } else {
        try examineLibrary(candidate, &outcome)
      }
    } catch let fault as PluginFault {
      outcome.fault = fault
    } catch {
      outcome.fault = PluginFault(
        path: candidate.path, code: .notALibrary, problem: "\(error)", remedy: "rebuild it, or remove it")
    }
    return outcome
  }

  private mutating func examineLibrary(_ candidate: Candidate, _ outcome: inout Outcome) throws {
    let path = candidate.path
    let elf = try openLibrary(candidate, &outcome)
    let manifest = try manifest(path, elf, &outcome)
    outcome.manifest = manifest
    try checkMemory(path, elf)
    try checkCompatibility(path, elf, outcome)
    if manifest.language == "swift" {
      outcome.holdsSwift = try checkLinking(path, elf, manifest)
    } else if opensAll {
      // What is wrong with it is told when it is opened.
      outcome.holdsSwift = try? checkLinking(path, elf, nil)
    }
    try checkConfiguration(path, manifest)
    try checkPin(path, manifest.id, elf.bytes)
  }

  private func checkConfiguration(_ path: String, _ manifest: Manifest) throws {
    guard let configured = configuration[manifest.id], let fault = manifest.fault(inConfiguration: configured) else { return }
    throw PluginFault(path: path, code: .invalidSetting, problem: fault.problem, remedy: fault.remedy)
  }

  private func manifest(_ path: String, _ elf: ELFFile, _ outcome: inout Outcome) throws -> Manifest {
    let remedy = "correct it where TROUPE_PLUGIN in C or @Plugin in Swift writes it, and rebuild the plugin"
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
