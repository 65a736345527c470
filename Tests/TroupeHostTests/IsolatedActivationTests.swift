import Foundation
import TestSupport
import Testing

@testable import TroupeHost

// In the process of the host, `SwiftPluginTests` and `UpdateTests` activate plugins: a plugin in Swift needs libTroupe.so.
@Suite("Activation in a worker") struct IsolatedActivationTests {
  private func isolated(_ fixture: String) async throws -> IsolatedHost {
    // A job of the main actor that nobody runs ends the test with an error.
    try await IsolatedHost(fixture) { $0.deadline = .seconds(60) }
  }

  @Test("Each process of the worker activates its plugins before the first call, and runs what they leave on the main actor")
  func activated() async throws {
    let isolated = try await isolated("isolation/activated.swift")
    let container = isolated.host.container
    func text(_ tag: String) throws -> String { try container.resolve((any Transform).self, tags: tag).transformed("> ") }
    #expect(isolated.host.plugins.map(\.state) == [.active])
    #expect(try text("noted").hasPrefix("> main, resolved 1"))
    #expect(try text("late") == "> main, resolved 1, late")
    let first = try #require(isolated.worker.process)
    kill(first, SIGKILL)
    // The host learns of the end later, and a call in between would fail.
    while try isolated.worker.process == first { await Task.yield() }
    #expect(try text("late") == "> main, resolved 1, late")
    #expect(try isolated.worker.process != first)
  }

  @Test("A failed activation rejects the plugin with the diagnosis that it has in the process of the host")
  func failed() async throws {
    let isolated = try await isolated("faulty/throwing-activation.swift")
    let diagnosis = try #require(isolated.host.plugins.first?.state.diagnosis)
    #expect(diagnosis.code == .refused)
    #expect(diagnosis.subject == isolated.directory.path + "/throwing-activation.so")
    #expect(diagnosis.reason == "failed when it was activated: the device is not plugged in; fix it, or remove it")
    #expect(isolated.host.registrations.isEmpty)
  }
}
