internal import FoundationEssentials
internal import TroupeContainer

/// What a plugin registers, as far as it can be said without its image: enough to list it, and to hold its places in the container
/// until the image is opened.
struct PluginSummary: Hashable, Sendable {
  /// One registration.
  struct Factory: Hashable, Sendable {
    let uuid: UUID?
    let name: String
    let contract: String?
    let tags: [String]
    let signature: String
    let lifetime: Lifetime
    let metadata: [String: String]
    /// For what Swift registered, its types; nil for what C did.
    let types: Types?
    /// The source location of the registration; nil if it is not known.
    var place: String?
  }

  /// The types of a registration in Swift, by their mangled names.
  struct Types: Hashable, Sendable {
    let instance: String
    let arguments: [String]
  }

  let factories: [Factory]
  /// Whether all of it can be held a place for.
  let isComplete: Bool
  /// Why the host refused other registrations, a sentence for each.
  var refusals: [String] = []
  /// The libraries that the plugin needs and that were opened with it, as they were.
  var libraries: [RegistryFile.FileState] = []
}

// MARK: As bytes

extension PluginSummary: Recordable {
  func write(to writer: inout RecordWriter) {
    writer.write(factories)
    writer.write(isComplete)
    writer.write(refusals)
    writer.write(libraries)
  }

  init(from reader: inout RecordReader) throws(RecordError) {
    factories = try [Factory](from: &reader)
    isComplete = try Bool(from: &reader)
    refusals = try [String](from: &reader)
    libraries = try [RegistryFile.FileState](from: &reader)
  }
}

extension PluginSummary.Factory: Recordable {
  func write(to writer: inout RecordWriter) {
    writer.write(uuid)
    writer.write(name)
    writer.write(contract)
    writer.write(tags)
    writer.write(signature)
    writer.write(lifetime)
    writer.write(metadata)
    writer.write(types)
    writer.write(place)
  }

  init(from reader: inout RecordReader) throws(RecordError) {
    uuid = try UUID?(from: &reader)
    name = try String(from: &reader)
    contract = try String?(from: &reader)
    tags = try [String](from: &reader)
    signature = try String(from: &reader)
    lifetime = try Lifetime(from: &reader)
    metadata = try [String: String](from: &reader)
    types = try PluginSummary.Types?(from: &reader)
    place = try String?(from: &reader)
  }
}

extension Lifetime: Recordable {
  func write(to writer: inout RecordWriter) {
    switch self {
    case .transient: writer.write(number: 0 as UInt8)
    case .singleton: writer.write(number: 1 as UInt8)
    case .scoped: writer.write(number: 2 as UInt8)
    }
  }

  init(from reader: inout RecordReader) throws(RecordError) {
    switch try reader.number() as UInt8 {
    case 0: self = .transient
    case 1: self = .singleton
    case 2: self = .scoped
    case let other: throw RecordError("\(other) is no lifetime")
    }
  }
}

extension PluginSummary.Types: Recordable {
  func write(to writer: inout RecordWriter) {
    writer.write(instance)
    writer.write(arguments)
  }

  init(from reader: inout RecordReader) throws(RecordError) {
    instance = try String(from: &reader)
    arguments = try [String](from: &reader)
  }
}
