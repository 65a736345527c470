import Testing
import TroupeCommands

@Suite("Known names in a message")
struct KnownNamesTests {
  @Test("A few names are listed in order, each once")
  func few() {
    #expect(knownNames([], for: "any") == "none")
    #expect(knownNames(["div", "abs", "div"], for: "abs") == "div, abs")
  }

  @Test("Of many names the ones spelled most like the requested name are listed, with the number of the others")
  func many() {
    let names = (1...25).map { "function\($0)" } + ["strtol", "asctime", "strtod"]
    #expect(knownNames(names, for: "asctme").hasPrefix("asctime, "))
    #expect(knownNames(names, for: "STRTOL").hasPrefix("strtol, strtod, "))
    #expect(knownNames(names, for: "strtol").hasSuffix(" and 8 more"))
  }
}
