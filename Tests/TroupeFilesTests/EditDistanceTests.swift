import Testing
import TroupeFiles

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
}
