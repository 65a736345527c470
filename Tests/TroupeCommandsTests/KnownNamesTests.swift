import Testing
import TroupeCommands

@Suite("Known names in a message")
struct KnownNamesTests {
  @Test("A few are all told in their order, each once")
  func few() {
    #expect(knownNames([], for: "any") == "none")
    #expect(knownNames(["div", "abs", "div"], for: "abs") == "div, abs")
  }

  @Test("Of many those are told that are spelled most like what was asked for, and how many more there are")
  func many() {
    let names = (1...25).map { "function\($0)" } + ["strtol", "asctime", "strtod"]
    #expect(knownNames(names, for: "asctme").hasPrefix("asctime, "))
    #expect(knownNames(names, for: "STRTOL").hasPrefix("strtol, strtod, "))
    #expect(knownNames(names, for: "strtol").hasSuffix(" and 8 more"))
  }
}
