public import FoundationEssentials
internal import TroupeBase
public import TroupeContainer
public import TroupeManifest
package import TroupeSignature

/// A factory or function that a plugin registers, as a value: the only model of a registration.
///
/// Each source of registrations makes this value, and everything that shows a registration reads it:
///
///     troupe_factory ───┐                              ┌─► entry of the container with its metadata, PluginHost.registrations
///     adoption file ────┼──► RegistrationDescription ──┼─► troupe_registration, Python, JSON, catalog, validate
///     Swift registrar ──┘            ▲                 └─► report of a probe or worker
///                                    └── cache ◄───────────┘
///
/// It refers to no code of the plugin. The host can list a registration, and make the pending entry of a lazy plugin, before the image is
/// open. The same factory has equal descriptions in all processes, but for ``contract`` of a Swift type: see `asDeclared`.
///
/// **To add a member**, add it here, in the initializer and in both functions of the codec below, and raise `codecVersion` there.
public struct RegistrationDescription: Sendable, Hashable {
  /// The id of the plugin.
  public let plugin: String
  /// The factory's own UUID; nil for a Swift registration that has none among its tags.
  public let uuid: UUID?
  /// The name for users, which need not be unique. A Swift registration without one has the name of its type.
  public let name: String
  /// The contract of the instances; nil for a plain C function, and for a Swift type without a contract in this host.
  public package(set) var contract: String?
  /// The category tags, sorted.
  public let tags: [String]
  /// The parameters and the result: a C function type, or a Swift one.
  public let signature: String
  /// The lifetime of an instance.
  public let lifetime: Lifetime
  /// Further facts for users and programs.
  public let metadata: [String: String]
  /// The source location of the registration, such as `Shout/ShoutPlugin.swift:21`; nil for one in C.
  public let location: String?
  /// Whether calls of a C function on several threads run at once; see `ForeignFunction.isCallableFromAnyThread`. True for a factory in
  /// Swift.
  public let isCallableFromAnyThread: Bool
  package let context: FactoryContext
  package let types: Types

  /// The types of the factory, by which another process makes an entry.
  package enum Types: Sendable, Hashable {
    /// Types in C, which the signature names.
    case c
    /// Types in Swift by their mangled names.
    case swift(instance: String, arguments: [String])
    /// Types in Swift that only the open image knows: one has no mangled name, or a tag is neither text nor the only UUID.
    case opaque
  }

  package init(
    plugin: String, uuid: UUID?, name: String, contract: String?, tags: [String], signature: String, lifetime: Lifetime,
    metadata: [String: String], location: String? = nil, isCallableFromAnyThread: Bool = true,
    context: FactoryContext = .any, types: Types = .c
  ) {
    (self.plugin, self.uuid, self.name, self.contract) = (plugin, uuid, name, contract)
    (self.tags, self.signature, self.lifetime) = (tags.sorted(), signature, lifetime)
    (self.metadata, self.location) = (metadata, location)
    (self.isCallableFromAnyThread, self.context, self.types) = (isCallableFromAnyThread, context, types)
  }

  /// True for a plain C function, which callers call; false for a factory, which makes instances.
  public var isFunction: Bool { types == .c && contract == nil }

  /// The description, the texts of the parameters and the examples in the metadata.
  public var documentation: Documentation { Documentation(metadata: metadata) }

  /// The C type of a plain function or of a factory in C; nil for a Swift factory. Cost: that of parsing ``signature``, which is interned.
  package var function: Signature? { types == .c ? try? FunctionType.parsing(signature).signature : nil }

  /// A copy without the contract that the host adds, so that hosts with different contracts share one cache. The host derives the contract
  /// of a Swift type from its own contracts. A factory in C names its contract itself.
  package var asDeclared: Self {
    var declared = self
    if types != .c { declared.contract = nil }
    return declared
  }

  /// The UUID and the plugin in parentheses, to distinguish registrations with the same name in a message.
  package var distinction: String { "\(uuid?.uuidString.lowercased() ?? "-") (\(plugin))" }

  /// Compares what identifies a registration. Other members may differ between the probe, or the worker, and the open plugin.
  package func isSame(as other: Self) -> Bool {
    plugin == other.plugin && uuid == other.uuid && name == other.name && tags == other.tags && signature == other.signature
  }

  package var subject: String { Self.subject(name) }

  /// The subject of a diagnosis of a factory with a name.
  package static func subject(_ name: String) -> String { "the factory \"\(name)\"" }
}

// MARK: - The container

/// The container counts ``metadata`` as metadata of the entry.
extension RegistrationDescription: RegistrantInfo {}

// MARK: - The rules for a factory in C, in a plugin and in an adoption file

/// Both readers, `FactoryCode` and `AdoptedFunction`, check each member when they read it, and then the members against each other.
/// Only a failure evaluates the subject of its diagnosis.
extension RegistrationDescription {
  /// The largest number of tags or metadata entries. A larger one is a mistake of the author, such as an uninitialized member, and reading
  /// so many could crash.
  private static let maximumCount = 1024

  package static func uuid(_ text: String) throws(Diagnosis) -> UUID {
    guard let uuid = UUID(parsing: text) else {
      throw Diagnosis(
        .invalidArgument, problem: "it registers a factory with the uuid \(text.shown), which is not one",
        remedy: "make one with uuidgen")
    }
    return uuid
  }

  package static func check(name: String, _ uuid: UUID) throws(Diagnosis) {
    guard 1...255 ~= name.utf8.count else {
      throw Diagnosis(
        .invalidArgument, "the factory \(uuid.uuidString.lowercased())", problem: "has a name of \(name.utf8.count) bytes",
        remedy: "give it 1 to 255")
    }
  }

  package static func type(_ text: String, of subject: @autoclosure () -> String) throws(Diagnosis) -> FunctionType {
    do {
      return try FunctionType.parsing(text)
    } catch {
      throw Diagnosis(.invalidSignature, subject(), problem: "\(error)")
    }
  }

  package static func check(tagCount: Int, of subject: @autoclosure () -> String) throws(Diagnosis) {
    guard tagCount <= maximumCount else {
      throw Diagnosis(
        .invalidArgument, subject(), problem: "has \(tagCount) tags", remedy: "at most \(maximumCount) are allowed")
    }
  }

  package static func check(tag: String, of subject: @autoclosure () -> String) throws(Diagnosis) {
    guard !tag.isEmpty else { throw Diagnosis(.invalidArgument, subject(), problem: "has an empty tag") }
    guard UUID(parsing: tag) == nil else {
      throw Diagnosis(
        .invalidArgument, subject(), problem: "has the tag \(tag), which reads as a UUID",
        remedy: "its own UUID is a tag by itself")
    }
  }

  package static func check(metadataCount: Int, of subject: @autoclosure () -> String) throws(Diagnosis) {
    guard metadataCount <= maximumCount else {
      throw Diagnosis(
        .invalidArgument, subject(), problem: "has \(metadataCount) entries of metadata",
        remedy: "at most \(maximumCount) are allowed")
    }
  }

  /// Checks the members against each other.
  ///
  /// - Parameters:
  ///   - subject: The subject of a diagnosis, which is "the function …" for an adoption file.
  ///   - result: The result type of `function`, which the caller has at hand.
  ///   - destroys: Pass true if the factory has a destroy function.
  package func check(_ subject: @autoclosure () -> String, result: CType, destroys: Bool) throws(Diagnosis) {
    if let contract {
      guard ContractName.isName(contract) else {
        throw Diagnosis(
          .invalidContract, subject(), problem: "has the contract \(contract.shown)",
          remedy: "write a name, a slash and a number, as in troupe.transform/1")
      }
      guard case .pointer = result else {
        throw Diagnosis(
          .invalidSignature, subject(), problem: "makes instances of \(contract) and returns \(result)",
          remedy: "it has to return a pointer")
      }
    } else {
      guard !destroys else {
        throw Diagnosis(
          .invalidArgument, subject(), problem: "has a destroy function but no contract",
          remedy: "a plain function makes nothing to destroy")
      }
      guard lifetime == .transient else {
        throw Diagnosis(
          .invalidArgument, subject(), problem: "is \(lifetime == .scoped ? "scoped" : "a singleton") but has no contract",
          remedy: "a plain function is transient")
      }
    }
  }
}

// MARK: - As bytes, in the cache and on the channel

extension RegistrationDescription: Recordable {
  /// Part of the title of cached files: a host ignores the cache of another version, which it would misread.
  package static let codecVersion = 9

  package func write(to writer: inout RecordWriter) {
    writer.write(
      plugin, uuid, name, contract, tags, signature, lifetime, metadata, location, isCallableFromAnyThread, context, types)
  }

  package init(from reader: inout RecordReader) throws(ReadError) {
    (
      plugin, uuid, name, contract, tags, signature, lifetime, metadata, location, isCallableFromAnyThread, context, types
    ) = try reader.values()
  }
}

extension RegistrationDescription.Types: Recordable {
  package func write(to writer: inout RecordWriter) {
    switch self {
    case .c: writer.write(UInt8(0))
    case .swift(let instance, let arguments): writer.write(UInt8(1), instance, arguments)
    case .opaque: writer.write(UInt8(2))
    }
  }

  package init(from reader: inout RecordReader) throws(ReadError) {
    switch try reader.number() as UInt8 {
    case 0: self = .c
    case 1: self = .swift(instance: try String(from: &reader), arguments: try [String](from: &reader))
    case 2: self = .opaque
    case let other: throw ReadError("\(other) is no kind of types")
    }
  }
}

extension Lifetime: Recordable {
  private static let recorded: [Lifetime] = [.transient, .singleton, .scoped]

  package func write(to writer: inout RecordWriter) { writer.write(self, among: Self.recorded) }

  package init(from reader: inout RecordReader) throws(ReadError) {
    self = try reader.value(among: Self.recorded, "lifetime")
  }
}

extension FactoryContext: Recordable {
  private static let recorded: [FactoryContext] = [.any, .asynchronous, .mainActor]

  package func write(to writer: inout RecordWriter) { writer.write(self, among: Self.recorded) }

  package init(from reader: inout RecordReader) throws(ReadError) {
    self = try reader.value(among: Self.recorded, "context of a factory")
  }
}
