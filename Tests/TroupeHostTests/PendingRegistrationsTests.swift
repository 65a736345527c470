import TestSupport
import Testing
import TroupeContainer

@testable import TroupeFiles
@testable import TroupeHost
@testable import TroupeSandbox

@Suite("Pending registrations")
struct PendingRegistrationsTests {
  @Test("A lazy Swift registration has the source location of the plugin's own, also in an explanation")
  func sourceLocations() throws {
    let factories = PluginRegistry(contracts: [])
    let factory = RegistrationDescription(
      plugin: "org.example.a", uuid: nil, name: "two", contract: nil, tags: [], signature: "(Int) -> String",
      lifetime: .transient, metadata: [:], location: "Sample/Plugin.swift:7", types: .swift(instance: "SS", arguments: ["Si"]))
    let summary = PluginSummary(registrations: [factory], isComplete: true)
    let lazy = try #require(PendingRegistrations(summary, plugin: "org.example.a", factories: factories) {})
    #expect(lazy.entries.map { ($0.registrantInfo as? RegistrationDescription)?.location } == ["Sample/Plugin.swift:7"])
    let owner = Owner(name: "org.example.a", allowsPartialTags: true)
    #expect(factories.add(lazy.entries, owner: owner) == nil)
    let explanation = factories.container.explain(String.self, arguments: Int.self)
    #expect(explanation.answers.map(\.registration.location) == ["Sample/Plugin.swift:7"])
  }

  @Test("A pending entry keeps its location under another key, and an invalid text gives no location")
  func texts() {
    for (text, place) in [("A/b.swift:3", "A/b.swift:3"), ("A/ü:b.swift:4000000000", "A/ü:b.swift:4000000000"), (":1", ":1")] {
      let entry = Entry.pending(Int.self, tags: TagList([]), lifetime: .transient, argumentTypes: nil, location: text) {}
      #expect(entry.location == place)
      #expect(entry.copied(to: AnyKey(Int.self, tags: "other")).location == place)
    }
    for text in ["", "A/b.swift", "A/b.swift:", "A/b.swift:x", "A/b.swift:-1"] {
      let entry = Entry.pending(Int.self, tags: TagList([]), lifetime: .transient, argumentTypes: nil, location: text) {}
      #expect(entry.location == nil)
    }
  }
}
