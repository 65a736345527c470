internal import FoundationEssentials
internal import TroupeTools
internal import TroupeHost

/// The help of a plugin's function, for `troupe call NAME --help`.
struct FunctionHelp {
  private let registration: RegistrationDescription
  private let documentation: Documentation
  private let signature: Signature?
  /// The word that selects the function: its name or, if another function has it or it looks like an option, the UUID.
  private let selector: String

  init(_ registration: RegistrationDescription, isUnique: Bool) {
    (self.registration, documentation) = (registration, registration.documentation)
    signature = registration.function
    selector = ShellCode.selector([registration.name], registration.uuid) { _ in isUnique } ?? registration.name
  }

  func text(width columns: Int) -> String {
    let given = signature?.callerParameters ?? []
    let words = given.enumerated().map { $1.name?.uppercased() ?? "ARG\($0 + 1)" }
    let usage = ["usage: troupe call", selector.shellWord] + words + ["[OPTION …]"]
    var sections = [usage.joined(separator: " ")]
    // Each line of a description is a paragraph.
    for paragraph in documentation.description.split(whereSeparator: \.isNewline) {
      sections.append(TextWrap.lines(String(paragraph).onOneLine, width: columns).joined(separator: "\n"))
    }
    if let signature { sections.append(list(signature, columns)) }
    let examples = documentation.examples.compactMap(lines)
    if !examples.isEmpty { sections.append("Examples:\n" + examples.joined(separator: "\n")) }
    let facts = [("plugin", registration.plugin), ("uuid", registration.uuid?.uuidString.lowercased() ?? "")]
    sections.append(facts.map { $0.padding(to: 8) + $1.onOneLine }.joined(separator: "\n"))
    sections.append("troupe call --help lists the options.")
    return sections.joined(separator: "\n\n") + "\n"
  }

  /// The parameters and the result, with their types and texts.
  private func list(_ signature: Signature, _ columns: Int) -> String {
    var rows = zip(signature.parameters, signature.takesArgument).map { parameter, takesArgument in
      let text = parameter.name.flatMap { documentation.parameters[$0] } ?? ""
      // The caller leaves out the length of a buffer.
      let isLength = !takesArgument && parameter.passing == .value
      return (declaration(parameter, signature), isLength ? "Computed from the buffer. \(text)" : text)
    }
    rows.append(("result: \(signature.result)", ""))
    let width = min(rows.map { $0.0.count }.max() ?? 0, 32) + 4
    return rows.map { declaration, text in
      let text = TextWrap.lines(text.onOneLine, width: max(columns - width, 20))
      let indent = "\n" + String(repeating: " ", count: width)
      let start = "  " + declaration
      guard let first = text.first else { return start }
      let head = start.count + 2 > width ? start + indent + first : start.padding(to: width) + first
      return ([head] + text.dropFirst()).joined(separator: indent)
    }.joined(separator: "\n")
  }

  /// A parameter as in C, with the names of other parameters in place of their positions.
  private func declaration(_ parameter: Signature.Parameter, _ signature: Signature) -> String {
    var text = "\(parameter)"
    for (index, other) in signature.parameters.enumerated().reversed() {
      if let name = other.name { text = text.replacing("#\(index + 1)", with: name) }
    }
    return text
  }

  /// The command and the result of an example; nil if its arguments are malformed.
  private func lines(_ example: Documentation.Example) -> String? {
    guard let signature, let command = ShellCode.call(selector, signature, example) else { return nil }
    return "  \(command.onOneLine)\n  \(example.result.onOneLine)"
  }
}
