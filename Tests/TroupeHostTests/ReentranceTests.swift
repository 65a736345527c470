import Foundation
import Synchronization
import TestSupport
import Testing
import TroupeHost

/// What runs while a host loads, retires or replaces plugins, and would have it do such a thing.
@Suite("A host that is asked by what it waits for")
struct ReentranceTests {
  private let plugin: VersionedPlugin

  init() throws { plugin = try VersionedPlugin() }

  /// What somebody does with the host, and what came of it.
  private final class Act: Sendable {
    private struct State {
      var host: PluginHost?
      var faults: [PluginFault] = []
    }

    private let state = Mutex(State())
    var faults: [PluginFault] { state.withLock { $0.faults } }

    func begin(_ host: PluginHost?) { state.withLock { $0.host = host } }

    func retire() {
      guard let host = state.withLock({ $0.host }) else { return }
      do {
        try host.retire("org.example.versioned")
      } catch let fault as PluginFault {
        state.withLock { $0.faults.append(fault) }
      } catch {}
    }
  }

  /// Options with a log handler that does something at a line with these words.
  private func options(at words: String, _ body: @escaping @Sendable () -> Void) throws -> PluginHost.Options {
    var options = plugin.directory.options()
    options.log = Log { line in if line.text == words { body() } }
    return options
  }

  private func expectBusy(_ act: Act, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let fault = try #require(act.faults.first, sourceLocation: sourceLocation)
    #expect(act.faults.allSatisfy { $0.code == .busy }, "\(act.faults)", sourceLocation: sourceLocation)
    #expect(
      "\(fault)"
        == "org.example.versioned: cannot be retired by what runs while the host loads, retires or replaces plugins, such as its log, its progress or a plugin's entry; do it later, or in another task",
      sourceLocation: sourceLocation)
  }

  @Test("Retires nothing for its log while it loads, and says so")
  func log() async throws {
    let act = Act()
    let host = PluginHost(try options(at: "is loaded") { act.retire() })
    act.begin(host)
    await host.start()
    act.begin(nil)
    try expectBusy(act)
    #expect(try host.number == .integer(1))
    try host.retire("org.example.versioned")
  }

  @Test("Retires nothing for its log while a resolve opens a plugin, and says so")
  func opening() async throws {
    let act = Act()
    var options = try options(at: "is loaded") { act.retire() }
    (options.loading, options.probing) = (.lazy, .newContent)
    let host = PluginHost(options)
    act.begin(host)
    await host.start()
    #expect(act.faults.isEmpty)
    #expect(try host.number == .integer(1))
    act.begin(nil)
    try expectBusy(act)
    #expect(host.states == ["versioned.so active"])
  }

  @Test("Retires nothing for whom it tells how far it has come, and says so")
  func progress() async throws {
    let act = Act()
    var options = plugin.directory.options()
    options.probing = .newContent
    options.progress = { _ in act.retire() }
    let host = PluginHost(options)
    act.begin(host)
    await host.start()
    act.begin(nil)
    try expectBusy(act)
    #expect(host.states == ["versioned.so active"])
  }

  @Test("Retires nothing for its log when that hears of what was found, since nothing is loaded yet, and goes on")
  func found() async throws {
    let act = Act()
    let host = PluginHost(try options(at: "is admitted") { act.retire() })
    act.begin(host)
    await host.start()
    act.begin(nil)
    #expect(act.faults.isEmpty)
    #expect(host.states == ["versioned.so active"])
  }

  @Test("Retires a plugin for who reads its events, as soon as that is possible")
  func events() async throws {
    let host = PluginHost(plugin.directory.options())
    let events = host.events
    let reader = Task {
      for await event in events where event.plugin.state == .loaded {
        return try host.retire("org.example.versioned")
      }
    }
    await host.start()
    try await reader.value
    #expect(host.states == ["versioned.so retired"])
  }

  @Test("Ends the process with a message that is there in release as well, where it cannot throw an error")
  func fatal() async throws {
    let path = plugin.directory.path
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [path = path as String] in
      let asked = Mutex<PluginHost?>(nil)
      var options = PluginHost.Options(directories: [path])
      (options.loading, options.probing) = (.eager, .never)
      options.log = Log { line in if line.text == "is loaded" { asked.withLock { $0 }?.load() } }
      let host = PluginHost(options)
      asked.withLock { $0 = host }
      host.load()
    }
    let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      errors.contains(
        "a PluginHost is started, or has plugins loaded or refreshed, by what runs while it does such a thing already"),
      "\(errors)")
  }
}
