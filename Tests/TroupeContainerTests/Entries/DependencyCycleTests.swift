// swift-format-ignore-file
// Each registration is on its own line, so that the tests can identify its source location.
import Foundation
import Testing
import TroupeContainer

/// A member of a dependency cycle; each `Name` is a distinct type.
private final class Part<Name>: Sendable {}
private enum A {}
private enum B {}
private enum C {}

@Suite("Threads that build singletons of a cycle throw an error and do not wait forever", .timeLimit(.minutes(60)))
struct DependencyCycleTests {
  /// Registers A → B → C → A and returns the source locations. Each factory first calls a closure.
  private func registerCycle(
    _ container: Container, lifetime: Lifetime, before: @escaping @Sendable () -> Void = {}
  ) -> [String] {
    let first = #line + 1
    container.register(lifetime: lifetime) { resolver in before(); _ = try resolver.resolve(Part<B>.self); return Part<A>() }
    container.register(lifetime: lifetime) { resolver in before(); _ = try resolver.resolve(Part<C>.self); return Part<B>() }
    container.register(lifetime: lifetime) { resolver in before(); _ = try resolver.resolve(Part<A>.self); return Part<C>() }
    return (first...first + 2).map { "TroupeContainerTests/DependencyCycleTests.swift:\($0)" }
  }

  @Test(
    "A cycle of three registrations is an error that shows its path and source locations",
    arguments: [Lifetime.transient, .singleton])
  func oneThread(lifetime: Lifetime) throws {
    let container = Container()
    let lines = registerCycle(container, lifetime: lifetime)
    for _ in 0..<2 {
      let error = try #require(throws: ResolutionError.self) { try container.resolve(Part<A>.self) }
      #expect(keys(error) == [AnyKey(Part<A>.self), AnyKey(Part<B>.self), AnyKey(Part<C>.self), AnyKey(Part<A>.self)])
      let (a, b, c) = (Key<Part<A>>().type, Key<Part<B>>().type, Key<Part<C>>().type)
      #expect(
        error.description
          == "\(a) needs itself through others: \(a) (\(lines[0])) → \(b) (\(lines[1])) → \(c) (\(lines[2])) → \(a) (\(lines[0]))"
          + "; have one of them take a LazyResolver of the next")
    }
    let elsewhere = try #require(throws: ResolutionError.self) { try container.resolve(Part<C>.self) }
    #expect(keys(elsewhere).first == AnyKey(Part<C>.self))
  }

  @Test("The path of a cycle does not include its dependents")
  func dependent() throws {
    let container = Container()
    _ = registerCycle(container, lifetime: .transient)
    container.register(String.self) { resolver in
      _ = try resolver.resolve(Part<B>.self)
      return ""
    }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(String.self) }
    #expect(keys(error).count == 4)
    #expect(error.key == Key<Part<B>>())
  }

  @Test("Two threads that each create one singleton of a cycle both throw the error")
  func twoThreads() throws {
    let container = Container()
    let begun = Rendezvous(2)
    let line = #line
    container.register(lifetime: .singleton) { resolver in begun.meet(); _ = try resolver.resolve(Part<B>.self); return Part<A>() }
    container.register(lifetime: .singleton) { resolver in begun.meet(); _ = try resolver.resolve(String.self); return Part<B>() }
    container.register { resolver in _ = try resolver.resolve(Part<A>.self); return "between the two" }
    let errors = try onThreads(2) { thread in
      try #require(throws: ResolutionError.self) {
        if thread == 0 { _ = try container.resolve(Part<A>.self) } else { _ = try container.resolve(Part<B>.self) }
      }
    }
    for error in errors {
      #expect(Set(keys(error)) == [AnyKey(Part<A>.self), AnyKey(Part<B>.self), AnyKey(String.self)])
      #expect(keys(error).count == 4)
      for number in 1...3 { #expect(error.description.contains("DependencyCycleTests.swift:\(line + number)")) }
    }
  }

  @Test("Three threads that each create one singleton of a cycle all throw the error")
  func threeThreads() throws {
    let container = Container()
    let begun = Rendezvous(3)
    let lines = registerCycle(container, lifetime: .singleton) { begun.meet() }
    let errors = try onThreads(3) { thread in
      try #require(throws: ResolutionError.self) {
        switch thread {
        case 0: _ = try container.resolve(Part<A>.self)
        case 1: _ = try container.resolve(Part<B>.self)
        default: _ = try container.resolve(Part<C>.self)
        }
      }
    }
    for error in errors {
      #expect(Set(keys(error)) == [AnyKey(Part<A>.self), AnyKey(Part<B>.self), AnyKey(Part<C>.self)])
      #expect(keys(error).count == 4 && keys(error).first == keys(error).last)
      for line in lines { #expect(error.description.contains(line)) }
    }
  }

  @Test("Two threads that create singletons of a cycle across two containers both throw the error")
  func twoContainers() throws {
    let (left, right) = (Container(), Container())
    let begun = Rendezvous(2)
    left.register(lifetime: .singleton) { [unowned right] _ in begun.meet(); _ = try right.resolve(Part<B>.self); return Part<A>() }
    right.register(lifetime: .singleton) { [unowned left] _ in begun.meet(); _ = try left.resolve(Part<A>.self); return Part<B>() }
    let names = try onThreads(2) { thread in
      try #require(throws: ResolutionError.self) {
        if thread == 0 { _ = try left.resolve(Part<A>.self) } else { _ = try right.resolve(Part<B>.self) }
      }.reason.name
    }
    #expect(names == ["cycle", "cycle"])
  }

  @Test("Threads that create singletons in different orders, without a cycle, all receive them")
  func noCycle() throws {
    for _ in 0..<50 {
      let container = Container()
      let made = Counter()
      for number in 0..<8 {
        container.register(Int.self, tags: number, lifetime: .singleton) { resolver in
          made.next()
          return try number + (0..<number).reduce(0) { try $0 + resolver.resolve(Int.self, tags: $1) }
        }
      }
      let sums = try onThreads(4) { thread in
        try (0..<8).reduce(0) { try $0 + container.resolve(Int.self, tags: thread % 2 == 0 ? $1 : 7 - $1) }
      }
      #expect(Set(sums).count == 1)
      #expect(made.count == 8)
    }
  }

  private func keys(_ error: ResolutionError) -> [AnyKey] {
    if case .cycle(let keys) = error.reason { keys } else { [] }
  }
}
