public import FoundationEssentials
public import Troupe
internal import TroupeCall

/// One thing that a plugin registered.
public struct Registration: Sendable {
  /// The id of the plugin.
  public let plugin: String
  /// The factory's own UUID; nil for a Swift registration that has none among its tags.
  public let uuid: UUID?
  /// The name for people.
  public let name: String
  /// The contract that the instances fulfil; nil for a plain C function, and for a Swift type that is no contract's.
  public let contract: String?
  /// The category tags, sorted.
  public let tags: [String]
  /// What the factory takes and gives: a C function type, or a Swift one.
  public let signature: String
  /// How long an instance lives.
  public let lifetime: Lifetime
  /// Facts for people and programs.
  public let metadata: [String: String]
  /// The source location of the registration, such as `Shout/ShoutPlugin.swift:21`; nil for one in C.
  public let place: String?

  /// Under what the container has it.
  package let key: AnyKey
  /// For what C made, the type of the function.
  package let function: Signature?
  /// For what Swift made, the types of the arguments that its factory takes; nil if it looks at its arguments by itself.
  let argumentTypes: [any Any.Type]?
  /// For what C made, where its functions are said to be: the factory itself and, if there is one, what ends an instance.
  let addresses: [UInt]
  /// For what is of a type that nobody can know yet, how to open the plugin, so that it is known; nil for anything else.
  let open: (@Sendable () throws -> Void)?

  /// Whether it is a plain C function, which is called, and not a factory of instances.
  public var isFunction: Bool { function != nil && contract == nil }

  /// What tells it from others of the same name.
  package var distinction: String { "\(uuid?.uuidString.lowercased() ?? "-") (\(plugin))" }

  /// Whether another one is what this one was before its plugin was opened, or the other way round.
  func isSame(as other: Registration) -> Bool {
    plugin == other.plugin && uuid == other.uuid && name == other.name && tags == other.tags && signature == other.signature
  }

  /// What the function gave back as a person reads it: with names for the values of enumerations.
  package func shown(_ outcome: Value) -> Value { function?.named(outcome) ?? outcome }
}

extension Registration {
  /// Describes what a plugin in C registered.
  init(plugin: String, _ declaration: FactoryDeclaration, key: AnyKey, addresses: [UInt] = []) {
    self.init(
      plugin: plugin, uuid: declaration.uuid, name: declaration.name, contract: declaration.contract,
      tags: declaration.tags.sorted(), signature: declaration.type.text, lifetime: declaration.lifetime,
      metadata: declaration.metadata, place: nil, key: key, function: declaration.signature, argumentTypes: nil,
      addresses: addresses, open: nil)
  }

  /// Describes what a plugin in Swift registered.
  init(plugin: String, entry: Entry, contract: String?, name: String?, metadata: [String: String]) {
    let key = entry.key
    let type = String(describing: key.metatype)
    let arguments = (entry.argumentTypes ?? []).map { String(describing: $0) }.joined(separator: ", ")
    self.init(
      plugin: plugin, uuid: key.tagset.lazy.compactMap { $0.value as? UUID }.first, name: name ?? type, contract: contract,
      tags: key.tagset.filter { !($0.value is UUID) }.map { $0.value as? String ?? $0.description }.sorted(),
      signature: "(\(arguments)) -> \(type)", lifetime: entry.lifetime, metadata: metadata, place: entry.place, key: key,
      function: nil, argumentTypes: entry.argumentTypes, addresses: [], open: nil)
  }
}
