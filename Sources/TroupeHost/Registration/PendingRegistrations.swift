internal import Troupe
internal import TroupeCall
internal import TroupeFiles
internal import TroupeSandbox

/// The pending registrations of a plugin: pending entries for its factories. The first resolve of one opens the plugin, whose own
/// registrations replace them.
struct PendingRegistrations {
  private(set) var entries: [Entry] = []
  /// Whether the process does not know the types of some factories before the plugin is open. Their entries have a substitute type.
  private(set) var hasUnknownTypes = false
  /// The keys of the factories in Swift whose types the process knows.
  private(set) var knownKeys: [AnyKey] = []

  /// Creates the entries. Nil if one cannot be created, for example for the summary of an older version, or for a type that only the open
  /// plugin can tell; see `MangledType`.
  ///
  /// - Parameter open: Opens the plugin; does nothing if it is open.
  init?(_ summary: PluginSummary, plugin: String, factories: PluginRegistry, open: @escaping @Sendable () throws -> Void) {
    for registration in summary.registrations {
      guard registration.plugin == plugin else { return nil }
      let isAdded =
        switch registration.types {
        case .c: addForeign(registration, factories, open)
        case .swift(let instance, let arguments): addSwift(registration, instance, arguments, factories, open)
        case .opaque: false
        }
      guard isAdded else { return nil }
    }
  }

  /// The type of entries whose type is unknown. No request names it.
  private enum Unknown {}

  private mutating func addSwift(
    _ registration: RegistrationDescription, _ instanceName: String, _ argumentNames: [String], _ factories: PluginRegistry,
    _ open: @escaping @Sendable () throws -> Void
  ) -> Bool {
    let arguments = argumentNames.compactMap { MangledType($0) }
    guard let instance = MangledType(instanceName), arguments.count == argumentNames.count else { return false }
    let knownArguments = arguments.compactMap(\.type)
    // Factories of several unknown types may have equal tags.
    let tags = TagList(registration.tags + (instance.type == nil ? [instanceName] : []), registration.uuid)
    let type: any Any.Type = instance.type ?? Unknown.self
    let entry = Entry.pending(
      type, tags: tags, lifetime: registration.lifetime,
      argumentTypes: knownArguments.count == arguments.count ? knownArguments : nil, location: registration.location, load: open
    )
    entry.registrantInfo = factories.described(registration)
    entries.append(entry)
    if instance.type == nil { hasUnknownTypes = true } else { knownKeys.append(entry.key) }
    return true
  }

  private mutating func addForeign(
    _ registration: RegistrationDescription, _ factories: PluginRegistry, _ open: @escaping @Sendable () throws -> Void
  ) -> Bool {
    guard registration.uuid != nil, registration.function != nil else { return false }
    let types: [any Any.Type] =
      if let contract = registration.contract {
        [factories.contract(named: contract)?.type ?? ForeignInstance.self]
      } else {
        [ForeignFunction.self, Value.self]
      }
    let tags = TagList(registration.tags, registration.uuid)
    let new = types.map {
      Entry.pending($0, tags: tags, lifetime: registration.lifetime, argumentTypes: nil, location: nil, load: open)
    }
    new.describe(as: registration)
    entries += new
    return true
  }
}
