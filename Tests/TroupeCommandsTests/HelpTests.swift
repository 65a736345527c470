import Testing
import TroupeCommands

@Suite("The help of a command")
struct HelpTests {
  private static let spec = CommandSpec(
    "measure",
    "Measure everything that is named, in the order in which it is named, and then once more in the other order.",
    operands: "NAME [ARG …]", operandCount: 1...Int.max,
    examples: ["troupe measure time", "troupe measure time --in hours"],
    options: [
      // One option as wide as the column, and one wider.
      Option("exact", value: "N", "Measure to N digits, of which there may be as many as ever.", details: "Default: 3."),
      Option("in", value: "UNIT", "Measure in UNIT, which is one of the units known only here."),
      Option("set", value: "ID:KEY=VALUE", isRepeatable: true, in: .plugins, "Configure the plugin ID."),
    ],
    details: ["The only paragraph is a long one, which is broken so that no line of it is wider than eighty columns, ever."])

  @Test("A help has the purpose, the usage, the examples and the groups of options")
  func help() {
    #expect(
      Self.spec.help(width: 80) == """
        Measure everything that is named, in the order in which it is named, and then
        once more in the other order.

        usage: troupe measure NAME [ARG …] [OPTION …]

        Examples:
          troupe measure time
          troupe measure time --in hours

        Options:
          --exact N             Measure to N digits, of which there may be as many as
                                ever.
          --in UNIT             Measure in UNIT, which is one of the units known only
                                here.

        Plugin options:
          --set ID:KEY=VALUE …  Configure the plugin ID.

        Common options:
          --help                Print this help.

        troupe help measure explains the details.

        """)
  }

  @Test("A manual has the details of the options and of the command")
  func manual() {
    let lines = Self.spec.manual(width: 80).split(separator: "\n")
    #expect(lines.contains("                        ever. Default: 3."))
    #expect(lines.contains("  --set ID:KEY=VALUE …  Configure the plugin ID. Repeatable."))
    #expect(lines.suffix(2).first?.hasPrefix("The only paragraph") == true)
  }

  @Test("A command without options and details has a short help")
  func short() {
    #expect(
      CommandSpec("idle", "Do nothing.", options: []).help(width: 80) == """
        Do nothing.

        usage: troupe idle [OPTION …]

        Common options:
          --help  Print this help.

        """)
  }

  @Test("An option is shown with the placeholder of its value")
  func usage() {
    #expect(Option("json", "").usage == "--json")
    #expect(Option("tag", value: "TAG", "").usage == "--tag TAG")
  }
}
