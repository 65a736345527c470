package import TroupeFiles

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

// MARK: As bytes

extension PluginSummary: Recordable {
  package func write(to writer: inout RecordWriter) {
    writer.write(registrations)
    writer.write(isComplete)
    writer.write(refusals)
    writer.write(warnings)
    writer.write(libraries)
  }

  package init(from reader: inout RecordReader) throws(ReadError) {
    registrations = try [RegistrationDescription](from: &reader)
    isComplete = try Bool(from: &reader)
    refusals = try [Diagnosis](from: &reader)
    warnings = try [String](from: &reader)
    libraries = try [FileState](from: &reader)
  }
}
