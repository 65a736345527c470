package import FoundationEssentials
package import TroupeFiles

/// The registrations of a plugin without its image, sufficient to list them and to make lazy registrations.
package struct PluginSummary: Hashable, Sendable {
  /// One registration.
  package struct Factory: Hashable, Sendable {
    package let uuid: UUID?
    package let name: String
    package let contract: String?
    package let tags: [String]
    package let signature: String
    package let lifetime: FactoryLifetime
    package let metadata: [String: String]
    /// The types of a Swift registration; nil for one in C.
    package let types: Types?
    /// The source location of the registration; nil if it is not known.
    package var place: String?
    /// Whether a function in C may be called on any thread.
    package let isCallableFromAnyThread: Bool

    package init(
      uuid: UUID?, name: String, contract: String?, tags: [String], signature: String, lifetime: FactoryLifetime,
      metadata: [String: String], types: Types?, place: String? = nil, isCallableFromAnyThread: Bool = true
    ) {
      (self.uuid, self.name, self.contract, self.tags, self.signature) = (uuid, name, contract, tags, signature)
      (self.lifetime, self.metadata, self.types, self.place) = (lifetime, metadata, types, place)
      self.isCallableFromAnyThread = isCallableFromAnyThread
    }
  }

  /// The types of a registration in Swift, by their mangled names.
  package struct Types: Hashable, Sendable {
    package let instance: String
    package let arguments: [String]

    package init(instance: String, arguments: [String]) { (self.instance, self.arguments) = (instance, arguments) }
  }

  package let factories: [Factory]
  /// Whether each registration can be made lazily.
  package let isComplete: Bool
  /// The reasons for which the host refused other registrations, one sentence for each.
  package var refusals: [Diagnosis] = []
  /// What loading the plugin changes in the process without harm, each as the end of a sentence.
  package var warnings: [String] = []
  /// The libraries that were opened with the plugin because it needs them, in their state at that time.
  package var libraries: [FileState] = []

  package init(factories: [Factory], isComplete: Bool, refusals: [Diagnosis] = [], libraries: [FileState] = []) {
    (self.factories, self.isComplete, self.refusals, self.libraries) = (factories, isComplete, refusals, libraries)
  }
}

// MARK: As bytes

extension PluginSummary: Recordable {
  package func write(to writer: inout RecordWriter) {
    writer.write(factories)
    writer.write(isComplete)
    writer.write(refusals)
    writer.write(warnings)
    writer.write(libraries)
  }

  package init(from reader: inout RecordReader) throws(ReadError) {
    factories = try [Factory](from: &reader)
    isComplete = try Bool(from: &reader)
    refusals = try [Diagnosis](from: &reader)
    warnings = try [String](from: &reader)
    libraries = try [FileState](from: &reader)
  }
}

extension PluginSummary.Factory: Recordable {
  package func write(to writer: inout RecordWriter) {
    writer.write(uuid)
    writer.write(name)
    writer.write(contract)
    writer.write(tags)
    writer.write(signature)
    writer.write(lifetime)
    writer.write(metadata)
    writer.write(types)
    writer.write(place)
    writer.write(isCallableFromAnyThread)
  }

  package init(from reader: inout RecordReader) throws(ReadError) {
    uuid = try UUID?(from: &reader)
    name = try String(from: &reader)
    contract = try String?(from: &reader)
    tags = try [String](from: &reader)
    signature = try String(from: &reader)
    lifetime = try FactoryLifetime(from: &reader)
    metadata = try [String: String](from: &reader)
    types = try PluginSummary.Types?(from: &reader)
    place = try String?(from: &reader)
    isCallableFromAnyThread = try Bool(from: &reader)
  }
}

extension PluginSummary.Types: Recordable {
  package func write(to writer: inout RecordWriter) {
    writer.write(instance)
    writer.write(arguments)
  }

  package init(from reader: inout RecordReader) throws(ReadError) {
    instance = try String(from: &reader)
    arguments = try [String](from: &reader)
  }
}
