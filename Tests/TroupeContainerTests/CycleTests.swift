import Testing
import TroupeContainer

@Suite("Cycles")
struct CycleTests {
  @Test("A singleton that needs itself is an error with its key, each time", .timeLimit(.minutes(1)))
  func direct() throws {
    let container = Container()
    let key = container.register(Instance.self, tags: "a", lifetime: .singleton) { resolver in
      try resolver.resolve(Instance.self, tags: "a")
    }
    for _ in 0..<2 {
      let error = try #require(throws: ResolutionError.self) { try container.resolve(key: key) }
      #expect(error.reason.name == "cycle")
      #expect(error.key == key)
    }
  }

  @Test("A ring of dependencies is an error", .timeLimit(.minutes(1)), arguments: [Lifetime.transient, .singleton])
  func indirect(second: Lifetime) throws {
    let container = Container()
    container.register(Int.self, lifetime: .singleton) { resolver in try resolver.resolve(String.self).count }
    container.register(String.self, lifetime: second) { resolver in "\(try resolver.resolve([Double].self))" }
    container.register(Double.self, tags: 1, lifetime: .singleton) { resolver in Double(try resolver.resolve(Int.self)) }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int.self) }
    #expect(error.reason.name == "cycle")
    let startingElsewhere = try #require(throws: ResolutionError.self) { try container.resolve(Double.self, tags: 1) }
    #expect(startingElsewhere.reason.name == "cycle")
  }

  @Test("An optional dependency on oneself is a cycle and not nil", .timeLimit(.minutes(1)))
  func optional() throws {
    let container = Container()
    container.register(Int.self, lifetime: .singleton) { resolver in try resolver.resolve(Int?.self) ?? 1 }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int.self) }
    #expect(error.reason.name == "cycle")
  }

  @Test("Once the ring is cut, the singleton is made", .timeLimit(.minutes(1)))
  func recovered() throws {
    let container = Container()
    container.register(Int.self, lifetime: .singleton) { resolver in try resolver.resolve(String.self).count }
    container.register(String.self, lifetime: .singleton) { resolver in "\(try resolver.resolve(Int.self))" }
    #expect(throws: ResolutionError.self) { try container.resolve(Int.self) }
    container.register(String.self) { _ in "text" }
    #expect(try container.resolve(Int.self) == 4)
  }

  @Test("Two singletons that need a third are no cycle", .timeLimit(.minutes(1)))
  func diamond() throws {
    let container = Container()
    let made = Counter()
    container.register(Int.self, tags: "base", lifetime: .singleton) { _ in made.next() }
    for side in ["left", "right"] {
      container.register(Int.self, tags: side, lifetime: .singleton) { resolver in
        10 * (try resolver.resolve(Int.self, tags: "base"))
      }
    }
    container.register(Int.self, tags: "top", lifetime: .singleton) { resolver in
      try resolver.resolve(Int.self, tags: "left") + resolver.resolve(Int.self, tags: "right")
    }
    #expect(try container.resolve(Int.self, tags: "top") == 20)
    #expect(made.count == 1)
  }
}
