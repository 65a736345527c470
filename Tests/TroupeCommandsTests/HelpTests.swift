import Testing
import TroupeCommands

@Suite("The help of a command")
struct HelpTests {
  @Test("Usage, summary, options and details are printed in order")
  func golden() {
    let spec = CommandSpec(
      "measure",
      "Measure everything that is named, in the order in which it is named, and then once more in the other order.",
      operands: "NAME [ARG …]", operandCount: 1...Int.max,
      options: [
        Option("json", "Print JSON instead of a table."),
        Option(
          "set", value: "ID:KEY=VALUE", isRepeatable: true,
          "Set KEY to VALUE in the configuration of ID; the earlier value of this KEY is replaced."),
        // One option as wide as the column, and one wider.
        Option("exact", value: "N", "Measure to N digits, of which there may be as many as ever"),
        Option("in", value: "UNIT", "Measure in UNIT, which is one of the units known only here."),
      ],
      details: [
        "The first paragraph is a long one, which is broken so that no line of it is wider than eighty columns, ever.",
        "The second is short.",
      ])
    #expect(
      spec.help(width: 80) == """
        usage: troupe measure NAME [ARG …] [OPTION …]

        Measure everything that is named, in the order in which it is named, and then
        once more in the other order.

        Options:
          --json              Print JSON instead of a table.
          --set ID:KEY=VALUE  Set KEY to VALUE in the configuration of ID; the earlier
                              value of this KEY is replaced. Repeatable.
          --exact N           Measure to N digits, of which there may be as many as ever
          --in UNIT           Measure in UNIT, which is one of the units known only
                              here.
          --help              Print this help and exit.

        The first paragraph is a long one, which is broken so that no line of it is
        wider than eighty columns, ever.

        The second is short.

        """)
  }

  @Test("A command without options and details has a short help")
  func short() {
    #expect(
      CommandSpec("idle", "Do nothing.", options: []).help(width: 80) == """
        usage: troupe idle [OPTION …]

        Do nothing.

        Options:
          --help  Print this help and exit.

        """)
  }

  @Test("An option is shown with the placeholder of its value")
  func usage() {
    #expect(Option("json", "").usage == "--json")
    #expect(Option("tag", value: "TAG", "").usage == "--tag TAG")
  }
}
