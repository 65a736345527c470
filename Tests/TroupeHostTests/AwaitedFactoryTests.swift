import Foundation
import TestSupport
import Testing

@testable import TroupeHost

// In the process of the host, `SwiftPluginTests` resolves such factories with the command: a plugin in Swift needs libTroupe.so.
@Suite("Asynchronous and main-actor factories in a worker") struct AwaitedFactoryTests {
  private let isolated: IsolatedHost
  private var container: Container { isolated.host.container }

  init() async throws { isolated = try await IsolatedHost("isolation/waiting.swift") }

  /// The request of a caller that cannot wait.
  private func resolveAtOnce(_ tag: String) throws -> any Transform { try container.resolve((any Transform).self, tags: tag) }

  /// Returns once the endless factory has begun. Waits on a thread of its own: threads of tasks that wait for a task may leave it none.
  private func endlessHasBegun() async throws {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { _ = try resolveAtOnce("gate") }) }
    }
  }

  @Test("An asynchronous request awaits them")
  func awaited() async throws {
    let made = try await container.resolve((any Transform).self, tags: "async", args: "a")
    #expect(try made.transformed("> ") == "> a")
    for (tag, mark) in [("main", "m"), ("hopping", "h")] {
      let made = try await container.resolve((any Transform).self, tags: tag)
      #expect(try made.transformed("> ") == "> " + mark)
    }
    let all = try await isolated.host.resolve(tags: ["main"])
    #expect(try (all.first?.value as? any Transform)?.transformed("> ") == "> m")
  }

  @Test("A synchronous request is refused for the reason, but one on the main actor gets a factory there")
  func synchronous() async throws {
    let asynchronous = #expect(throws: ResolutionError.self) { try resolveAtOnce("hopping") }
    guard case .requiresAsync? = asynchronous?.reason else { throw Unexpected() }
    let onMain = #expect(throws: ResolutionError.self) { try resolveAtOnce("main") }
    guard case .requiresIsolation? = onMain?.reason else { throw Unexpected() }
    try await MainActor.run {
      let made = try container.resolve((any Transform).self, isolation: MainActor.shared, tags: "main")
      #expect(try made.transformed("> ") == "> m")
    }
  }

  private struct Unexpected: Error {}

  @Test("The error of the factory is the error of the request")
  func failing() async throws {
    let error = await #expect(throws: TransformError.self) {
      _ = try await container.resolve((any Transform).self, tags: "failing")
    }
    #expect(error?.description == "the device is not plugged in")
  }

  @Test("The cancellation of the request cancels the factory, and the worker goes on")
  func cancelled() async throws {
    let process = try isolated.worker.process
    let request = Task { _ = try await container.resolve((any Transform).self, tags: "endless") }
    try await endlessHasBegun()
    request.cancel()
    await #expect(throws: CancellationError.self) { try await request.value }
    // A task that was cancelled before the request.
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await container.resolve((any Transform).self, tags: "endless")
    }
    await #expect(throws: CancellationError.self) { try await late.value }
    let made = try await container.resolve((any Transform).self, tags: "hopping")
    #expect(try made.transformed("> ") == "> h")
    #expect(try isolated.worker.process == process)
  }

  @Test("A worker that ends before the input makes the instance again")
  func madeAgain() async throws {
    let made = try await container.resolve((any Transform).self, tags: "async", args: "a")
    let request = Task { _ = try await container.resolve((any Transform).self, tags: "endless") }
    try await endlessHasBegun()
    let process = try #require(isolated.worker.process)
    kill(process, SIGKILL)
    await #expect(throws: WorkerError.self) { try await request.value }
    #expect(try made.transformed("> ") == "> a")
    #expect(try isolated.worker.process != process)
  }
}
