import Testing
import TroupeTools

@Suite("Activities of plugins")
struct PluginActivityTests {
  private struct Failure: Error {}

  @Test("An activity is listed while its code runs, and no longer after an error")
  func running() {
    let outer = PluginActivity(function: "first", of: "org.example.activities")
    let inner = PluginActivity(function: "second", of: "org.example.activities")
    #expect(throws: Failure.self) {
      try outer.during {
        try inner.during {
          #expect(PluginActivity.running.filter { $0.plugins == ["org.example.activities"] } == [outer, inner])
          throw Failure()
        }
      }
    }
    #expect(!PluginActivity.running.contains { $0.plugins == ["org.example.activities"] })
  }
}
