import Testing

@testable import TroupeContainer

private struct Granularity: Equatable, Sendable {
  var meters: Int
}

@Suite("A filter returns keys by type, tags, group and metadata, in order")
struct FilterTests {
  private let container = Container()

  /// Registers a number whose factory must not run.
  @discardableResult
  private func register<Tag: Hashable & Sendable>(_ tag: Tag, _ meters: Int?, group: Group = Group("a")) -> Key<Int> {
    let registrar = meters.map { container.annotated(metadata: Granularity(meters: $0)) } ?? container
    return registrar.register(Int.self, tags: tag, group, lifetime: .singleton) { _ in
      Issue.record("the factory ran")
      return 0
    }
  }

  @Test("By type, tags and group, filter returns keys in the order of registration")
  func tags() {
    let keys = [register("one", nil), register("two", 2), register("three", nil, group: Group("b"))]
    container.register(String.self, tags: "one", Group("a")) { _ in "" }
    #expect(container.filter(Int.self) == keys)
    #expect(container.filter(Int.self, group: Group("a")) == [keys[0], keys[1]])
    #expect(container.filter(Int.self, tags: "two") == [keys[1]])
    #expect(container.filter(Int.self, tags: "three", group: Group("b")) == [keys[2]])
    #expect(container.filter(Int.self, tags: "three", group: Group("a")).isEmpty)
    #expect(container.filter(Int.self, tags: Group("a"), group: Group("a")).count == 2)
    #expect(container.filter(Int.self, group: Group("unknown")).isEmpty)
    #expect(container.filter(Double.self).isEmpty)
    let inferred: [Key<Int>] = container.filter(group: Group("b"))
    #expect(inferred == [keys[2]])
  }

  @Test("A predicate is called only with metadata of its type")
  func predicate() throws {
    let keys = (0..<5).map { (number: Int) in register(number, number) }
    register("none", nil)
    container.annotated(metadata: "text").register(Int.self, tags: "text", Group("a")) { _ in 0 }
    #expect(container.filter(Int.self) { (metadata: Granularity) in metadata.meters > 2 } == [keys[3], keys[4]])
    #expect(container.filter(Int.self, tags: 4) { (metadata: Granularity) in metadata.meters > 2 } == [keys[4]])
    #expect(container.filter(Int.self, group: Group("b")) { (_: Granularity) in true }.isEmpty)
    #expect(container.filter(Int.self, matching: { (_: any Equatable) in true }).count == 6)
    #expect(container.filter(Int.self) { (_: Double) in true }.isEmpty)
  }

  @Test("By metadata, filter returns the registrations with an equal value")
  func equality() {
    let keys = (0..<5).map { register($0, $0 % 2) }
    register("none", nil)
    container.annotated(metadata: 1).register(Int.self, tags: "number") { _ in 0 }
    #expect(container.filter(Int.self, metadata: Granularity(meters: 1)) == [keys[1], keys[3]])
    #expect(container.filter(Int.self, tags: 3, group: Group("a"), metadata: Granularity(meters: 1)) == [keys[3]])
    #expect(container.filter(Int.self, metadata: Granularity(meters: 7)).isEmpty)
    #expect(container.filter(Int.self, metadata: 1).count == 1)
  }

  @Test("The error of a predicate is thrown")
  func failure() {
    register("one", 1)
    register("two", 2)
    let calls = Counter()
    func predicate(_ metadata: Granularity) throws -> Bool {
      if calls.next() == 1 { throw SampleError() }
      return true
    }
    #expect(throws: SampleError.self) { try container.filter(Int.self, matching: predicate) }
    #expect(calls.count == 1)
    // The failed call leaves no result behind.
    #expect((try? container.filter(Int.self, matching: predicate))?.count == 2)
    #expect(throws: SampleError.self) { try container.filter(group: Group("a")) { (_: Granularity) in throw SampleError() } }
    let key = Key<Int>(tags: "one", Group("a"))
    #expect(throws: SampleError.self) { try container.filter(keys: [key]) { (_: Granularity) in throw SampleError() } }
  }

  @Test("By group, filter returns keys of all types, with a predicate or equal metadata")
  func allTypes() {
    let number = AnyKey(register("one", 1))
    let text = AnyKey(container.annotated(metadata: Granularity(meters: 2)).register(String.self, tags: Group("a")) { _ in "" })
    let other = AnyKey(register("two", 2))
    register("three", 2, group: Group("b"))
    #expect(container.filter(group: Group("a")) == [number, text, other])
    #expect(container.filter(group: Group("a"), metadata: Granularity(meters: 2)) == [text, other])
    #expect(container.filter(group: Group("a")) { (metadata: Granularity) in metadata.meters < 2 } == [number])
    #expect(container.filter(group: Group("unknown")) == [AnyKey]())
  }

  @Test("By keys, filter returns the registered ones once each in the order of the keys")
  func keys() {
    let keys = (0..<4).map { register($0, $0) }
    let wanted = [keys[3], Key(tags: "missing"), keys[1], keys[3]]
    #expect(container.filter(keys: wanted) == [keys[3], keys[1]])
    #expect(container.filter(keys: wanted, metadata: Granularity(meters: 1)) == [keys[1]])
    #expect(container.filter(keys: wanted) { (metadata: Granularity) in metadata.meters > 1 } == [keys[3]])
    #expect(container.filter(keys: wanted.map { AnyKey($0) }).count == 2)
    #expect(container.filter(keys: Set(keys)).count == 4)
  }

  @Test("A key with several registrations is returned once if one of them matches")
  func overloads() {
    let key = container.annotated(metadata: 1).register(Int.self) { _ in 0 }
    container.annotated(metadata: 2).register(Int.self) { (_, number: Int) in number }
    container.register(Int.self) { (_, text: String) in text.count }
    #expect(container.filter(Int.self) == [key])
    for number in [1, 2] {
      #expect(container.filter(Int.self, metadata: number) == [key])
      #expect(container.filter(keys: [key], metadata: number) == [key])
    }
    #expect(container.filter(Int.self, metadata: 3).isEmpty)
  }

  @Test("Registrations of a parent are returned unless a child overrides them")
  func parents() {
    let child = Container(parent: container)
    let keys = (0..<3).map { register($0, 1) }
    let text = container.register(String.self, tags: Group("a")) { _ in "" }
    child.annotated(metadata: Granularity(meters: 2)).register(key: keys[1]) { _ in 0 }
    #expect(child.filter(Int.self, group: Group("a")) == [keys[0], keys[2], keys[1]])
    #expect(child.filter(Int.self, metadata: Granularity(meters: 1)) == [keys[0], keys[2]])
    #expect(child.filter(group: Group("a"), metadata: Granularity(meters: 2)) == [AnyKey(keys[1])])
    #expect(child.filter(group: Group("a")).contains(AnyKey(text)))
    #expect(child.filter(keys: keys, metadata: Granularity(meters: 1)) == [keys[0], keys[2]])
    #expect(container.filter(Int.self, metadata: Granularity(meters: 1)) == keys)
  }

  @Test("A pending registration is found by its key, has no metadata and is not loaded")
  func pending() {
    let plugin = LazyPlugin(container) { $0.annotated(metadata: 1).register(Int.self, tags: Group("a")) { _ in 1 } }
    #expect(container.filter(Int.self, group: Group("a")).count == 1)
    #expect(container.filter(group: Group("a")).count == 1)
    #expect(container.filter(Int.self, metadata: 1).isEmpty)
    #expect(plugin.loads.count == 0)
    _ = try? container.resolve(Int.self, tags: Group("a"))
    #expect(container.filter(Int.self, metadata: 1).count == 1)
  }

  @Test("A predicate may resolve and register")
  func reentrant() throws {
    container.annotated(metadata: 1).register(Int.self) { _ in 7 }
    let container = container
    let keys = try container.filter(Int.self) { (metadata: Int) in
      container.register(String.self) { _ in "new" }
      return try container.resolve(Int.self) == 7
    }
    #expect(keys.count == 1)
    #expect(try container.resolve(keys: keys) == [7])
  }
}
