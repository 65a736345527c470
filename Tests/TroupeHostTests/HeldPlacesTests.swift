import TestSupport
import Testing
import TroupeContainer

@testable import TroupeHost

@Suite("Lazy registrations")
struct HeldPlacesTests {
  @Test("One in Swift has the source location of the plugin's own registration, also in an explanation")
  func places() throws {
    let factories = FactoryCatalog(contracts: [])
    let places = try #require(HeldPlaces(.sample, plugin: "org.example.a", factories: factories) {})
    #expect(places.registrations.map(\.place) == [nil, "Sample/Plugin.swift:7", nil])
    let owner = Owner(name: "org.example.a", allowsPartialTags: true)
    #expect(factories.add(places.registrations, entries: places.entries, owner: owner) == nil)
    let explanation = factories.container.explain(String.self, arguments: Int.self)
    #expect(explanation.answers.map(\.registration.place) == ["Sample/Plugin.swift:7"])
  }

  @Test("A pending entry keeps the location under another key, and has none if the text is not one")
  func texts() {
    for (text, place) in [("A/b.swift:3", "A/b.swift:3"), ("A/ü:b.swift:4000000000", "A/ü:b.swift:4000000000"), (":1", ":1")] {
      let entry = Entry.pending(Int.self, tags: TagList([]), lifetime: .transient, argumentTypes: nil, place: text) {}
      #expect(entry.place == place)
      #expect(entry.copied(to: AnyKey(Int.self, tags: "other")).place == place)
    }
    for text in ["", "A/b.swift", "A/b.swift:", "A/b.swift:x", "A/b.swift:-1"] {
      let entry = Entry.pending(Int.self, tags: TagList([]), lifetime: .transient, argumentTypes: nil, place: text) {}
      #expect(entry.place == nil)
    }
  }
}
