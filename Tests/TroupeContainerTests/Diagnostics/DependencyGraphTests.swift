import Foundation
import Testing

@testable import TroupeContainer

private final class Engine: Sendable {}

private final class Car: Sendable {
  init(_: Engine, _: [Wheel], _: Radio?, _: LazyResolver<Engine>) {}
}

private final class Wheel: Sendable {}
private final class Radio: Sendable {}
private struct Box<Content>: Sendable {}

@Suite("The graph of a container has its registrations, arrays and missing keys, and their dependencies")
struct DependencyGraphTests {
  private func container() throws -> Container {
    let container = Container()
    container.register(factory: auto(Car.init))
    container.register(Wheel.self, tags: "front", lifetime: .singleton) { _ in Wheel() }
    container.registrar(owner: Owner(name: "org.example.wheels")).register(Wheel.self, tags: "back") { _ in Wheel() }
    _ = try container.resolve(Wheel.self, tags: "front")
    return container
  }

  @Test("Nodes are registrations in their order, arrays and missing keys; edges have a kind and a source")
  func shape() throws {
    let graph = try container().graph()
    #expect(graph.nodes.map(\.kind) == [.registration, .registration, .registration, .array, .missing, .missing])
    #expect(graph.nodes.map(\.id) == Array(0..<6))
    #expect(
      graph.nodes.map(\.key)
        == [
          AnyKey(Car.self), AnyKey(Wheel.self, tags: "front"), AnyKey(Wheel.self, tags: "back"), AnyKey([Wheel].self),
          AnyKey(Engine.self), AnyKey(Radio.self),
        ])
    #expect(graph.nodes.map { $0.registration?.isBuilt } == [false, true, false, nil, nil, nil])
    #expect(graph.nodes.map(\.knowledge) == [.complete, .unknown, .unknown, nil, nil, nil])
    #expect(graph.nodes[2].registration?.owner == "org.example.wheels")
    #expect(graph.nodes[0].registration?.location?.hasPrefix("TroupeContainerTests/") == true)
    #expect(
      graph.edges == [
        DependencyGraph.Edge(from: 0, to: 4, kind: .required, source: .known),
        DependencyGraph.Edge(from: 0, to: 3, kind: .array, source: .known),
        DependencyGraph.Edge(from: 0, to: 5, kind: .optional, source: .known),
        DependencyGraph.Edge(from: 0, to: 4, kind: .lazy, source: .known),
        DependencyGraph.Edge(from: 3, to: 1, kind: .array, source: .known),
        DependencyGraph.Edge(from: 3, to: 2, kind: .array, source: .known),
      ])
  }

  @Test("A registration of a parent is one node, from whichever container its key is requested")
  func parents() throws {
    let parent = Container()
    let child = Container(parent: parent)
    parent.register(factory: auto { (_: Engine) in Wheel() })
    parent.register(lifetime: .singleton, factory: auto { (_: Wheel) in Radio() })
    parent.register(factory: auto(Engine.init))
    child.register(factory: auto(Engine.init))
    let graph = child.graph()
    #expect(graph.nodes.map(\.depth) == [0, 1, 1, 1])
    // The wheel is requested in the child, and by the parent's radio in the parent.
    #expect(graph.edges.map { [$0.from, $0.to] } == [[1, 0], [1, 3], [2, 1]])
  }

  @Test("Equal registrations produce equal JSON")
  func deterministic() throws {
    #expect(try container().graph().json == container().graph().json)
  }

  /// Registers tags and types with texts that need quoting.
  private func odd() -> Container {
    struct Tag: Hashable, Sendable, CustomStringConvertible {
      let description: String
    }
    let container = Container()
    for text in [
      "\"", "\\", "\\\"", "a\nb", "\u{0}\u{7}\u{1B}", "&lt;", "<b>", "]--", "-->", "%%{init}", "#quot;", "`", "é日本🏳️‍🌈",
      "\u{202E}", "\\N",
    ] {
      container.register(Box<[String: Int?]>.self, tags: Tag(description: text), text) { _ in Box() }
    }
    container.annotated(dependsOn: Key<Box<String>>(tags: "\"];")).register { _ in 1 }
    return container
  }

  @Test("Tags in JSON are texts: a string is itself, and another tag its description")
  func tags() throws {
    let container = Container()
    container.register(Int.self, tags: "red", 7, UInt8(7), Group("fast"), Optional("blue")) { _ in 1 }
    let graph = try JSONSerialization.jsonObject(with: Data(container.graph().json.utf8)) as? [String: [[String: Any]]]
    #expect(
      graph?["nodes"]?.first?["tags"] as? [String]
        == ["red", "7", #"Group("fast")"#, #"Optional("blue")"#, "UInt8(7)"])
  }

  @Test("The JSON has every node and every edge")
  func json() throws {
    struct Read: Decodable {
      struct Node: Decodable {
        let id: Int
        let kind, type: String
        let tags: [String]
        let place: String?
      }
      struct Edge: Decodable {
        let from, to: Int
        let need, source: String
      }
      let nodes: [Node]
      let edges: [Edge]
    }
    for container in [try container(), odd(), Container()] {
      let graph = container.graph()
      let read = try JSONDecoder().decode(Read.self, from: Data(graph.json.utf8))
      #expect(read.nodes.map(\.type) == graph.nodes.map(\.key.type))
      let tags = graph.nodes.map { Set($0.key.tagset.map { $0.value as? String ?? $0.description }) }
      #expect(read.nodes.map { Set($0.tags) } == tags)
      #expect(
        read.edges.map { "\($0.from) \($0.to) \($0.need) \($0.source)" }
          == graph.edges.map { "\($0.from) \($0.to) \($0.kind) \($0.source)" })
    }
  }
}
