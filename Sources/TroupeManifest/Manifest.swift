internal import Glibc
internal import TroupeBase

/// The manifest of a plugin: its identity, its requirements and its settings.
///
/// A library carries it as an ELF note with JSON (`NoteLayout`), so that a host knows the plugin without running its code:
///
/// ```json
/// {"id": "org.example.chart", "name": "Chart", "version": "1.2.0", "language": "c", "abi": "1.2",
///  "requires": ["org.example.geometry ^2.0.0"], "provides": ["org.example.chart/1"],
///  "settings": [{"key": "width", "type": "integer", "default": "640", "minimum": "1"}]}
/// ```
///
/// In C, `TROUPE_PLUGIN` writes it, and in Swift `@Plugin`. Every manifest in this type is valid: its texts are short and without control
/// characters, its ID and versions follow the rules of this module. A copy of a manifest costs one retain.
public struct Manifest: Sendable, Hashable {
  /// The version of the ABI that a plugin was built against.
  public typealias ABI = ABIVersion

  /// The plugin's id in reverse DNS notation.
  public var id: String { shared.content.id }
  /// The plugin's name for people.
  public var name: String { shared.content.name }
  /// The plugin's version.
  public var version: SemanticVersion { shared.content.version }
  /// The plugin's description for users, at most 1024 bytes; empty if it has none.
  public var description: String { shared.content.description }
  /// The language of its source code, such as `swift`, `c` or `c++`. That of an adopted library is `swift` if it has Swift's metadata, and
  /// `c` otherwise: no other language leaves a mark in each of its libraries.
  public var language: String { shared.content.language }
  /// The ABI that it was built against.
  public var abi: ABI { shared.content.abi }
  /// For a plugin in Swift, the release of Troupe that it was built against.
  public var sdk: String? { shared.content.sdk }
  /// For a plugin in Swift, the version of the ``SwiftInterface`` that it was built against, such as `0.1`. Only the host checks it.
  public var interface: String? { shared.content.interface }
  /// For a plugin in Swift, the version of the compiler that built it, such as `6.3`. Only the host checks it.
  public var compiler: String? { shared.content.compiler }
  /// The required plugins and contracts, in the order of the manifest.
  public var requires: [Requirement] { shared.content.requires }
  /// The names of the provided contracts. Other plugins may require them before the plugin is loaded.
  public var provides: [String] { shared.content.provides }
  /// The declared settings; empty if the plugin accepts any configuration.
  public var settings: [Setting] { shared.content.settings }
  /// The named values of an adopted library, such as `Z_FINISH`. An argument of a call may be a name.
  public var constants: [String: Constant] { shared.content.constants }

  /// A macro or an enumerator of a header.
  public enum Constant: Sendable, Hashable {
    /// A value of any integer type.
    case integer(Int128)
    /// A string literal.
    case text(String)
  }

  /// The time at which the plugin asks to be opened; nil leaves it to the host.
  public var loading: Loading? { shared.content.loading }

  /// The time at which a plugin asks to be opened.
  public enum Loading: String, Sendable, Hashable {
    /// At the start of the host, for a plugin that works without being resolved.
    case eager
    /// At the first resolve of one of its factories.
    case lazy
  }

  private struct Content: Hashable {
    let id, name: String
    var description = ""
    let version: SemanticVersion
    var language: String
    let abi: ABI
    let sdk, interface, compiler: String?
    let requires: [Requirement]
    var provides: [String]
    let loading: Loading?
    var settings: [Setting] = []
    var constants: [String: Constant] = [:]
  }

  /// All copies of a manifest share this object. Manifests are copied often, and one retain is faster than one for each member.
  private final class Shared: Sendable {
    let content: Content

    init(_ content: Content) {
      self.content = content
    }
  }

  private let shared: Shared

  private init(_ content: Content) {
    shared = Shared(content)
  }

  /// Creates the manifest of a plugin that adopts a library in C. It has no code of its own, so its ABI is that of the host.
  package init(
    adoptingAs id: String, name: String, description: String, version: SemanticVersion, abi: ABI,
    constants: [String: Constant] = [:]
  ) {
    self.init(
      Content(
        id: id, name: name, description: description, version: version, language: "c", abi: abi, sdk: nil, interface: nil,
        compiler: nil, requires: [], provides: [], loading: nil, constants: constants))
  }

  /// Returns a copy for an adopted library in Swift.
  package func adoptingSwift() -> Manifest {
    var content = shared.content
    content.language = "swift"
    return Manifest(content)
  }

  /// Returns a copy with other provided contracts.
  package func providing(_ contracts: [String]) -> Manifest {
    var content = shared.content
    content.provides = contracts
    return Manifest(content)
  }

  /// Compares the members.
  public static func == (one: Manifest, other: Manifest) -> Bool {
    one.shared === other.shared || one.shared.content == other.shared.content
  }

  /// Hashes the members.
  public func hash(into hasher: inout Hasher) { hasher.combine(shared.content) }
}

// MARK: - JSON

extension Manifest {
  /// Parses a manifest up to its first NUL. Ignores unknown members, so that later versions can add some.
  package init(json: [UInt8]) throws(ManifestError) {
    // A literal in C ends with a NUL. One in Swift is padded with spaces, which JSON ignores.
    let end = strnlen(json, json.count)
    guard (try? UTF8Span(validating: json.span.extracting(first: end))) != nil else { throw ManifestError("is not UTF-8") }
    let members = try Members(JSONScanner(json, end: end, maximumDepth: 512))
    let id = try Self.required("id", members.id)
    if let problem = PluginIdentifier.problem(in: id) { throw ManifestError("has the id \"\(id)\", which \(problem)") }
    let name = try Self.required("name", members.name)
    let description = members.description?.isEmpty ?? true ? "" : try Self.required("description", members.description)
    let version = try Self.version(try Self.required("version", members.version))
    let language = try Self.required("language", members.language)
    let abi = try Self.abi(try Self.required("abi", members.abi))
    let sdk = members.sdk == nil ? nil : try Self.required("sdk", members.sdk)
    let interface = members.interface == nil ? nil : try Self.required("interface", members.interface)
    let compiler = members.compiler == nil ? nil : try Self.required("compiler", members.compiler)
    let requires = try Self.requirements(members.requires ?? [])
    let provides = try Self.contracts(members.provides ?? [])
    self.init(
      Content(
        id: id, name: name, description: description, version: version, language: language, abi: abi, sdk: sdk,
        interface: interface, compiler: compiler, requires: requires, provides: provides,
        loading: try Self.loading(members.loading),
        settings: try Self.settings(members.settings ?? [])))
  }

  /// The members before their values are checked. The last of several members with the same name counts.
  private struct Members {
    var id, name, description, version, language, abi, sdk, interface, compiler, loading: String?
    var requires, provides: [String]?
    var settings: [SettingMembers]?
    /// The error of the first member of a wrong type.
    private var mismatch: ManifestError?

    /// Skips unknown members, which must be JSON as well.
    init(_ scanner: consuming JSONScanner) throws(ManifestError) {
      do throws(JSONScanner.SyntaxError) {
        if scanner.next == UInt8(ascii: "{") {
          try scanner.readObject { (scanner, name) throws(JSONScanner.SyntaxError) in try read(name, &scanner) }
        } else {
          try scanner.skipValue()
          mismatch = ManifestError("is not a JSON object")
        }
        try scanner.skipEnd()
      } catch {
        throw ManifestError("is not JSON")
      }
      if let mismatch { throw mismatch }
    }

    private mutating func read(_ name: ArraySlice<UInt8>, _ scanner: inout JSONScanner) throws(JSONScanner.SyntaxError) {
      switch name {
      case "id": id = take(try scanner.readString(), name, "a string")
      case "name": self.name = take(try scanner.readString(), name, "a string")
      case "description": description = take(try scanner.readString(), name, "a string")
      case "version": version = take(try scanner.readString(), name, "a string")
      case "language": language = take(try scanner.readString(), name, "a string")
      case "abi": abi = take(try scanner.readString(), name, "a string")
      case "sdk": sdk = take(try scanner.readString(), name, "a string")
      case "interface": interface = take(try scanner.readString(), name, "a string")
      case "compiler": compiler = take(try scanner.readString(), name, "a string")
      case "loading": loading = take(try scanner.readString(), name, "a string")
      case "requires": requires = take(try scanner.readStrings(), name, "a list of strings")
      case "settings":
        let found = try scanner.readObjects { (scanner) throws(JSONScanner.SyntaxError) in try SettingMembers(&scanner) }
        settings = take(found, name, "a list of objects")
      case "provides": provides = take(try scanner.readStrings(), name, "a list of strings")
      default: try scanner.skipValue()
      }
    }

    private mutating func take<Value>(_ found: JSONScanner.Found<Value>, _ name: ArraySlice<UInt8>, _ kind: String) -> Value? {
      switch found {
      case .value(let value): return value
      case .null: return nil
      case .other:
        if mismatch == nil {
          mismatch = ManifestError("has a \"\(String(decoding: name, as: UTF8.self))\" that is not \(kind)")
        }
        return nil
      }
    }
  }

  private static func requirements(_ texts: [String]) throws(ManifestError) -> [Requirement] {
    try checkCount(texts, "requires")
    var requirements: [Requirement] = []
    for text in texts {
      do {
        requirements.append(try Requirement(text))
      } catch {
        throw ManifestError("requires \"\(text)\", which \(error)")
      }
    }
    return requirements
  }

  private static func contracts(_ names: [String]) throws(ManifestError) -> [String] {
    try checkCount(names, "provides")
    for name in names where !ContractName.isName(name) {
      throw ManifestError("provides \"\(name)\", which is not the name of a contract, such as org.example.counter/1")
    }
    return names
  }

  private static func checkCount(_ texts: [String], _ name: String) throws(ManifestError) {
    guard texts.count <= Requirement.maximumCount else {
      throw ManifestError("has more than \(Requirement.maximumCount) entries in \"\(name)\"")
    }
  }

  private static func required(_ name: String, _ value: String?) throws(ManifestError) -> String {
    guard let value, !value.isEmpty else { throw ManifestError("has no \"\(name)\"") }
    guard value.utf8.count <= ManifestText.maximumLength else {
      throw ManifestError("has a \"\(name)\" of more than \(ManifestText.maximumLength) bytes")
    }
    guard !ManifestText.hasControlCharacters(value) else {
      throw ManifestError("has a \"\(name)\" with control characters")
    }
    return value
  }

  private static func version(_ text: String) throws(ManifestError) -> SemanticVersion {
    guard let version = SemanticVersion(text) else {
      throw ManifestError("has the version \"\(text)\", which is not a semantic version such as 1.0.0")
    }
    return version
  }

  private static func loading(_ text: String?) throws(ManifestError) -> Loading? {
    guard let text else { return nil }
    guard let loading = Loading(rawValue: text) else {
      throw ManifestError("has the loading \"\(text)\", which is neither eager nor lazy")
    }
    return loading
  }

  private static func abi(_ text: String) throws(ManifestError) -> ABI {
    guard let version = ABI(text) else {
      throw ManifestError("has the abi \"\(text)\", which is not a version such as 1.0")
    }
    return version
  }
}
