import Foundation
import TestSupport
import Testing
import Troupe
import TroupeContainer

@testable import TroupeFiles
@testable import TroupeHost

@Suite("The registrations of a host")
struct PluginRegistryTests {
  private final class Clock: Sendable {}

  private let catalog: PluginRegistry
  private let owner = Owner(name: "org.example.a", allowsPartialTags: true)

  init() {
    catalog = PluginRegistry(
      contracts: ["org.example.clock/1", "org.example.clock/2"].map { name in
        Contract(name, Clock.self, minimumTableSize: nil) { _ in Clock() }
      })
  }

  /// Returns an entry of the plugin for a contract, with a UUID and a tag.
  private func entry(_ contract: String, _ id: UUID, plugin: String = "org.example.a") -> Entry {
    let entry = Entry.plain(Clock.self, tags: TagList(Set(elements: "clock", id)), lifetime: .transient) { _ in Clock() }
    entry.registrantInfo = RegistrationTexts(name: contract, metadata: [:])
    var registration = RegistrationDescription(entry, plugin: plugin)
    registration.contract = contract
    entry.registrantInfo = registration
    return entry
  }

  @Test("A query for a contract excludes another contract of the same type, and includes the program's registrations")
  func contracts() {
    #expect(catalog.add([entry("org.example.clock/1", UUID()), entry("org.example.clock/2", UUID())], owner: owner) == nil)
    for name in ["org.example.clock/1", "org.example.clock/2"] {
      let found = catalog.entries(ofContract: name, tags: ["clock"], in: nil)
      #expect(found.map { $0.registration?.contract } == [name])
    }
    catalog.container.register(Clock.self, tags: "clock", "own") { _ in Clock() }
    #expect(catalog.entries(ofContract: "org.example.clock/1", tags: ["clock"], in: nil).count == 2)
    #expect(catalog.all.map(\.name) == ["org.example.clock/1", "org.example.clock/2"])
  }

  @Test("A program's copy of a plugin's registration under another key is not the plugin's")
  func copies() throws {
    let id = UUID()
    #expect(catalog.add([entry("org.example.clock/1", id)], owner: owner) == nil)
    let key = try #require(catalog.all.first.map { catalog.key(of: $0) })
    catalog.container[AnyKey(Clock.self, tags: "copy", id)] = catalog.container[key]
    #expect(catalog.all.map { catalog.key(of: $0) } == [key])
    catalog.container.unregister(owner: owner)
    #expect(catalog.all.isEmpty && catalog.holder(of: id) == nil)
  }

  @Test("A UUID of another plugin is a clash that changes nothing, and one of the same plugin is replaced")
  func clash() {
    let (id, other) = (UUID(), Owner(name: "org.example.b", allowsPartialTags: true))
    #expect(catalog.add([entry("org.example.clock/1", id)], owner: owner) == nil)
    let clash = catalog.add(
      [
        entry("org.example.clock/2", UUID(), plugin: "org.example.b"),
        entry("org.example.clock/2", id, plugin: "org.example.b"),
      ],
      owner: other)
    #expect(clash?.code == .duplicateUUID)
    #expect(catalog.all.map(\.plugin) == ["org.example.a"])
    #expect(catalog.add([entry("org.example.clock/2", id)], owner: owner, replacing: owner) == nil)
    #expect(catalog.all.map(\.name) == ["org.example.clock/2"])
  }
}
