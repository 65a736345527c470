import Testing
import TroupeBase

@Suite("The nearest name")
struct EditDistanceTests {
  private static let ids = ["org.example.grep", "org.example.good", "com.acme.zip"]

  @Test(
    "The nearest id differs in at most half of the bytes behind the common domain",
    arguments: [
      ("org.example.goood", "org.example.good"), ("org.exmaple.good", "org.example.good"), ("com.acme.zap", "com.acme.zip"),
      ("org.example.greeting", nil), ("org.example.", nil), ("com.unlike.everything.else", nil), ("", nil),
    ])
  func nearest(wanted: String, expected: String?) {
    #expect(nearestName(to: wanted, in: Self.ids) == expected)
  }

  @Test("Known names are listed once, the nearest first, at most twenty of them")
  func known() {
    #expect(knownNames([], for: "any") == "none")
    #expect(knownNames(["div", "abs", "div"], for: "Abs") == "abs, div")
    let names = (1...25).map { "function\($0)" } + ["strtol", "asctime", "strtod"]
    #expect(knownNames(names, for: "asctme").hasPrefix("asctime, "))
    #expect(knownNames(names, for: "STRTOL").hasPrefix("strtol, strtod, "))
    #expect(knownNames(names, for: "strtol").hasSuffix(" and 8 more"))
  }
}
