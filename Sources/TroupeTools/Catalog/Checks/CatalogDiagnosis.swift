internal import TroupeBase
internal import TroupeHost

/// A finding of `troupe catalog --check` about the documentation of a plugin.
package struct CatalogDiagnosis: Sendable, Equatable {
  package enum Code: String, Sendable {
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

  package let code: Code
  /// The id of the plugin, or the name of its file.
  package let plugin: String
  /// The name of the registration; nil for a fault of the whole plugin.
  package let registration: String?
  /// The problem, as the end of a sentence that begins with the registration or the plugin.
  package let problem: String
  /// The remedy, as a sentence without its first capital letter.
  package let remedy: String

  /// Creates a fault of a registration, or of a whole plugin.
  init(_ code: Code, _ plugin: CatalogPlugin, _ item: CatalogItem? = nil, problem: String, remedy: String) {
    self.code = code
    self.plugin = plugin.id ?? plugin.fileName
    registration = item?.name
    self.problem = problem
    self.remedy = remedy
  }
}

extension Catalog {
  /// Returns the faults that the documentation shows without running code of a plugin.
  package func documentationDiagnoses() -> [CatalogDiagnosis] {
    plugins.flatMap { plugin in
      if let diagnosis = plugin.diagnosis {
        return [CatalogDiagnosis(.unknownRegistrations, plugin, problem: diagnosis.problem, remedy: diagnosis.remedy)]
      }
      if !plugin.isKnown {
        let remedy = "add --probe, which loads the plugin in a child process"
        return [CatalogDiagnosis(.unknownRegistrations, plugin, problem: "has never been probed", remedy: remedy)]
      }
      return plugin.items.flatMap { Self.diagnoses($0, of: plugin) }
    }
  }

  private static func diagnoses(_ item: CatalogItem, of plugin: CatalogPlugin) -> [CatalogDiagnosis] {
    var diagnoses: [CatalogDiagnosis] = []
    // Only the plugin itself and other plugins in Swift resolve a type without a contract.
    let isPublic = item.registration.isFunction || item.registration.contract != nil
    if isPublic, item.documentation.description.allSatisfy(\.isWhitespace) {
      diagnoses.append(
        CatalogDiagnosis(
          .missingDescription, plugin, item, problem: "has no description",
          remedy: "register it with one: TROUPE_DESCRIPTION in C, .documentation in Swift, \"description\" in JSON"))
    }
    // The parameters of a factory in Swift have no names.
    if item.signature != nil {
      for name in item.documentation.parameters.keys.sorted() where !item.parameterNames.contains(name) {
        let names = item.parameterNames.isEmpty ? "none" : item.parameterNames.joined(separator: ", ")
        diagnoses.append(
          CatalogDiagnosis(
            .unknownParameter, plugin, item, problem: "has a text for the parameter \(name.shown), which its signature lacks",
            remedy: "name one of its parameters: \(names)"))
      }
    }
    return diagnoses + item.documentation.examples.compactMap { Self.diagnosis($0, item, plugin) }
  }

  private static func diagnosis(
    _ example: Documentation.Example, _ item: CatalogItem, _ plugin: CatalogPlugin
  ) -> CatalogDiagnosis? {
    do throws(ExampleError) {
      _ = try ParsedExample(example, of: item)
      return nil
    } catch {
      return CatalogDiagnosis(
        .malformedExample, plugin, item, problem: "has the example (\(example.arguments.shortened())), \(error.problem)",
        remedy: error.remedy)
    }
  }
}
