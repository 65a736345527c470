internal import TroupeHost

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
    case .reference(.output), .buffer(.output, _, _): "out"
    case .reference(.inputOutput), .buffer(.inputOutput, _, _): "in and out"
    case .value, .reference(.input), .buffer(.input, _, _): takesArgument ? "in" : "computed by the host"
    }
  }

  /// The names of the parameters; empty for a factory in Swift, whose parameters have no names.
  package var parameterNames: [String] { signature?.parameters.compactMap(\.name) ?? [] }
}
