import Testing

@testable import TroupeContainer

private final class Part: Sendable {}
private final class Whole: Sendable {}
private final class Shelf: Sendable {}

@Suite("A container that learns records what its factories resolve")
struct LearningTests {
  let container = Container(learnsDependencies: true)

  /// Returns descriptions of the edges from a type in the graph.
  private func needs(of type: any Any.Type, in container: Container) -> [String] {
    let graph = container.graph()
    return graph.edges.filter { graph.nodes[$0.from].key.metatype == type }.map { edge in
      let key = graph.nodes[edge.to].key
      return "\(edge.kind) \(key.metatype)[\(key.sortedTags.joined(separator: ", "))] \(edge.source)"
    }
  }

  @Test("The graph has the dependencies that a factory resolved, with their kinds")
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
    // A factory may have further dependencies than the learned ones.
    #expect(container.validate().findings.map(\.kind) == [.learned, .learned])
  }

  @Test("Each factory has its own learned dependencies, also inside another factory")
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

  @Test("Dependencies of asynchronous and main-actor factories are learned")
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

  @Test("The arguments of a resolve choose the registration that an edge leads to")
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
    #expect(graph.nodes[graph.edges[0].to].registration?.location == "TroupeContainerTests/LearningTests.swift:\(line)")
    #expect(container.validate().problems.isEmpty)
  }

  @Test("A child of a learning container learns, and an ordinary container does not")
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

  @Test("A learning container resolves the same instances as an ordinary one")
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

  @Test("Resolves of optional keys, by keys and past the cache are learned in every context")
  func otherVerbs() async throws {
    container.annotated(cached: true).register(Part.self) { _ in Part() }
    container.register(String.self) { (resolver: any Resolver) in
      _ = try resolver.resolve(ifPresent: Part.self)
      _ = try resolver.resolve(ifPresent: Key<Part>(tags: "spare"))
      _ = try resolver.resolve(keys: [Key<Shelf>(tags: 1), Key<Shelf>(tags: 2)])
      _ = try resolver.resolve(keys: [AnyKey(Shelf.self, tags: 3)])
      return ""
    }
    container.register(Int.self) { (resolver: any Resolver) in
      _ = try resolver.resolve(key: Key<Part>(), cached: false)
      _ = try resolver.resolve(key: AnyKey(Part.self))
      return 1
    }
    container.register(Bool.self) { (resolver: any Resolver) async throws in
      _ = try await resolver.resolve(ifPresent: Whole.self)
      _ = try await resolver.resolve(keys: [Key<Shelf>(tags: 1)])
      return try await resolver.resolve(key: Key<Part>(), cached: true) === resolver.resolve(Part.self)
    }
    await MainActor.run {
      _ = container.register(Double.self, isolation: MainActor.shared) { resolver in
        _ = try resolver.resolve(ifPresent: Key<Whole>(), isolation: MainActor.shared)
        _ = try resolver.resolve(keys: [Key<Shelf>(tags: 1)], isolation: MainActor.shared)
        return 1
      }
    }
    _ = try await (container.resolve(String.self), container.resolve(Int.self))
    #expect(try await container.resolve(Bool.self))
    _ = try await container.resolve(Double.self)
    #expect(
      needs(of: String.self, in: container).sorted() == [
        "optional Part[\"spare\"] learned", "optional Part[] learned", "optional Shelf[1] learned", "optional Shelf[2] learned",
        "optional Shelf[3] learned",
      ])
    #expect(needs(of: Int.self, in: container) == ["required Part[] learned"])
    #expect(
      needs(of: Bool.self, in: container).sorted()
        == ["optional Shelf[1] learned", "optional Whole[] learned", "required Part[] learned"])
    #expect(needs(of: Double.self, in: container).sorted() == ["optional Shelf[1] learned", "optional Whole[] learned"])
    #expect(container.validate().problems.isEmpty)
  }

  @Test("Dependencies are learned when a resolve overrides the cache setting of the registration", arguments: [true, false])
  func counterparts(isCached: Bool) throws {
    container.register { _ in Part() }
    container.annotated(cached: isCached).register(Whole.self) { resolver in
      _ = try resolver.resolve(Part.self)
      return Whole()
    }
    _ = try container.resolve(key: Key<Whole>(), cached: !isCached)
    #expect(needs(of: Whole.self, in: container) == ["required Part[] learned"])
  }

  @Test("Dependencies of an injection's block are learned in addition to those of its key paths")
  func injections() async throws {
    final class Target {
      var part: Part?
    }
    container.register { _ in Part() }
    container.register { _ in Shelf() }
    container.into(injectable: Target.self).inject(\.part).inject { target, resolver in
      _ = try resolver.resolve(Shelf.self)
      return target
    }.register()
    #expect(needs(of: Injection.self, in: container) == ["optional Part[] known"])
    try await container.resolve(into: Target())
    #expect(needs(of: Injection.self, in: container) == ["optional Part[] known", "required Shelf[] learned"])
    #expect(container.validate().findings.filter(\.subject.key.isInjection).map(\.kind) == [.learned])
  }

  @Test("A target without an injection is reported until an injection is registered")
  func untouched() throws {
    class Base {}
    final class Derived: Base {}
    try container.resolve(into: Derived())
    try container.resolve(into: 7)
    let report = container.validate()
    #expect(report.findings.map(\.kind) == [.untouched, .untouched] && report.problems.isEmpty && report.unknown.isEmpty)
    #expect(
      report.findings.map(\.subject.key) == [AnyKey(Injection.key(into: Int.self)), AnyKey(Injection.key(into: Derived.self))])
    #expect(report.description.contains("untouched: there is no TroupeContainer.Injection [into Swift.Int], but"))
    container.into(injectable: Base.self).inject { target, _ in target }.register()
    try container.resolve(into: Derived())
    #expect(
      container.validate().findings.filter { $0.kind == .untouched }.map(\.subject.key.sortedTags) == [["into Swift.Int"]])
    // A container that does not learn records no targets.
    let other = Container()
    try other.resolve(into: 7)
    #expect(other.validate().findings.isEmpty)
  }

  @Test("Learned dependencies of a registration do not apply to its copies")
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
