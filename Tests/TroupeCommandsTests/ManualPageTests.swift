import TestSupport
import Testing
import TroupeCommands

@Suite("A page of the manual")
struct ManualPageTests {
  private static let spec = CommandSpec(
    "grep", "Print lines.", operands: "FILE", operandCount: 1...1,
    options: [Option("tag", value: "TAG", isRepeatable: true, "Select TAG.")],
    details: [".so in front: a \\ and a -dash.", "'quoted'"])

  @Test("A page has the usual sections in their order")
  func sections() {
    let page = ManualPage(Self.spec, statuses: "Exit status: 0 success.", version: "1.2.3")
    let titles = page.content.split(separator: "\n").filter { $0.hasPrefix(".SH ") }.map { $0.dropFirst(5).dropLast() }
    #expect(page.file == "troupe-grep.1")
    #expect(titles == ["NAME", "SYNOPSIS", "EXAMPLES", "OPTIONS", "DESCRIPTION", "EXIT STATUS", "SEE ALSO"])
    #expect(page.content.contains("\ntroupe\\-grep \\- print lines\n"))
  }

  @Test("No text is a request, and backslashes and dashes are printed as they are")
  func escapes() {
    let lines = ManualPage(Self.spec, statuses: "", version: "1").content.split(separator: "\n").map(String.init)
    #expect(lines.contains(#"\&.so in front: a \e and a \-dash."#))
    #expect(lines.contains(#"\&'quoted'"#))
  }
}
