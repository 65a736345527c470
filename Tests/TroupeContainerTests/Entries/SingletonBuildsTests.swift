import Foundation
import Testing

@testable import TroupeContainer

@Suite("Many tasks wait for one build of an asynchronous singleton", .timeLimit(.minutes(60)))
struct AsyncSingletonTests {
  /// A container with a singleton whose factory waits at a gate.
  private struct Slow: Sendable {
    let container = Container()
    let begun = Gate()
    let gate = Gate()
    let made = Counter()
    let cancelled = Counter()

    /// Registers the singleton. Its factory throws in the first `failures` attempts.
    init(failures: Int = 0) {
      container.register(Instance.self, lifetime: .singleton) { [begun, gate, made, cancelled] _ async throws in
        let attempt = made.next()
        begun.open()
        await gate.pass()
        if Task.isCancelled { cancelled.next() }
        if attempt <= failures { throw SampleError() }
        return Instance()
      }
    }

    /// Returns a task that already waits for the singleton.
    func waiter() -> Task<Instance, any Error> {
      Task.immediate { try await container.resolve(Instance.self) }
    }
  }

  @Test("A thousand tasks wait for one build and receive its instance")
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
    "A cancelled waiter throws CancellationError at once and does not affect the others", arguments: [0, 5])
  func cancelled(which: Int) async throws {
    let slow = Slow()
    let waiters = (0..<10).map { _ in slow.waiter() }
    waiters[which].cancel()
    // The build is still running, so this line would never return if the cancelled waiter stayed suspended.
    await #expect(throws: CancellationError.self) { try await waiters[which].value }
    slow.gate.open()
    for (number, waiter) in waiters.enumerated() where number != which { _ = try await waiter.value }
    #expect(slow.made.count == 1)
    #expect(slow.cancelled.count == 0)
  }

  @Test("A build continues when all waiters are cancelled, and the next caller receives its instance")
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

  @Test("A task that is cancelled before it resolves still starts the build")
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

  @Test("A failed build fails all waiters, and the next caller starts a new build")
  func failing() async throws {
    let slow = Slow(failures: 1)
    let waiters = (0..<100).map { _ in slow.waiter() }
    await slow.begun.pass()
    slow.gate.open()
    for waiter in waiters {
      await #expect(throws: SampleError.self) { try await waiter.value }
    }
    #expect(slow.made.count == 1)
    let instance = try await slow.container.resolve(Instance.self)
    #expect(try await slow.container.resolve(Instance.self) === instance)
    #expect(slow.made.count == 2)
  }

  @Test("An instance that is unregistered during its build reaches the waiters and is not kept")
  func unregistered() async throws {
    let slow = Slow()
    var waiters = (0..<3).map { _ in slow.waiter() }
    await slow.begun.pass()
    slow.container[Key<Instance>()] = nil
    #expect(try await slow.container.resolve(Instance?.self) == nil)
    slow.gate.open()
    var instances: [Instance] = []
    for waiter in waiters { instances.append(try await waiter.value) }
    #expect(instances.allSatisfy { $0 === instances[0] })
    weak let instance = instances[0]
    (instances, waiters) = ([], [])
    #expect(try await slow.container.resolve(Instance?.self) == nil)
    while instance != nil { await Task.yield() }
  }

  @Test("A container that is released during a build lives until the build ends")
  func dropped() async throws {
    weak var container: Container?
    let gate: Gate
    do {
      let slow = Slow()
      (container, gate) = (slow.container, slow.gate)
      let waiter = slow.waiter()
      await slow.begun.pass()
      waiter.cancel()
      await #expect(throws: CancellationError.self) { try await waiter.value }
    }
    // Now only the task that makes the instance has the container.
    #expect(container != nil)
    gate.open()
    while container != nil { await Task.yield() }
  }
}

@Suite("The main actor and other tasks share one build of a singleton", .timeLimit(.minutes(60)))
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

  @Test(
    "The main actor builds a singleton that waits for its turn there, and all waiters receive that instance")
  @MainActor
  func takenOver() async throws {
    let made = Counter()
    let container = container(made)
    // The waiters have already asked. Their builds cannot have run, since this test occupies the main actor.
    let waiters = (0..<10).map { _ in Task.immediate { try await container.resolve(Instance.self) } }
    #expect(made.count == 0)
    let instance = try container.resolve(Instance.self, isolation: MainActor.shared)
    #expect(made.count == 1)
    for waiter in waiters { #expect(try await waiter.value === instance) }
    #expect(try await container.resolve(Instance.self) === instance)
    #expect(made.count == 1)
  }

  @Test("A singleton that tasks and the main actor request at the same time is created once")
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

  @Test("A failure on the main actor reaches all waiters, and the next caller tries again")
  @MainActor
  func failing() async throws {
    let container = Container()
    let attempts = Counter()
    container.register(Instance.self, isolation: MainActor.shared, lifetime: .singleton) { _ in
      if attempts.next() == 1 { throw SampleError() }
      return Instance()
    }
    let waiters = (0..<3).map { _ in Task.immediate { try await container.resolve(Instance.self) } }
    #expect(throws: SampleError.self) { try container.resolve(Instance.self, isolation: MainActor.shared) }
    for waiter in waiters { await #expect(throws: SampleError.self) { try await waiter.value } }
    let instance = try await container.resolve(Instance.self)
    #expect(try container.resolve(Instance.self, isolation: MainActor.shared) === instance)
    #expect(attempts.count == 2)
  }

  @Test(
    "A waiter builds the singleton with its own arguments if the arguments of an earlier caller fail")
  @MainActor
  func forestalled() async throws {
    let container = Container()
    container.register(String.self, isolation: MainActor.shared, lifetime: .singleton) { (_, number: Int) in
      if number == 0 { throw SampleError() }
      return "made with \(number)"
    }
    let beginner = Task.immediate { try await container.resolve(String.self, args: 1) }
    let other = Task.immediate { try await container.resolve(String.self, args: 1) }
    #expect(throws: SampleError.self) { try container.resolve(String.self, isolation: MainActor.shared, args: 0) }
    #expect(try await beginner.value == "made with 1")
    #expect(try await other.value == "made with 1")
  }

  @Test("A waiter without arguments does not fail because of another caller's wrong arguments")
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

  @Test("A dependency cycle of two main-actor singletons is an error")
  @MainActor
  func cycle() async throws {
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

@Suite("Tasks that wait for a synchronous factory block no thread of the pool", .timeLimit(.minutes(60)))
struct SuspendedWaitTests {
  private let container = Container()
  private let gate = DispatchSemaphore(value: 0)

  /// Registers a singleton whose synchronous factory waits at the gate, and starts the factory on a thread.
  private func beginBuild() async {
    let (stream, begun) = AsyncStream.makeStream(of: Void.self)
    container.register(Instance.self, lifetime: .singleton) { [gate] _ in
      begun.finish()
      gate.wait()
      return Instance()
    }
    let thread = Thread { [container] in _ = try? container.resolve(Instance.self) }
    thread.start()
    for await _ in stream {}
  }

  /// Starts twice as many waiters as the machine has cores.
  private func startWaiters() -> [Task<Instance, any Error>] {
    (0..<2 * ProcessInfo.processInfo.activeProcessorCount).map { number in
      Task { [container] in
        switch number % 3 {
        case 0: return try await container.resolve(Instance.self)
        case 1: return try await container.resolve(Instance?.self) ?? Instance()
        default: return try await container.resolve([Instance].self).first ?? Instance()
        }
      }
    }
  }

  @Test("Tasks that wait for a synchronous factory leave the threads of the pool to other tasks, and get its instance")
  func suspension() async throws {
    await beginBuild()
    let waiters = startWaiters()
    await Task {}.value
    gate.signal()
    let expected = try await container.resolve(Instance.self)
    for waiter in waiters {
      let instance = try await waiter.value
      #expect(instance === expected)
    }
  }

  @Test("A cancelled task ends its wait for a synchronous factory with a CancellationError, and the factory goes on")
  func cancellation() async throws {
    await beginBuild()
    let waiters = startWaiters()
    for waiter in waiters { waiter.cancel() }
    for waiter in waiters {
      await #expect(throws: CancellationError.self) { _ = try await waiter.value }
    }
    gate.signal()
    let instances = [try await container.resolve(Instance.self), try await container.resolve(Instance.self)]
    #expect(instances[0] === instances[1])
  }
}
