internal import TroupeHost

/// A parameter of a function or factory for which a caller gives an argument.
package struct CatalogParameter: Sendable {
  /// The name; nil if the author gave none.
  package let name: String?
  /// The kind of its values.
  let type: SampleType
  /// The type for readers, such as `double` or `String`.
  let text: String

  /// Returns the parameters of a C function for which a caller gives arguments.
  static func parameters(_ signature: Signature) -> [CatalogParameter] {
    signature.callerParameters.map { parameter in
      CatalogParameter(name: parameter.name, type: SampleType(parameter), text: parameter.type.shortDescription)
    }
  }
}
