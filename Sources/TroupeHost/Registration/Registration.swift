public import FoundationEssentials
public import Troupe
internal import TroupeCall
internal import TroupeContainer
internal import TroupeFiles
public import TroupeManifest

/// A factory or function that a plugin registered.
public struct Registration: RegistrantInfo {
  /// The id of the plugin.
  public let plugin: String
  /// The factory's own UUID; nil for a Swift registration that has none among its tags.
  public let uuid: UUID?
  /// The name, for the user.
  public let name: String
  /// The contract of the instances; nil for a plain C function, and for a Swift type without a contract.
  public let contract: String?
  /// The category tags, sorted.
  public let tags: [String]
  /// The parameters and the result: a C function type, or a Swift one.
  public let signature: String
  /// The lifetime of an instance.
  public let lifetime: Lifetime
  /// Further facts for users and programs.
  public let metadata: [String: String]
  /// The description, the texts of the parameters and the examples in the metadata.
  public var documentation: Documentation { Documentation(metadata: metadata) }
  /// The source location of the registration, such as `Shout/ShoutPlugin.swift:21`; nil for one in C.
  public let place: String?

  /// The key in the container.
  package let key: AnyKey
  /// The type of a C function; nil for a Swift factory.
  package let function: Signature?
  /// The argument types of a Swift factory; nil if the factory checks its arguments itself.
  let argumentTypes: [any Any.Type]?
  /// The declared addresses of C functions: the factory and, if there is one, the destroy function.
  package let addresses: [UInt]
  /// Whether calls of a C function on several threads run at once; see ``ForeignFunction/isCallableFromAnyThread``. True for a
  /// factory in Swift.
  public let isCallableFromAnyThread: Bool

  /// Whether it is a plain C function, which is called, and not a factory of instances.
  public var isFunction: Bool { function != nil && contract == nil }

  /// A text that distinguishes registrations with the same name.
  package var distinction: String { "\(uuid?.uuidString.lowercased() ?? "-") (\(plugin))" }

  /// Whether another value describes the same registration before or after its plugin was opened.
  func isSame(as other: Registration) -> Bool {
    plugin == other.plugin && uuid == other.uuid && name == other.name && tags == other.tags && signature == other.signature
  }

  /// Returns a result of the function for display: with names for the values of enumerations.
  package func shown(_ outcome: Value) -> Value { function?.named(outcome) ?? outcome }
}

extension Registration {
  /// Describes a registration of a plugin in C.
  init(plugin: String, _ declaration: FactoryDeclaration, key: AnyKey, addresses: [UInt] = []) {
    self.init(
      plugin: plugin, uuid: declaration.uuid, name: declaration.name, contract: declaration.contract,
      tags: declaration.tags.sorted(), signature: declaration.type.text, lifetime: Lifetime(declaration.lifetime),
      metadata: declaration.metadata, place: nil, key: key, function: declaration.signature, argumentTypes: nil,
      addresses: addresses, isCallableFromAnyThread: declaration.isCallableFromAnyThread)
  }

  /// Describes a registration of a plugin in Swift.
  init(plugin: String, entry: Entry, contract: String?, name: String?, metadata: [String: String]) {
    let key = entry.key
    let type = String(describing: key.metatype)
    let arguments = (entry.argumentTypes ?? []).map { String(describing: $0) }.joined(separator: ", ")
    self.init(
      plugin: plugin, uuid: key.tagset.lazy.compactMap { $0.value as? UUID }.first, name: name ?? type, contract: contract,
      tags: key.tagset.filter { !($0.value is UUID) }.map { $0.value as? String ?? $0.description }.sorted(),
      signature: "(\(arguments)) -> \(type)", lifetime: entry.lifetime, metadata: metadata, place: entry.location, key: key,
      function: nil, argumentTypes: entry.argumentTypes, addresses: [], isCallableFromAnyThread: true)
  }
}

extension Entry {
  /// The description of a plugin's registration. Nil for a registration of the program, also if it is a copy of a plugin's under another
  /// key, and for the second entry of a C function, which calls the function.
  var registration: Registration? {
    guard let registration = registrantInfo as? Registration, owner?.name == registration.plugin else { return nil }
    return registration
  }
}

extension [Entry] {
  /// Attaches the description of a registration to its entries. Of the two entries of a C function, the first one has it; the other one,
  /// which calls the function, has only the metadata.
  func describe(as registration: Registration) {
    first?.registrantInfo = registration
    if registration.metadata.isEmpty { return }
    let texts = RegistrationTexts(name: registration.name, metadata: registration.metadata)
    for other in dropFirst() { other.registrantInfo = texts }
  }
}

extension Lifetime {
  init(_ lifetime: FactoryLifetime) {
    switch lifetime {
    case .transient: self = .transient
    case .singleton: self = .singleton
    case .scoped: self = .scoped
    }
  }
}

extension FactoryLifetime {
  init(_ lifetime: Lifetime) {
    switch lifetime {
    case .transient: self = .transient
    case .singleton: self = .singleton
    case .scoped: self = .scoped
    }
  }
}

extension PluginSummary {
  /// Creates the summary of registrations.
  init(_ registrations: [Registration], refusals: [Diagnosis]) {
    let factories = registrations.map(Factory.init)
    let known = factories.compactMap(\.self)
    self.init(factories: known, isComplete: known.count == factories.count, refusals: refusals)
  }
}

extension PluginSummary.Factory {
  /// Nil for a registration that only the image can describe: with a type without a name, or a tag that is neither a text nor a UUID.
  init?(_ registration: Registration) {
    var types: PluginSummary.Types?
    if registration.function == nil {
      let tags = registration.key.tagset.map(\.value)
      guard tags.allSatisfy({ $0 is String || $0 is UUID }), tags.count(where: { $0 is UUID }) < 2,
        let instance = _mangledTypeName(registration.key.metatype), let argumentTypes = registration.argumentTypes
      else { return nil }
      let arguments = argumentTypes.compactMap { _mangledTypeName($0) }
      guard arguments.count == argumentTypes.count else { return nil }
      types = PluginSummary.Types(instance: instance, arguments: arguments)
    }
    // Which contract a Swift type has is a fact of the host, and hosts with different contracts share a cache.
    self.init(
      uuid: registration.uuid, name: registration.name, contract: types == nil ? registration.contract : nil,
      tags: registration.tags,
      signature: registration.signature, lifetime: FactoryLifetime(registration.lifetime), metadata: registration.metadata,
      types: types, place: registration.place, isCallableFromAnyThread: registration.isCallableFromAnyThread)
  }
}
