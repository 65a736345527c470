package import TroupeFiles

/// The request to a probe.
package struct ProbeRequest: Hashable, Sendable {
  /// The versions of the host. A probe of other versions refuses the request, since it could understand it as another one.
  package let host: String
  /// The file of the plugin.
  package let path: String
  /// The resolved path of the library to open: the file itself or the adopted library.
  package let library: String
  package let id: String
  /// The files of the needed plugins, in loading order.
  package let needs: [String]
  package let configuration: [String: [String: String]]
  /// The limit of private memory that can be written, in bytes; nil for none.
  package let memory: UInt64?
  package let descriptors: UInt64
  /// The allowed hashes; nil for any content.
  package let pins: [Pins.Entry]?
  package let unloads: Bool

  package init(
    host: String, path: String, library: String, id: String, needs: [String], configuration: [String: [String: String]],
    memory: UInt64?, descriptors: UInt64, pins: [Pins.Entry]?, unloads: Bool = false
  ) {
    self.host = host
    (self.path, self.library, self.id, self.needs) = (path, library, id, needs)
    (self.configuration, self.memory, self.descriptors, self.pins) = (configuration, memory, descriptors, pins)
    self.unloads = unloads
  }
}

package enum LoadingStep: UInt8, CaseIterable, Sendable {
  /// The library is opened, which runs its constructors.
  case opening
  case entering
  case activating
  /// The library is closed, which runs its destructors.
  case closing
  /// The process exits, which runs exit handlers and the destructors of libraries that stay open.
  case exiting

  /// The step as part of a sentence.
  package var place: String {
    switch self {
    case .opening: "when its library was opened"
    case .entering: "in its entry"
    case .activating: "when it was activated"
    case .closing: "when its library was closed"
    case .exiting: "when the process exited"
    }
  }
}

extension LoadingStep: Recordable {
  package func write(to writer: inout RecordWriter) { writer.write(self, among: Self.allCases) }

  package init(from reader: inout RecordReader) throws(ReadError) { self = try reader.value(among: Self.allCases, "step") }
}

/// The registrations of a plugin without its image, sufficient to list them and to make pending registrations.
package struct PluginSummary: Hashable, Sendable {
  package let registrations: [RegistrationDescription]
  /// Whether each registration can be made lazily.
  package let isComplete: Bool
  /// The reasons for which the host refused other registrations, one sentence for each.
  package var refusals: [Diagnosis] = []
  /// What loading the plugin changes in the process without harm, each as the end of a sentence.
  package var warnings: [String] = []
  /// The libraries that were opened with the plugin because it needs them, in their state at that time.
  package var libraries: [FileState] = []

  package init(
    registrations: [RegistrationDescription], isComplete: Bool, refusals: [Diagnosis] = [], libraries: [FileState] = []
  ) {
    (self.registrations, self.isComplete, self.refusals, self.libraries) = (registrations, isComplete, refusals, libraries)
  }
}

extension PluginSummary: Recordable {
  package func write(to writer: inout RecordWriter) { writer.write(registrations, isComplete, refusals, warnings, libraries) }

  package init(from reader: inout RecordReader) throws(ReadError) {
    (registrations, isComplete, refusals, warnings, libraries) = try reader.values()
  }
}

/// The result of loading, reported by the plugin's process.
package enum ProbeReport: Hashable, Sendable {
  case registered(PluginSummary)
  /// The library cannot be opened, or the entry failed.
  case rejected(Diagnosis)
  /// The plugin changed state of the whole process: the changes, each as the end of a sentence.
  case changedProcessState([String])
  /// The plugin registered something unusable.
  case unusable(Diagnosis)
  /// The file has changed, or a needed plugin could not be loaded.
  case failed(String)
}

extension ProbeRequest: Recordable {
  package func write(to writer: inout RecordWriter) {
    writer.write(host, path, library, id, needs, configuration, memory, descriptors, pins, unloads)
  }

  package init(from reader: inout RecordReader) throws(ReadError) {
    (host, path, library, id, needs, configuration, memory, descriptors, pins, unloads) = try reader.values()
  }
}

extension ProbeReport: Recordable {
  package func write(to writer: inout RecordWriter) {
    switch self {
    case .registered(let summary): writer.write(UInt8(0), summary)
    case .rejected(let diagnosis): writer.write(UInt8(1), diagnosis)
    case .changedProcessState(let what): writer.write(UInt8(2), what)
    case .failed(let why): writer.write(UInt8(3), why)
    case .unusable(let diagnosis): writer.write(UInt8(4), diagnosis)
    }
  }

  package init(from reader: inout RecordReader) throws(ReadError) {
    switch try reader.number() as UInt8 {
    case 0: self = .registered(try PluginSummary(from: &reader))
    case 1: self = .rejected(try Diagnosis(from: &reader))
    case 2: self = .changedProcessState(try [String](from: &reader))
    case 3: self = .failed(try String(from: &reader))
    case 4: self = .unusable(try Diagnosis(from: &reader))
    case let other: throw ReadError("\(other) is no kind of report")
    }
  }
}

/// A step of loading with the id of the plugin.
package struct ProbeStep: ReportedStep, Hashable, Sendable {
  let step: LoadingStep
  let plugin: String

  package init(_ step: LoadingStep, _ plugin: String) {
    self.step = step
    self.plugin = plugin
  }

  package var isExit: Bool { step == .exiting }

  package func write(to writer: inout RecordWriter) { writer.write(step, plugin) }

  package init(from reader: inout RecordReader) throws(ReadError) { (step, plugin) = try reader.values() }
}
