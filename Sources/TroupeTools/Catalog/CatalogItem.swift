internal import TroupeHost

/// A registration in a catalog: what its section of the page shows, and how a call selects it.
struct CatalogItem: Sendable {
  enum RegistrationKind: String, Sendable, CaseIterable {
    /// A plain function in C.
    case function
    /// A factory of transforms.
    case transform
    /// Any other factory.
    case factory
  }

  let registration: RegistrationDescription
  let kind: RegistrationKind
  /// The type of the C function; nil for a factory in Swift.
  let signature: Signature?
  /// The description, the texts of the parameters and the examples.
  let documentation: Documentation
  /// The identifier of its section in the page of its plugin.
  let anchor: String
  /// The name or tag that selects this registration alone: a name or tag that no other one in the catalog has, else the UUID.
  let selector: String

  init(
    _ registration: RegistrationDescription, anchors: inout UniqueNames, _ names: [String: Int], _ tags: [String: Int]
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

  var name: String { registration.name }

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
  var parameters: [CatalogParameter] {
    signature.map(CatalogParameter.parameters) ?? SwiftFactoryType(declaration).parameters
  }
}

extension CatalogItem {
  /// A parameter in the table of a page.
  struct ParameterRow {
    let name, type, direction: String
  }

  /// The parameters of the function or factory, with those for which the caller gives no argument.
  var parameterRows: [ParameterRow] {
    guard let signature else {
      return rowsInSwift
    }
    return zip(signature.parameters, signature.takesArgument).enumerated().compactMap { index, parameter in
      let (parameter, takesArgument) = parameter
      guard parameter.type != .resolver else { return nil }
      return ParameterRow(
        name: parameter.name ?? "\(index + 1)", type: Self.type(parameter, of: signature),
        direction: Self.direction(parameter, takesArgument))
    }
  }

  /// Returns the declaration of a parameter without its name, if the name ends it.
  private static func type(_ parameter: Signature.Parameter, of signature: Signature) -> String {
    // Outside of its signature a parameter shows the number of another one as #1.
    let text = signature.parameters.enumerated().reversed().reduce(parameter.description) { text, other in
      other.element.name.map { text.replacing("#\(other.offset + 1)", with: $0) } ?? text
    }
    guard let name = parameter.name, text.hasSuffix(name), let end = text.dropLast(name.count).last else { return text }
    return " *".contains(end) ? String(text.dropLast(end == " " ? name.count + 1 : name.count)) : text
  }

  /// The parameters of a factory in Swift. They have no names, so that a text belongs to one of them only if there is one of each.
  private var rowsInSwift: [ParameterRow] {
    let names = documentation.parameters.keys.sorted()
    if parameters.count == 1, names.count == 1 {
      return [ParameterRow(name: names[0], type: parameters[0].text, direction: "in")]
    }
    return parameters.enumerated().map { ParameterRow(name: "\($0 + 1)", type: $1.text, direction: "in") }
      + names.map { ParameterRow(name: $0, type: "", direction: "in") }
  }

  private static func direction(_ parameter: Signature.Parameter, _ takesArgument: Bool) -> String {
    switch parameter.passing {
    case .pointer(.output), .buffer(.output, _, _): "out"
    case .pointer(.inputOutput), .buffer(.inputOutput, _, _): "in and out"
    case .value, .pointer(.input), .buffer(.input, _, _): takesArgument ? "in" : "computed by the host"
    }
  }

  /// The names of the parameters; empty for a factory in Swift, whose parameters have no names.
  var parameterNames: [String] { signature?.parameters.compactMap(\.name) ?? [] }
}
