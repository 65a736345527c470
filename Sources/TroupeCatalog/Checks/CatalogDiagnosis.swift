/// A fault of a plugin's documentation.
package struct CatalogDiagnosis: Sendable, Equatable {
  /// The kind of a fault.
  package enum Kind: String, Sendable {
    /// The plugin cannot be used, or its registrations are unknown.
    case unknownRegistrations
    /// A registration has no description.
    case missingDescription
    /// The documentation has a text for a parameter that the signature lacks.
    case unknownParameter
    /// The arguments or the result of an example cannot be read.
    case malformedExample
    /// An example has another result, or its call fails.
    case differentResult
    /// The plugin does not load in the worker that runs its examples.
    case notLoaded
  }

  package let kind: Kind
  /// The id of the plugin, or the name of its file.
  package let plugin: String
  /// The name of the registration; nil for a fault of the whole plugin.
  package let registration: String?
  /// The problem, as the end of a sentence that begins with the registration or the plugin.
  package let problem: String
  /// The remedy, as a sentence without its first capital letter.
  package let remedy: String

  /// Creates a fault of a registration, or of a whole plugin.
  package init(_ kind: Kind, _ plugin: CatalogPlugin, _ item: CatalogItem? = nil, problem: String, remedy: String) {
    self.kind = kind
    self.plugin = plugin.id ?? plugin.fileName
    registration = item?.name
    self.problem = problem
    self.remedy = remedy
  }
}
