import Foundation
import TestSupport
import Testing

@testable import TroupeHost

@Suite("Asynchronous and main-actor factories, in the process of the host and in a worker") struct AwaitedFactoryTests {
  private static func host(isolated: Bool) async throws -> (host: PluginHost, directory: PluginDirectory) {
    let directory = try PluginDirectory()
    try directory.add("isolation/waiting.swift")
    var options = directory.options()
    var policy = WorkerPolicy()
    // Long enough for a busy machine.
    policy.deadline = .seconds(120)
    options.isolation = isolated ? .worker(policy) : .inProcess
    options.probeExecutable = Repo.products + "/troupe-probe"
    let host = PluginHost(options)
    await host.start()
    return (host, directory)
  }

  /// The request of a caller that cannot wait.
  private static func resolveAtOnce(_ container: Container, _ tag: String) throws -> any Transform {
    try container.resolve((any Transform).self, tags: tag)
  }

  @Test("An asynchronous request awaits them", arguments: [false, true])
  func awaited(isolated: Bool) async throws {
    let (host, _) = try await Self.host(isolated: isolated)
    let made = try await host.container.resolve((any Transform).self, tags: "async", args: "a")
    #expect(try made.transformed("> ") == "> a")
    for (tag, mark) in [("main", "m"), ("hopping", "h")] {
      let made = try await host.container.resolve((any Transform).self, tags: tag)
      #expect(try made.transformed("> ") == "> " + mark)
    }
    let all = try await host.resolve(tags: ["main"])
    #expect(all.count == 1)
  }

  @Test(
    "A synchronous request is refused for the reason, but one on the main actor gets a factory there", arguments: [false, true])
  func synchronous(isolated: Bool) async throws {
    let (host, _) = try await Self.host(isolated: isolated)
    let asynchronous = #expect(throws: ResolutionError.self) { try Self.resolveAtOnce(host.container, "hopping") }
    guard case .requiresAsync? = asynchronous?.reason else { throw Unexpected() }
    let onMain = #expect(throws: ResolutionError.self) { try Self.resolveAtOnce(host.container, "main") }
    guard case .requiresIsolation? = onMain?.reason else { throw Unexpected() }
    try await MainActor.run {
      let made = try host.container.resolve((any Transform).self, isolation: MainActor.shared, tags: "main")
      #expect(try made.transformed("> ") == "> m")
    }
  }

  private struct Unexpected: Error {}

  @Test("The error of the factory is the error of the request", arguments: [false, true])
  func failing(isolated: Bool) async throws {
    let (host, _) = try await Self.host(isolated: isolated)
    let error = await #expect(throws: TransformError.self) {
      _ = try await host.container.resolve((any Transform).self, tags: "failing")
    }
    #expect(error?.description == "the device is not plugged in")
  }

  @Test("The cancellation of the request cancels the factory, and the plugin goes on", arguments: [false, true])
  func cancelled(isolated: Bool) async throws {
    let (host, _) = try await Self.host(isolated: isolated)
    let process = host.workers.first?.process
    let request = Task { _ = try await host.container.resolve((any Transform).self, tags: "endless") }
    // The factory has begun when this one returns.
    _ = try Self.resolveAtOnce(host.container, "gate")
    request.cancel()
    await #expect(throws: CancellationError.self) { try await request.value }
    // A task that was cancelled before the request.
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await host.container.resolve((any Transform).self, tags: "endless")
    }
    await #expect(throws: CancellationError.self) { try await late.value }
    let made = try await host.container.resolve((any Transform).self, tags: "hopping")
    #expect(try made.transformed("> ") == "> h")
    #expect(host.workers.first?.process == process)
  }

  @Test("A worker that ends before the input makes the instance again")
  func madeAgain() async throws {
    let (host, _) = try await Self.host(isolated: true)
    let made = try await host.container.resolve((any Transform).self, tags: "async", args: "a")
    let request = Task { _ = try await host.container.resolve((any Transform).self, tags: "endless") }
    _ = try Self.resolveAtOnce(host.container, "gate")
    let process = try #require(host.workers.first?.process)
    kill(process, SIGKILL)
    await #expect(throws: WorkerError.self) { try await request.value }
    #expect(try made.transformed("> ") == "> a")
    #expect(host.workers.first?.process != process)
  }
}
