package import TroupeHost

/// A registration of a plugin in a catalog.
package struct CatalogItem: Sendable {
  /// The kind of a registration.
  package enum RegistrationKind: String, Sendable, CaseIterable {
    /// A plain function in C.
    case function
    /// A factory of transforms.
    case transform
    /// Any other factory.
    case factory
  }

  package let registration: KnownRegistration
  package let kind: RegistrationKind
  /// The type of the C function; nil for a factory in Swift.
  package let signature: Signature?
  /// The description, the texts of the parameters and the examples.
  package let documentation: Documentation
  /// The identifier of its section in the page of its plugin.
  let anchor: String
  /// The name or tag that selects this registration alone: a name or tag that no other one in the catalog has, else the UUID.
  let selector: String

  init(
    _ registration: KnownRegistration, anchors: inout UniqueNames, _ names: [String: Int], _ tags: [String: Int]
  ) {
    self.registration = registration
    kind = registration.isFunction ? .function : registration.contract == Contract.transform.name ? .transform : .factory
    signature = try? FunctionType.parsing(registration.signature).signature
    documentation = registration.documentation
    anchor = anchors.name(for: "\(kind.rawValue)-\(registration.name)")
    let isUnique: (String) -> Bool = registration.isFunction ? { names[$0] == 1 } : { tags[$0] == 1 }
    let candidates = registration.isFunction ? [registration.name] : registration.tags
    selector = ShellCode.selector(candidates, registration.uuid, isUnique: isUnique) ?? registration.name
  }

  package var name: String { registration.name }

  /// The signature with the name of the function, such as `double area(double width, double height)`; the plain signature of a factory, and
  /// of a function whose signature begins with more than its result.
  var declaration: String {
    let text = registration.signature
    guard kind == .function, let result = signature?.result.description, text.hasPrefix(result) else { return text }
    let rest = text.dropFirst(result.count)
    guard let start = rest.firstIndex(where: { $0 != " " }), rest[start] == "(" else { return text }
    return "\(result)\(result.hasSuffix("*") ? "" : " ")\(name.onOneLine)\(rest[start...])"
  }

  /// The parameters for which a caller gives arguments.
  package var parameters: [CatalogParameter] {
    signature.map(CatalogParameter.parameters) ?? SwiftFactoryType(declaration).parameters
  }
}
