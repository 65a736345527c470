/// A man page, written from a `CommandSpec` in the macros of man(7): `troupe-call.1`.
package struct ManualPage {
  package let file: String
  private var lines: [String]

  private init(_ name: String, _ summary: String, version: String) {
    file = name + ".1"
    lines = [#".TH "\#(name.uppercased())" "1" "" "Troupe \#(version)" "Troupe""#]
    section("NAME")
    text(name + " - " + summary.prefix(1).lowercased() + summary.dropFirst().trimmingSuffix("."))
  }

  package init(_ spec: CommandSpec, statuses: String, version: String) {
    self.init("troupe-" + spec.name, spec.summary, version: version)
    section("SYNOPSIS")
    text(spec.usage)
    section("EXAMPLES")
    examples(spec.examples)
    section("OPTIONS")
    for group in Option.Group.allCases {
      let options = spec.options.filter { $0.group == group }
      if options.isEmpty { continue }
      if group != .command { lines.append(#".SS "\#(group.rawValue)""#) }
      for option in options { item(option.usage, option.explanation) }
    }
    section("DESCRIPTION")
    for paragraph in [spec.summary] + spec.details {
      lines.append(".PP")
      text(paragraph)
    }
    section("EXIT STATUS")
    text(statuses)
    section("SEE ALSO")
    lines.append(".BR troupe (1)")
  }

  package init(
    _ summary: String, examples: [String], commands: [CommandSpec], variables: [(name: String, meaning: String)],
    statuses: String, version: String
  ) {
    self.init("troupe", summary, version: version)
    section("SYNOPSIS")
    text("troupe COMMAND [OPTION …]")
    section("EXAMPLES")
    self.examples(examples)
    section("COMMANDS")
    for command in commands { item(command.name, command.summary) }
    section("ENVIRONMENT")
    for variable in variables { item(variable.name, variable.meaning) }
    section("EXIT STATUS")
    text(statuses)
    section("SEE ALSO")
    lines.append(contentsOf: commands.map(\.name).sorted().map { ".BR \(Self.escaped("troupe-" + $0)) (1)" })
  }

  package var content: String { lines.joined(separator: "\n") + "\n" }

  private mutating func section(_ title: String) { lines.append(#".SH "\#(title)""#) }

  private mutating func examples(_ examples: [String]) {
    lines.append(".EX")
    for example in examples { text(example) }
    lines.append(".EE")
  }

  private mutating func item(_ name: String, _ meaning: String) {
    lines.append(".TP")
    lines.append(#"\fB\#(Self.escaped(name))\fR"#)
    text(meaning)
  }

  private mutating func text(_ text: String) { lines.append(Self.escaped(text)) }

  /// Escapes text so that the formatter prints it unchanged: no escape, no request at the start of a line, and dashes of ASCII.
  private static func escaped(_ text: String) -> String {
    let escaped = text.replacing("\\", with: #"\e"#).replacing("-", with: #"\-"#)
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? #"\&"# + escaped : escaped
  }
}

extension StringProtocol {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : String(self)
  }
}
