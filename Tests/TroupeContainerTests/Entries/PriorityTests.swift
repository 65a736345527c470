import Testing

@testable import TroupeContainer

@Suite("A wait for an asynchronous singleton raises the priority of the task that makes it", .timeLimit(.minutes(60)))
struct PriorityTests {
  private let container = Container()
  private let begun = Gate()

  /// Registers a singleton whose factory waits until the priority of its task is raised, and returns the new priority.
  init() {
    container.register(TaskPriority.self, lifetime: .singleton) { [begun] _ async in
      let (priorities, raise) = AsyncStream.makeStream(of: TaskPriority.self)
      return await withTaskPriorityEscalationHandler {
        begun.open()
        for await priority in priorities { return priority }
        return .background
      } onPriorityEscalated: {
        raise.yield($1)
      }
    }
  }

  /// Returns a task that waits for the singleton, once its factory runs.
  private func begin() async -> Task<TaskPriority, any Error> {
    let task = Task(priority: .low) { [container] in try await container.resolve(TaskPriority.self) }
    await begun.pass()
    return task
  }

  @Test("To that of a later waiter")
  func laterWaiter() async throws {
    let first = await begin()
    let later = Task(priority: .high) { [container] in try await container.resolve(TaskPriority.self) }
    #expect(try await later.value == .high)
    #expect(try await first.value == .high)
  }

  @Test("To that to which a waiter is raised while it waits")
  func raisedWaiter() async throws {
    let task = await begin()
    task.escalatePriority(to: .high)
    #expect(try await task.value == .high)
  }

  @Test("Also if the waiter waits for another singleton, whose factory waits for this one")
  func chain() async throws {
    container.register([TaskPriority].self, lifetime: .singleton) { resolver async throws in
      [try await resolver.resolve(TaskPriority.self)]
    }
    let first = Task(priority: .low) { [container] in try await container.resolve([TaskPriority].self) }
    await begun.pass()
    let later = Task(priority: .high) { [container] in try await container.resolve([TaskPriority].self) }
    #expect(try await later.value == [.high])
    #expect(try await first.value == [.high])
  }

  @Test("A waiter of the same or a lower priority changes nothing")
  func lowerWaiter() async throws {
    let first = await begin()
    let lower = Task(priority: .background) { [container] in try await container.resolve(TaskPriority.self) }
    let high = Task(priority: .high) { [container] in try await container.resolve(TaskPriority.self) }
    #expect(try await high.value == .high)
    #expect(try await (first.value, lower.value) == (.high, .high))
  }
}
