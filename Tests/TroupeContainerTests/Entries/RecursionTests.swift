import Testing
import TroupeContainer

@Suite("Factories that resolve their own key with other arguments")
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
      #expect(error.description.contains("RecursionTests.swift:"))
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

  @Test("A recursion of a hundred asynchronous factories returns, and an endless one is an error", .timeLimit(.minutes(10)))
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
