import Testing
import TroupeContainer

@Suite("A factory that needs its own instance throws an error", .timeLimit(.minutes(60)))
struct CycleTests {
  @Test("A singleton that depends on itself is an error with its key at each resolve")
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

  @Test("A dependency cycle is an error", arguments: [Lifetime.transient, .singleton])
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

  @Test("A factory's optional dependency on its own key is a dependency cycle, not nil")
  func optional() throws {
    let container = Container()
    container.register(Int.self, lifetime: .singleton) { resolver in try resolver.resolve(Int?.self) ?? 1 }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int.self) }
    #expect(error.reason.name == "cycle")
  }

  @Test("A singleton is created after its dependency cycle is broken")
  func recovered() throws {
    let container = Container()
    container.register(Int.self, lifetime: .singleton) { resolver in try resolver.resolve(String.self).count }
    container.register(String.self, lifetime: .singleton) { resolver in "\(try resolver.resolve(Int.self))" }
    #expect(throws: ResolutionError.self) { try container.resolve(Int.self) }
    container.register(String.self) { _ in "text" }
    #expect(try container.resolve(Int.self) == 4)
  }

  @Test("Two singletons that share a dependency are not a dependency cycle")
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

  private struct Part<Name>: Hashable, Sendable {}
  private enum A {}
  private enum B {}
  private enum C {}

  /// Returns the path in a dependency cycle error.
  private func path(_ error: ResolutionError) -> [AnyKey] {
    if case .cycle(let keys) = error.reason { keys } else { [] }
  }

  @Test(
    "A dependency cycle through collections, optionals, lazy resolvers and nested containers shows its path and locations",
    arguments: [Lifetime.transient, .singleton])
  func throughEverything(lifetime: Lifetime) async throws {
    let container = Container()
    let line = #line + 1
    container.register(Part<A>.self, lifetime: lifetime) { resolver in
      _ = try LazyResolver<[Part<B>]>(tags: "b", with: resolver).resolve()
      return Part<A>()
    }
    container.register(Part<B>.self, tags: "b", 1, lifetime: lifetime) { resolver in
      let child = Container(parent: resolver as? Container)
      _ = try child.resolve(Part<C>?.self)
      return Part<B>()
    }
    container.register(Part<C>.self, lifetime: lifetime) { resolver in
      _ = try resolver.resolve(Set<Part<A>>.self)
      return Part<C>()
    }
    let cycle = [AnyKey(Part<A>.self), AnyKey(Part<B>.self, tags: "b", 1), AnyKey(Part<C>.self), AnyKey(Part<A>.self)]
    func check(_ error: ResolutionError) {
      #expect(path(error) == cycle)
      for lineNumber in [line, line + 4, line + 9] {
        #expect(error.description.contains("(TroupeContainerTests/CycleTests.swift:\(lineNumber))"))
      }
      #expect(error.description.contains(" → "))
    }
    for _ in 0..<2 {
      check(try #require(throws: ResolutionError.self) { try container.resolve(Part<A>.self) })
      check(try await #require(throws: ResolutionError.self) { try await container.resolve(Part<A>.self) })
      check(
        try await #require(throws: ResolutionError.self) {
          try await MainActor.run { try container.resolve(Part<A>.self, isolation: MainActor.shared) }
        })
    }
  }

  @Test(
    "A dependency cycle between a child and its parent is an error for transients and for the child's singletons")
  func childAndParent() throws {
    for lifetime in [Lifetime.transient, .singleton] {
      let parent = Container()
      let child = Container(parent: parent)
      parent.register { resolver in
        _ = try resolver.resolve(Part<B>.self)
        return Part<A>()
      }
      child.register(lifetime: lifetime) { resolver in
        _ = try resolver.resolve(Part<A>.self)
        return Part<B>()
      }
      let error = try #require(throws: ResolutionError.self) { try child.resolve(Part<A>.self) }
      #expect(path(error) == [AnyKey(Part<A>.self), AnyKey(Part<B>.self), AnyKey(Part<A>.self)])
    }
  }

  @Test(
    "A child's override that resolves the overridden key from the parent is not a dependency cycle")
  func decorator() throws {
    let parent = Container()
    let child = Container(parent: parent)
    for lifetime in [Lifetime.transient, .singleton] {
      parent.register(String.self, lifetime: lifetime) { _ in "inner" }
      child.register(String.self, lifetime: lifetime) { _ in "outer \(try parent.resolve(String.self))" }
      #expect(try child.resolve(String.self) == "outer inner")
    }
  }

  @Test(
    "A dependency cycle through the main actor and asynchronous factories is an error that shows its path")
  func throughMainActor() async throws {
    for lifetime in [Lifetime.transient, .singleton] {
      let container = Container()
      container.register(Part<C>.self, lifetime: lifetime) { resolver async throws in
        _ = try await resolver.resolve([Part<A>].self)
        return Part<C>()
      }
      container.register(Part<A>.self, isolation: MainActor.shared, lifetime: lifetime) { resolver in
        _ = try resolver.resolve(Part<B>?.self, isolation: MainActor.shared)
        return Part<A>()
      }
      container.register(Part<B>.self, isolation: MainActor.shared, lifetime: lifetime) { resolver in
        _ = try LazyResolver<Part<A>>(with: resolver).resolve(isolation: MainActor.shared)
        return Part<B>()
      }
      let error = try await #require(throws: ResolutionError.self) { try await container.resolve(Part<C>.self) }
      #expect(path(error) == [AnyKey(Part<A>.self), AnyKey(Part<B>.self), AnyKey(Part<A>.self)])
    }
  }
}

@Suite("A factory may resolve its own key with other arguments, up to a limit", .timeLimit(.minutes(60)))
struct RecursionTests {
  /// Registers factories that return the sum of the numbers up to their argument. Each resolves the sum up to the preceding
  /// number.
  private func sums() -> Container {
    let container = Container()
    container.register(Int.self) { (resolver, number: Int) in
      number == 0 ? 0 : number + (try resolver.resolve(Int.self, args: number - 1))
    }
    container.register(Int.self, tags: "by a key") { (resolver, number: Int) in
      number == 0 ? 0 : number + (try resolver.resolve(key: Key<Int>(tags: "by a key"), args: number - 1))
    }
    return container
  }

  @Test("A recursion of a hundred factories returns, also on a small stack", arguments: [1 << 20, 8 << 20])
  func deep(stack: Int) throws {
    let container = sums()
    let sums = try onThreads(1, stack: stack) { _ in
      [try container.resolve(Int.self, args: 100), try container.resolve(Int.self, tags: "by a key", args: 100)]
    }
    #expect(sums == [[5050, 5050]])
  }

  @Test("An endless recursion is an error and does not overflow the stack", arguments: [128 << 10, 512 << 10, 8 << 20])
  func endless(stack: Int) throws {
    let container = sums()
    let errors = try onThreads(2, stack: stack) { thread in
      try #require(throws: ResolutionError.self) {
        if thread == 0 { _ = try container.resolve(Int.self, args: -1) }
        if thread == 1 { _ = try container.resolve(Int.self, tags: "by a key", args: -1) }
      }
    }
    for error in errors {
      #expect(error.reason.name == "cycle")
      #expect(error.description.contains("CycleTests.swift:"))
    }
  }

  @Test("An endless recursion of two factories is an error")
  func endlessPair() throws {
    let container = Container()
    container.register(Int.self) { (resolver, number: Int) in Int(try resolver.resolve(Double.self, args: number + 1)) }
    container.register(Double.self) { (resolver, number: Int) in Double(try resolver.resolve(Int.self, args: number + 1)) }
    let errors = try onThreads(1, stack: 512 << 10) { _ in
      try #require(throws: ResolutionError.self) { try container.resolve(Int.self, args: 0) }
    }
    #expect(errors.map(\.reason.name) == ["cycle"])
  }

  @Test("A recursion of a hundred asynchronous factories returns, and an endless one is an error")
  func asynchronous() async throws {
    let container = Container()
    container.register(Int.self) { (resolver, number: Int) async throws in
      number == 0 ? 0 : number + (try await resolver.resolve(Int.self, args: number - 1))
    }
    #expect(try await container.resolve(Int.self, args: 100) == 5050)
    let error = try await #require(throws: ResolutionError.self) { try await container.resolve(Int.self, args: -1) }
    #expect(error.reason.name == "cycle")
  }
}
