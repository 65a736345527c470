import Foundation
import Testing

@testable import TroupeContainer

@Suite("Tasks that wait for a singleton", .timeLimit(.minutes(10)))
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
