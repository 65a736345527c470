import Testing
import TroupeContainer

@Suite("Singletons that many tasks wait for")
struct AsyncSingletonTests {
  /// A container with a singleton whose factory waits to be let through.
  private struct Slow: Sendable {
    let container = Container()
    let begun = Gate()
    let gate = Gate()
    let made = Counter()
    let cancelled = Counter()

    /// How many attempts fail before one succeeds.
    init(failures: Int = 0) {
      container.register(Instance.self, lifetime: .singleton) { [begun, gate, made, cancelled] _ async throws in
        let attempt = made.next()
        begun.open()
        await gate.pass()
        if Task.isCancelled { cancelled.next() }
        if attempt <= failures { throw Fault() }
        return Instance()
      }
    }

    /// Asks for it in a task that waits already when this returns.
    func waiter() -> Task<Instance, any Error> {
      Task.immediate { try await container.resolve(Instance.self) }
    }
  }

  @Test("A thousand tasks wait for one build and get its instance", .timeLimit(.minutes(10)))
  func coalesced() async throws {
    let slow = Slow()
    let waiters = (0..<1000).map { _ in slow.waiter() }
    slow.gate.open()
    var instances: Set<ObjectIdentifier> = []
    for waiter in waiters { instances.insert(ObjectIdentifier(try await waiter.value)) }
    #expect(instances == [ObjectIdentifier(try await slow.container.resolve(Instance.self))])
    #expect(slow.made.count == 1)
  }

  @Test(
    "A task that is cancelled while it waits gets a CancellationError at once, and nobody else notices",
    .timeLimit(.minutes(10)), arguments: [0, 5])
  func cancelled(which: Int) async throws {
    let slow = Slow()
    let waiters = (0..<10).map { _ in slow.waiter() }
    waiters[which].cancel()
    // The build has not ended, so this would wait for ever if the waiter were not let go.
    await #expect(throws: CancellationError.self) { try await waiters[which].value }
    slow.gate.open()
    for (number, waiter) in waiters.enumerated() where number != which { _ = try await waiter.value }
    #expect(slow.made.count == 1)
    #expect(slow.cancelled.count == 0)
  }

  @Test("When all who wait are cancelled, the build goes on for the next", .timeLimit(.minutes(10)))
  func allCancelled() async throws {
    let slow = Slow()
    let waiters = (0..<10).map { _ in slow.waiter() }
    for waiter in waiters { waiter.cancel() }
    for waiter in waiters { await #expect(throws: CancellationError.self) { try await waiter.value } }
    let next = slow.waiter()
    slow.gate.open()
    let instance = try await next.value
    #expect(try await slow.container.resolve(Instance.self) === instance)
    #expect(slow.made.count == 1)
  }

  @Test("A task that is cancelled before it asks starts the build all the same", .timeLimit(.minutes(10)))
  func cancelledBefore() async throws {
    let slow = Slow()
    let task = Task.immediate {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await slow.container.resolve(Instance.self)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    slow.gate.open()
    _ = try await slow.container.resolve(Instance.self)
    #expect(slow.made.count == 1)
  }

  @Test("A build that fails fails all who wait, and the next one tries again", .timeLimit(.minutes(10)))
  func failing() async throws {
    let slow = Slow(failures: 1)
    let waiters = (0..<100).map { _ in slow.waiter() }
    await slow.begun.pass()
    slow.gate.open()
    for waiter in waiters {
      await #expect(throws: Fault.self) { try await waiter.value }
    }
    #expect(slow.made.count == 1)
    let instance = try await slow.container.resolve(Instance.self)
    #expect(try await slow.container.resolve(Instance.self) === instance)
    #expect(slow.made.count == 2)
  }

  @Test("What is unregistered while it is made reaches those who wait, and is not kept", .timeLimit(.minutes(10)))
  func unregistered() async throws {
    let slow = Slow()
    let waiters = (0..<3).map { _ in slow.waiter() }
    await slow.begun.pass()
    slow.container[Key<Instance>()] = nil
    #expect(try await slow.container.resolve(Instance?.self) == nil)
    slow.gate.open()
    var instances: [Instance] = []
    for waiter in waiters { instances.append(try await waiter.value) }
    #expect(instances.allSatisfy { $0 === instances[0] })
    weak let instance = instances[0]
    instances = []
    for waiter in waiters { withExtendedLifetime(waiter) {} }
    #expect(try await slow.container.resolve(Instance?.self) == nil)
    withExtendedLifetime(instance) {}
  }

  @Test("A container that is dropped while a singleton is made lives until it is", .timeLimit(.minutes(10)))
  func dropped() async throws {
    weak var container: Container?
    let waiter: Task<Instance, any Error>
    let gate: Gate
    do {
      let slow = Slow()
      container = slow.container
      (waiter, gate) = (slow.waiter(), slow.gate)
      await slow.begun.pass()
    }
    gate.open()
    _ = try await waiter.value
    withExtendedLifetime(container) {}
  }
}

@Suite("Singletons of the main actor")
struct MainSingletonTests {
  private func container(_ made: Counter) -> Container {
    let container = Container()
    container.register(Instance.self, isolation: MainActor.shared, lifetime: .singleton) { _ in
      MainActor.assertIsolated()
      made.next()
      return Instance()
    }
    return container
  }

  @Test("The main actor takes over what waits for its turn there, and everybody gets that", .timeLimit(.minutes(10)))
  @MainActor
  func takenOver() async throws {
    let made = Counter()
    let container = container(made)
    // These have asked when the next line runs, and what they started cannot have run, because this is the main actor.
    let waiters = (0..<10).map { _ in Task.immediate { try await container.resolve(Instance.self) } }
    #expect(made.count == 0)
    let instance = try container.resolve(Instance.self, isolation: MainActor.shared)
    #expect(made.count == 1)
    for waiter in waiters { #expect(try await waiter.value === instance) }
    #expect(try await container.resolve(Instance.self) === instance)
    #expect(made.count == 1)
  }

  @Test("Asked for by tasks and by the main actor at the same time, it is made once", .timeLimit(.minutes(10)))
  func atOnce() async throws {
    for _ in 0..<100 {
      let made = Counter()
      let container = container(made)
      let instances = try await withThrowingTaskGroup(of: Instance.self) { group in
        for number in 0..<8 {
          group.addTask {
            if number % 4 != 0 { return try await container.resolve(Instance.self) }
            return try await MainActor.run { try container.resolve(Instance.self, isolation: MainActor.shared) }
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(Set(instances.map { ObjectIdentifier($0) }).count == 1)
      #expect(made.count == 1)
    }
  }

  @Test("A failure on the main actor reaches those who wait, and the next one tries again", .timeLimit(.minutes(10)))
  @MainActor
  func failing() async throws {
    let container = Container()
    let attempts = Counter()
    container.register(Instance.self, isolation: MainActor.shared, lifetime: .singleton) { _ in
      if attempts.next() == 1 { throw Fault() }
      return Instance()
    }
    let waiters = (0..<3).map { _ in Task.immediate { try await container.resolve(Instance.self) } }
    #expect(throws: Fault.self) { try container.resolve(Instance.self, isolation: MainActor.shared) }
    for waiter in waiters { await #expect(throws: Fault.self) { try await waiter.value } }
    let instance = try await container.resolve(Instance.self)
    #expect(try container.resolve(Instance.self, isolation: MainActor.shared) === instance)
    #expect(attempts.count == 2)
  }

  @Test(
    "Who waits for its turn and is forestalled with arguments that spoil it makes it with its own", .timeLimit(.minutes(10)))
  @MainActor
  func forestalled() async throws {
    let container = Container()
    container.register(String.self, isolation: MainActor.shared, lifetime: .singleton) { (_, number: Int) in
      if number == 0 { throw Fault() }
      return "made with \(number)"
    }
    let beginner = Task.immediate { try await container.resolve(String.self, args: 1) }
    let other = Task.immediate { try await container.resolve(String.self, args: 1) }
    #expect(throws: Fault.self) { try container.resolve(String.self, isolation: MainActor.shared, args: 0) }
    #expect(try await beginner.value == "made with 1")
    #expect(try await other.value == "made with 1")
  }

  @Test("Who has no arguments does not fail with somebody else's wrong ones", .timeLimit(.minutes(10)))
  @MainActor
  func wrongArguments() async throws {
    let container = Container()
    container.register(String.self, isolation: MainActor.shared, lifetime: .singleton) { _ in "made" }
    let beginner = Task.immediate { try await container.resolve(String.self) }
    let other = Task.immediate { try await container.resolve(String.self) }
    #expect(throws: ResolutionError.self) { try container.resolve(String.self, isolation: MainActor.shared, args: 0) }
    #expect(try await beginner.value == "made")
    #expect(try await other.value == "made")
  }

  @Test("Two that need each other are an error", .timeLimit(.minutes(10)))
  @MainActor
  func ring() async throws {
    let container = Container()
    container.register(Int.self, isolation: MainActor.shared, lifetime: .singleton) { resolver in
      try resolver.resolve(String.self, isolation: MainActor.shared).count
    }
    container.register(String.self, isolation: MainActor.shared, lifetime: .singleton) { resolver in
      "\(try resolver.resolve(Int.self, isolation: MainActor.shared))"
    }
    let waiter = Task.immediate { try await container.resolve(String.self) }
    let error = try #require(throws: ResolutionError.self) { try container.resolve(Int.self, isolation: MainActor.shared) }
    #expect(error.reason.name == "cycle")
    await #expect(throws: ResolutionError.self) { try await waiter.value }
  }
}
