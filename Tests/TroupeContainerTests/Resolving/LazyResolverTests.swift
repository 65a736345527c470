import Testing
import TroupeContainer

@Suite("A lazy resolver resolves later, with its tags and arguments")
struct LazyResolverTests {
  let container = Container()

  private final class Holder: Sendable {
    let one: LazyResolver<Int>
    let maybe: LazyResolver<String?>
    let many: LazyResolver<[Int]>
    init(one: LazyResolver<Int>, maybe: LazyResolver<String?>, many: LazyResolver<[Int]>) {
      (self.one, self.maybe, self.many) = (one, maybe, many)
    }
  }

  @Test("A lazy resolver resolves instances, optionals and arrays that are registered after its creation")
  func kinds() throws {
    container.register(factory: auto(Holder.init))
    let holder = try container.resolve(Holder.self)
    #expect(throws: ResolutionError.self) { try holder.one.resolve() }
    #expect(try holder.maybe.resolve() == nil)
    #expect(try holder.many.resolve() == [])
    container.register(Int.self) { _ in 1 }
    container.register(Int.self, tags: "a") { _ in 2 }
    container.register(String.self) { _ in "text" }
    #expect(try holder.one.resolve() == 1)
    #expect(try holder.one.resolve(tags: "a") == 2)
    #expect(try holder.maybe.resolve() == "text")
    #expect(try holder.maybe.resolve(tags: "a") == nil)
    #expect(try holder.many.resolve() == [1, 2])
    #expect(try holder.many.resolve(tags: "a") == [2])
  }

  @Test("The tags of a lazy resolver and those of its resolve are combined")
  func tags() throws {
    container.register(Int.self, tags: "a", 1) { _ in 1 }
    container.register(Int.self, tags: "a") { _ in 2 }
    let lazy: LazyResolver<Int> = try container.resolve(tags: "a")
    #expect(lazy.key == Key<Int>(tags: "a"))
    #expect(try lazy.resolve() == 2)
    #expect(try lazy.resolve(tags: 1) == 1)
    #expect(try lazy.resolve(tags: "a", 1, "a") == 1)
    let error = try #require(throws: ResolutionError.self) { try lazy.resolve(tags: "b") }
    #expect(error.key == Key<Int>(tags: "a", "b"))
    #expect(try container.resolve(LazyResolver<[Int]>.self, tags: "a").resolve() == [1, 2])
  }

  @Test("A lazy resolver resolves with arguments in each context that the registration allows")
  func contexts() async throws {
    container.register(String.self, tags: "sync") { (_, number: Int) in "sync \(number)" }
    container.register(String.self, tags: "async") { (_, number: Int) async in "async \(number)" }
    container.register(isolation: MainActor.shared, tags: "main") { (_, number: Int) in "main \(number)" }
    let lazy = try await container.resolve(LazyResolver<String>.self)
    for tag in ["sync", "async", "main"] { #expect(try await lazy.resolve(tags: tag, args: 1) == "\(tag) 1") }
    try await MainActor.run { () throws in
      for tag in ["sync", "main"] {
        #expect(try lazy.resolve(isolation: MainActor.shared, tags: tag, args: 2) == "\(tag) 2")
      }
      #expect(throws: ResolutionError.self) { try lazy.resolve(isolation: MainActor.shared, tags: "async", args: 2) }
    }
    try { () throws in
      #expect(try lazy.resolve(tags: "sync", args: 3) == "sync 3")
      for tag in ["async", "main"] { #expect(throws: ResolutionError.self) { try lazy.resolve(tags: tag, args: 3) } }
    }()
  }

  @Test("A lazy resolver is resolved in every context, also as an optional")
  func made() async throws {
    container.register(Int.self) { _ in 7 }
    let lazies = [
      try await container.resolve(LazyResolver<Int>.self),
      try #require(try await container.resolve(LazyResolver<Int>?.self)),
      try await MainActor.run { try container.resolve(LazyResolver<Int>.self, isolation: MainActor.shared) },
      try { try container.resolve(key: Key<LazyResolver<Int>>()) }(),
    ]
    for lazy in lazies { #expect(try { try lazy.resolve() }() == 7) }
    #expect(container.find(Criteria<LazyResolver<Int>>(op: .subset)).isEmpty)
  }

  @Test("A lazy resolver does not retain its container, and throws noResolver after the container is released")
  func noResolver() async throws {
    func make() throws -> LazyResolver<Int?> {
      let container = Container()
      container.register(Int.self) { _ in 7 }
      let lazy = try container.resolve(LazyResolver<Int?>.self, tags: "a")
      #expect(try lazy.resolve() == nil)
      return lazy
    }
    let lazy = try make()
    let errors = [
      try #require(throws: ResolutionError.self) { try lazy.resolve() },
      try await #require(throws: ResolutionError.self) { try await lazy.resolve() },
      try await #require(throws: ResolutionError.self) {
        try await MainActor.run { try lazy.resolve(isolation: MainActor.shared) }
      },
    ]
    for error in errors {
      #expect(error.reason.name == "noResolver")
      #expect(error.key == Key<Int?>(tags: "a"))
    }
  }

  private final class Left: Sendable {
    let right: LazyResolver<Right>
    init(right: LazyResolver<Right>) { self.right = right }
  }

  private final class Right: Sendable {
    let left: Left
    init(left: Left) { self.left = left }
  }

  @Test("Two singletons may need each other if one of them is lazy")
  func mutual() throws {
    container.register(lifetime: .singleton, factory: auto(Left.init))
    container.register(lifetime: .singleton, factory: auto(Right.init))
    let left = try container.resolve(Left.self)
    #expect(try left.right.resolve().left === left)
  }

  @Test("A registration of a lazy resolver takes precedence")
  func registered() throws {
    let other = Container()
    other.register(Int.self) { _ in 2 }
    container.register(Int.self) { _ in 1 }
    container.register { _ in LazyResolver<Int>(with: other) }
    #expect(try container.resolve(LazyResolver<Int>.self).resolve() == 2)
  }

  @Test("A lazy resolver resolves from the child that created it, but not in a parent's singleton")
  func nested() throws {
    let child = Container(parent: container)
    container.register(Int.self) { _ in 1 }
    child.register(Int.self) { _ in 2 }
    container.register(factory: auto(Holder.init))
    container.register(tags: "one", lifetime: .singleton, factory: auto(Holder.init))
    #expect(try child.resolve(Holder.self).one.resolve() == 2)
    #expect(try child.resolve(Holder.self, tags: "one").one.resolve() == 1)
  }
}
