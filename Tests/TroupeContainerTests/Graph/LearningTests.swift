import Testing

@testable import TroupeContainer

private final class Part: Sendable {}
private final class Whole: Sendable {}
private final class Shelf: Sendable {}

@Suite("Learning what factories resolve")
struct LearningTests {
  let container = Container(learnsDependencies: true)

  /// The needs of a type that the graph knows, as words.
  private func needs(of type: any Any.Type, in container: Container) -> [String] {
    let graph = container.graph()
    return graph.edges.filter { graph.nodes[$0.from].key.metatype == type }.map { edge in
      let key = graph.nodes[edge.to].key
      return "\(edge.need) \(key.metatype)[\(key.sortedTags.joined(separator: ", "))] \(edge.source)"
    }
  }

  @Test("What a factory resolves is remembered, with its kind")
  func kinds() throws {
    container.register { _ in Part() }
    container.register { resolver in
      let _: Part = try resolver.resolve()
      let _: Part? = try resolver.resolve(tags: "spare")
      let _: [Part] = try resolver.resolve()
      let _: LazyResolver<Shelf> = try resolver.resolve()
      return Whole()
    }
    #expect(needs(of: Whole.self, in: container).isEmpty)
    #expect(container.validate().unknown.map(\.kind) == [.unknown, .unknown])
    _ = try container.resolve(Whole.self)
    _ = try container.resolve(Whole.self)
    #expect(
      needs(of: Whole.self, in: container).sorted() == [
        "array Array<Part>[] learned", "lazy Shelf[] learned", "optional Part[\"spare\"] learned", "required Part[] learned",
      ])
    // What happened need not be all that happens.
    #expect(container.validate().findings.map(\.kind) == [.learned, .learned])
  }

  @Test("Each factory is told apart: those that run inside another one have their own needs")
  func nested() throws {
    container.register(lifetime: .singleton) { _ in Part() }
    container.register(lifetime: .singleton) { resolver in
      _ = try resolver.resolve(Part.self)
      return Shelf()
    }
    container.register { resolver in
      _ = try resolver.resolve(Shelf.self)
      return Whole()
    }
    _ = try container.resolve(Whole.self)
    #expect(needs(of: Whole.self, in: container) == ["required Shelf[] learned"])
    #expect(needs(of: Shelf.self, in: container) == ["required Part[] learned"])
    #expect(needs(of: Part.self, in: container).isEmpty)
  }

  @Test("Asynchronous factories and those on the main actor are learned, too")
  func contexts() async throws {
    container.register { _ in Part() }
    container.register { resolver async throws in
      _ = try await resolver.resolve(Part.self)
      return Whole()
    }
    await MainActor.run {
      _ = container.register(isolation: MainActor.shared) { resolver in
        _ = try resolver.resolve(Part.self, isolation: MainActor.shared)
        return Shelf()
      }
    }
    _ = try await container.resolve(Whole.self)
    _ = try await container.resolve(Shelf.self)
    #expect(needs(of: Whole.self, in: container) == ["required Part[] learned"])
    #expect(needs(of: Shelf.self, in: container) == ["required Part[] learned"])
  }

  @Test("Arguments that were given choose among the registrations of a key")
  func arguments() throws {
    let line = #line + 1
    container.register(Part.self) { (_: any Resolver, _: Int) in Part() }
    container.register(Part.self) { (_: any Resolver, _: String) in Part() }
    container.register { resolver in
      _ = try resolver.resolve(Part.self, args: 7)
      return Whole()
    }
    _ = try container.resolve(Whole.self)
    let graph = container.graph()
    #expect(graph.edges.count == 1)
    #expect(graph.nodes[graph.edges[0].to].place == "TroupeContainerTests/LearningTests.swift:\(line)")
    #expect(container.validate().problems.isEmpty)
  }

  @Test("A child of a container that learns does, and an ordinary container does not")
  func inheritance() throws {
    let child = Container(parent: container)
    container.register { _ in Part() }
    container.register { resolver in
      _ = try resolver.resolve(Part.self)
      return Whole()
    }
    _ = try child.resolve(Whole.self)
    #expect(needs(of: Whole.self, in: child) == ["required Part[] learned"])
    let other = Container()
    other.register { _ in Part() }
    other.register { resolver in
      _ = try resolver.resolve(Part.self)
      return Whole()
    }
    _ = try other.resolve(Whole.self)
    #expect(needs(of: Whole.self, in: other).isEmpty)
    #expect(Set(other.validate().findings.map(\.kind)) == [.unknown])
  }

  @Test("A container that learns resolves what any other does")
  func sameResults() throws {
    container.register(lifetime: .singleton) { _ in Part() }
    container.register(String.self, tags: "a", "b") { (_: any Resolver, number: Int) in "\(number)" }
    #expect(try container.resolve(Part.self) === container.resolve(Part.self))
    #expect(try container.resolve(String.self, tags: "b", "a", args: 7) == "7")
    #expect(try container.resolve([Part].self).count == 1)
    #expect(container.find(Criteria<Part>(op: .subset)).count == 1)
    let owner = Owner(name: "owner")
    container.registrar(owner: owner).register { _ in Whole() }
    #expect(container.unregister(owner: owner) == 1)
    #expect(throws: ResolutionError.self) { try container.resolve(Whole.self) }
  }

  @Test("What a replaced or copied registration did is not said of the other")
  func copies() throws {
    container.register { _ in Part() }
    container.register(Whole.self, tags: "old") { resolver in
      _ = try resolver.resolve(Part.self)
      return Whole()
    }
    _ = try container.resolve(Whole.self, tags: "old")
    container[Key<Whole>(tags: "new")] = container[Key<Whole>(tags: "old")]
    let unknown = container.validate().findings.filter { $0.kind == .unknown }
    #expect(unknown.map(\.subject.key) == [AnyKey(Whole.self, tags: "new")])
  }
}
