import Foundation
import Synchronization
import Testing
import Troupe

/// A registrar of a plugin, as a host creates it.
final class TestRegistrar: PluginRegistrar {
  let container = Container()
  let plugin = PluginContext(id: "org.example.test", configuration: ["key": "value"])
  private(set) var described: [(key: AnyKey, name: String, metadata: [String: String])] = []
  private(set) var refusals: [String] = []

  subscript(key: AnyKey) -> Entry? {
    get { container[key] }
    set {
      if let description = newValue?.registrantInfo as? RegistrationTexts {
        described.append((key, description.name, description.metadata))
      }
      container[key] = newValue
    }
  }

  func register(assembly: any Assembly) { container.register(assembly: assembly) }

  func fail(_ reason: String) { refusals.append(reason) }
}

@MainActor private func onMain<Value>(_ value: Value) -> Value {
  MainActor.assertIsolated()
  return value
}

@Suite("A registration under a UUID is found by the UUID and by its tags")
struct RegistrarPluginsTests {
  private static let text = "7d0a4a2e-4b0c-4e0e-9f53-0a1c6f7a2b11"
  private let uuid: UUID

  init() throws {
    uuid = try #require(UUID(uuidString: Self.text))
  }

  @Test("The tags are the UUID and the texts")
  func tags() throws {
    let container = Container()
    let key = container.register(String.self, id: Self.text, name: "hello", tags: "greeting", "english") { _ in "Hello" }
    #expect(key == Key<String>(tags: uuid, "english", "greeting"))
    #expect(try container.resolve(String.self, tags: "greeting", "english", uuid) == "Hello")
    #expect(try container.resolve([String].self, tags: uuid) == ["Hello"])
    #expect(try container.resolve([String].self, tags: "greeting") == ["Hello"])
    #expect(try container.resolve([String].self, tags: Self.text).isEmpty)
    #expect(try container.resolve([String].self, tags: "hello").isEmpty)
  }

  @Test("Without tags the UUID is the only tag, and its case does not matter")
  func noTags() throws {
    let container = Container()
    let key = container.register(id: Self.text.uppercased(), name: "number") { _ in 7 }
    #expect(key == Key<Int>(tags: uuid))
    #expect(try container.resolve(Int.self, tags: uuid) == 7)
  }

  @Test("Lifetime and arguments behave as in any registration")
  func factory() throws {
    let container = Container()
    container.register(
      String.self, id: Self.text, name: "hello", tags: "a", metadata: ["k": "v"], lifetime: .singleton
    ) { (resolver, name: String, count: Int) in "\(name) \(count) \(try resolver.resolve(Int.self))" }
    container.register(Int.self) { _ in 3 }
    #expect(try container.resolve(String.self, tags: uuid, "a", args: "x", 2) == "x 2 3")
    #expect(container[Key<String>(tags: "a", uuid)]?.lifetime == .singleton)
  }

  @Test("A factory may be asynchronous, on the main actor, or without parameters, each with tags, metadata and a lifetime")
  func forms() async throws {
    let registrar = TestRegistrar()
    let ids = (0..<6).map { "7d0a4a2e-4b0c-4e0e-9f53-0a1c6f7a2b0\($0)" }
    let keys = [
      registrar.register(String.self, id: ids[0], name: "plain", tags: "a", metadata: ["k": "v"], lifetime: .singleton) { _ in
        "plain"
      },
      registrar.register(String.self, id: ids[1], name: "async", tags: "a", metadata: ["k": "v"], lifetime: .singleton) {
        _ async in
        await Task.yield()
        return "async"
      },
      registrar.register(String.self, id: ids[2], name: "plain async", tags: "a", metadata: ["k": "v"], lifetime: .singleton) {
        _ async in
        await Task.yield()
        return "plain async"
      },
      registrar.register(
        String.self, isolation: MainActor.shared, id: ids[3], name: "main", tags: "a", metadata: ["k": "v"],
        lifetime: .singleton
      ) { _ in onMain("main") },
      registrar.register(
        String.self, isolation: MainActor.shared, id: ids[4], name: "plain main", tags: "a", metadata: ["k": "v"],
        lifetime: .singleton
      ) { _ in onMain("plain main") },
      registrar.register(
        String.self, id: ids[5], name: "other order", tags: "a", metadata: ["k": "v"], lifetime: .singleton,
        isolation: MainActor.shared
      ) { _ in onMain("other order") },
    ]
    let names = ["plain", "async", "plain async", "main", "plain main", "other order"]
    #expect(registrar.described.map(\.name) == names)
    #expect(registrar.described.map(\.key) == keys.map { AnyKey($0) })
    #expect(registrar.described.allSatisfy { $0.metadata == ["k": "v"] })
    #expect(keys.allSatisfy { registrar.container[$0]?.lifetime == .singleton })
    #expect(try await registrar.container.resolve([String].self, tags: "a") == names)
  }

  @Test("An asynchronous factory and one on the main actor take arguments")
  func asyncArguments() async throws {
    let container = Container()
    container.register(String.self, id: Self.text, name: "async", tags: "a") { (_: any Resolver, a: Int, b: String) async in
      await Task.yield()
      return "\(b)\(a)"
    }
    container.register(
      Int.self, isolation: MainActor.shared, id: Self.text, name: "main", tags: "a"
    ) { (_: any Resolver, a: Int) in onMain(a + 1) }
    #expect(try await container.resolve(String.self, tags: uuid, "a", args: 3, "x") == "x3")
    #expect(try await container.resolve(Int.self, tags: uuid, "a", args: 3) == 4)
  }

  @Test("A registration records its source line, in each form")
  func lines() throws {
    let container = Container()
    let line = #line + 1
    let key = container.register(String.self, id: Self.text, name: "hello") { _ in "Hello" }
    #expect(container.explain(key).description.contains("RegistrarPluginsTests.swift:\(line)"))
  }

  @Test("The host gets the name and the metadata")
  func described() throws {
    let registrar = TestRegistrar()
    let key = registrar.register(String.self, id: Self.text, name: "hello", tags: "a", metadata: ["k": "v"]) { _ in "" }
    let description = try #require(registrar.described.first)
    #expect(registrar.described.count == 1)
    #expect(description.key == key)
    #expect(description.name == "hello")
    #expect(description.metadata == ["k": "v"])
    #expect(registrar.refusals.isEmpty)
    #expect(registrar.container[AnyKey(key)] != nil)
  }

  private static let noUUIDs = [
    "", "hello", "7d0a4a2e4b0c4e0e9f530a1c6f7a2b11", "{7d0a4a2e-4b0c-4e0e-9f53-0a1c6f7a2b11}",
    "7d0a4a2e-4b0c-4e0e-9f53-0a1c6f7a2b1", "7d0a4a2e-4b0c-4e0e-9f53-0a1c6f7a2b111", " 7d0a4a2e-4b0c-4e0e-9f53-0a1c6f7a2b11",
    "7d0a4a2e-4b0c-4e0e-9f53-0a1c6f7a2b1g", "7d0a4a2e-4b0c-4e0e-9f530-a1c6f7a2b11", "٧d0a4a2e-4b0c-4e0e-9f53-0a1c6f7a2b11",
  ]

  @Test("A text that is not a UUID makes the host refuse the plugin", arguments: noUUIDs)
  func refused(id: String) throws {
    let registrar = TestRegistrar()
    let key = registrar.register(String.self, id: id, name: "hello", tags: "a") { _ in "" }
    #expect(
      registrar.refusals == ["the factory \"hello\" has the id \"\(id)\", which is not a UUID; make one with uuidgen"])
    #expect(registrar.described.isEmpty)
    #expect(registrar.container[AnyKey(key)] == nil)
    #expect(try registrar.container.resolve([String].self).isEmpty)
  }

  @Test("A text that is not a UUID registers nothing outside a plugin", arguments: noUUIDs)
  func ignored(id: String) throws {
    let container = Container()
    container.register(String.self, id: id, name: "hello", tags: "a") { _ in "" }
    #expect(try container.resolve([String].self).isEmpty)
  }
}
