internal import FoundationEssentials
internal import Troupe
internal import TroupeCall
internal import TroupeContainer
internal import TroupeFiles
internal import TroupeSandbox

extension RegistrationDescription {
  /// Describes an entry that a plugin in Swift registers.
  init(_ entry: Entry, plugin: String) {
    let key = entry.key
    let type = String(describing: key.metatype)
    let arguments = (entry.argumentTypes ?? []).map { String(describing: $0) }.joined(separator: ", ")
    let texts = entry.registrantInfo as? RegistrationTexts
    self.init(
      plugin: plugin, uuid: key.tagset.lazy.compactMap { $0.value as? UUID }.first, name: texts?.name ?? type, contract: nil,
      tags: key.tagset.filter { !($0.value is UUID) }.map { $0.value as? String ?? $0.description },
      signature: "(\(arguments)) -> \(type)", lifetime: entry.lifetime, metadata: texts?.metadata ?? [:],
      location: entry.location, context: entry.context, types: Types(entry))
  }

  /// The argument types of a Swift factory; nil if this process does not know one of them.
  var knownArgumentTypes: [any Any.Type]? {
    // A report of a worker may be forged, and each name that no image defines costs 0.3 ms.
    guard case .swift(_, let arguments) = types, arguments.count <= 64 else { return nil }
    let known = arguments.compactMap { MangledType($0)?.type }
    return known.count == arguments.count ? known : nil
  }

  /// Returns a result of the function for display: with names for the values of enumerations, and the members of references.
  ///
  /// - Throws: A `Diagnosis` if the plugin's worker ends while it reads the members.
  package func shown(_ outcome: Value) throws(Diagnosis) -> Value {
    do throws(CallError) {
      return try function?.shown(outcome) ?? outcome
    } catch {
      throw Diagnosis(
        .crashed, "\(name) of \(plugin)", problem: "its result cannot be read: \(error.problem)", remedy: error.remedy)
    }
  }
}

extension RegistrationDescription.Types {
  /// The types of an entry in Swift.
  fileprivate init(_ entry: Entry) {
    let tags = entry.key.tagset.map(\.value)
    let arguments = entry.argumentTypes.map { types in types.compactMap { _mangledTypeName($0) } }
    guard tags.allSatisfy({ $0 is String || $0 is UUID }), tags.count(where: { $0 is UUID }) < 2,
      let instance = _mangledTypeName(entry.key.metatype), let arguments, arguments.count == entry.argumentTypes?.count
    else {
      self = .opaque
      return
    }
    self = .swift(instance: instance, arguments: arguments)
  }
}

extension Entry {
  /// The description of a plugin's registration. Nil for a registration of the program, also if it is a copy of a plugin's under another
  /// key, and for the second entry of a C function, which calls the function.
  var registration: RegistrationDescription? {
    guard let registration = registrantInfo as? RegistrationDescription, owner?.name == registration.plugin else { return nil }
    return registration
  }
}

extension [Entry] {
  /// Attaches the description of a registration to its entries. Of the two entries of a C function, the first one has it; the other one,
  /// which calls the function, has only the metadata.
  func describe(as registration: RegistrationDescription) {
    first?.registrantInfo = registration
    if registration.metadata.isEmpty { return }
    let texts = RegistrationTexts(name: registration.name, metadata: registration.metadata)
    for other in dropFirst() { other.registrantInfo = texts }
  }
}

extension PluginSummary {
  /// Creates the summary of registrations, without those that only the image can describe.
  init(_ registrations: [RegistrationDescription], refusals: [Diagnosis]) {
    let known = registrations.filter { $0.types != .opaque }
    self.init(registrations: known.map(\.asDeclared), isComplete: known.count == registrations.count, refusals: refusals)
  }
}
