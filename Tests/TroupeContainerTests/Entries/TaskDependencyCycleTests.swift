// swift-format-ignore-file
// Each registration is on its own line, so that the tests can identify its source location.
import Foundation
import Testing
import TroupeContainer

private final class Part<Name>: Sendable {}
private enum A {}
private enum B {}
private enum C {}

@Suite("Tasks that build singletons of a cycle throw an error and do not wait forever", .timeLimit(.minutes(60)))
struct TaskDependencyCycleTests {
  private func registerCycle(
    _ container: Container, lifetime: Lifetime, before: @escaping @Sendable () async -> Void = {}
  ) -> [String] {
    let first = #line + 1
    container.register(lifetime: lifetime) { resolver in await before(); _ = try await resolver.resolve(Part<B>.self); return Part<A>() }
    container.register(lifetime: lifetime) { resolver in await before(); _ = try await resolver.resolve(Part<C>.self); return Part<B>() }
    container.register(lifetime: lifetime) { resolver in await before(); _ = try await resolver.resolve(Part<A>.self); return Part<C>() }
    return (first...first + 2).map { "TroupeContainerTests/TaskDependencyCycleTests.swift:\($0)" }
  }

  @Test(
    "A cycle of three registrations is an error that shows its path and source locations",
    arguments: [Lifetime.transient, .singleton])
  func oneTask(lifetime: Lifetime) async throws {
    let container = Container()
    let lines = registerCycle(container, lifetime: lifetime)
    for _ in 0..<2 {
      let error = try await #require(throws: ResolutionError.self) { try await container.resolve(Part<A>.self) }
      #expect(error.reason.name == "cycle" && error.key == Key<Part<A>>())
      for line in lines { #expect(error.description.contains(line)) }
    }
  }

  @Test("Three tasks that each create one singleton of a cycle all throw the error")
  func threeTasks() async throws {
    let container = Container()
    let begun = TaskRendezvous(3)
    let lines = registerCycle(container, lifetime: .singleton) { await begun.meet() }
    async let a = error { _ = try await container.resolve(Part<A>.self) }
    async let b = error { _ = try await container.resolve(Part<B>.self) }
    async let c = error { _ = try await container.resolve(Part<C>.self) }
    for error in await [a, b, c] {
      #expect(error?.reason.name == "cycle")
      for line in lines { #expect(error?.description.contains(line) == true) }
    }
  }

  @Test("A cycle through a child task is an error", arguments: [Lifetime.transient, .singleton])
  func children(lifetime: Lifetime) async throws {
    let container = Container()
    container.register(String.self, lifetime: .singleton) { _ async in "harmless" }
    container.register(lifetime: lifetime) { resolver in
      async let text = resolver.resolve(String.self)
      async let other = resolver.resolve(Part<B>.self)
      _ = try await (text, other)
      return Part<A>()
    }
    container.register(lifetime: lifetime) { resolver in _ = try await resolver.resolve(Part<A>.self); return Part<B>() }
    let caught = await error { _ = try await container.resolve(Part<A>.self) }
    #expect(caught?.reason.name == "cycle")
    #expect(caught?.description.components(separatedBy: " → ").count == 3)
  }

  @Test("Child tasks that need the same singletons, without a cycle, receive them")
  func diamond() async throws {
    let container = Container()
    let made = Counter()
    container.register(Int.self, tags: "base", lifetime: .singleton) { _ async in made.next() }
    for side in ["left", "right"] {
      container.register(Int.self, tags: side, lifetime: .singleton) { resolver in try await resolver.resolve(Int.self, tags: "base") * 10 }
    }
    container.register(Int.self, tags: "top", lifetime: .singleton) { resolver in
      async let left = resolver.resolve(Int.self, tags: "left")
      async let right = resolver.resolve(Int.self, tags: "right")
      return try await left + right
    }
    #expect(try await container.resolve(Int.self, tags: "top") == 20)
    #expect(made.count == 1)
  }

  @Test("A cycle of a synchronous and an asynchronous singleton throws requiresAsync")
  func mixed() async throws {
    let container = Container()
    container.register(lifetime: .singleton) { resolver in _ = try resolver.resolve(Part<B>.self); return Part<A>() }
    container.register(lifetime: .singleton) { resolver in _ = try await resolver.resolve(Part<A>.self); return Part<B>() }
    for _ in 0..<2 {
      #expect(await error { _ = try await container.resolve(Part<B>.self) }?.reason.name == "requiresAsync")
      #expect(await error { _ = try await container.resolve(Part<A>.self) }?.reason.name == "requiresAsync")
    }
  }

  @Test("A thread and a task that each create one singleton of a cycle both throw the error")
  func threadAndTask() async throws {
    let container = Container()
    let begun = Rendezvous(2)
    container.register(lifetime: .singleton) { resolver in begun.meet(); _ = try resolver.resolve(Part<B>.self); return Part<A>() }
    container.register(lifetime: .singleton) { resolver in begun.meet(); _ = try resolver.resolve(Part<A>.self); return Part<B>() }
    // The asynchronous singleton is on the path, but not in the cycle.
    container.register(lifetime: .singleton) { resolver in
      // Runs on a thread of its own, since it blocks.
      try await withTaskExecutorPreference(Threads()) { _ = try await resolver.resolve(Part<B>.self) }
      return Part<C>()
    }
    let onTask = Task { await error { _ = try await container.resolve(Part<C>.self) } }
    let onThread = await withCheckedContinuation { continuation in
      Thread {
        do {
          _ = try container.resolve(Part<A>.self)
          continuation.resume(returning: nil as ResolutionError?)
        } catch { continuation.resume(returning: error as? ResolutionError) }
      }.start()
    }
    for error in [onThread, await onTask.value] {
      guard case .cycle(let keys) = error?.reason else {
        Issue.record("\(error as Any) is no cycle")
        return
      }
      #expect(keys.count == 3 && Set(keys) == [AnyKey(Part<A>.self), AnyKey(Part<B>.self)])
    }
  }

  @Test("A task that outlives the factory that started it may resolve the key of that factory",
    arguments: [Lifetime.transient, .singleton])
  func outlivingTask(lifetime: Lifetime) async throws {
    final class Later: Sendable {
      let task: Task<Void, any Error>?
      init(_ task: Task<Void, any Error>?) { self.task = task }
    }
    let container = Container()
    let (made, gate) = (Counter(), Gate())
    container.register(Later.self, lifetime: lifetime) { resolver async in
      guard made.next() == 1 else { return Later(nil) }
      return Later(
        Task {
          await gate.pass()
          _ = try await resolver.resolve(Later.self)
        })
    }
    let later = try await container.resolve(Later.self)
    gate.open()
    try await #require(later.task).value
    #expect(made.count == (lifetime == .transient ? 2 : 1))
  }

  private func error(_ body: @Sendable () async throws -> Void) async -> ResolutionError? {
    do {
      try await body()
      return nil
    } catch { return error as? ResolutionError }
  }
}
