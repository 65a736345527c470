import Foundation
import Synchronization
import TestSupport
import Testing
import TroupeHost

/// Callbacks that call the host while it loads, retires or replaces plugins.
@Suite("Calls to a host from its own callbacks")
struct ReentranceTests {
  private let plugin: VersionedPlugin

  init() throws { plugin = try VersionedPlugin() }

  /// Retires the plugin from a callback and collects the faults.
  private final class Retirer: Sendable {
    private struct State {
      var host: PluginHost?
      var diagnoses: [Diagnosis] = []
    }

    private let state = Mutex(State())
    var diagnoses: [Diagnosis] { state.withLock { $0.diagnoses } }

    func begin(_ host: PluginHost?) { state.withLock { $0.host = host } }

    func retire() {
      guard let host = state.withLock({ $0.host }) else { return }
      do {
        try host.retire("org.example.versioned")
      } catch let diagnosis as Diagnosis {
        state.withLock { $0.diagnoses.append(diagnosis) }
      } catch {}
    }
  }

  /// Options with a log handler that runs a closure at the line with this text.
  private func options(at text: String, _ body: @escaping @Sendable () -> Void) throws -> PluginHost.Options {
    var options = plugin.directory.options()
    options.log = Log { line in if line.text == text { body() } }
    return options
  }

  private func expectBusy(_ retirer: Retirer, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let diagnosis = try #require(retirer.diagnoses.first, sourceLocation: sourceLocation)
    #expect(retirer.diagnoses.allSatisfy { $0.code == .busy }, "\(retirer.diagnoses)", sourceLocation: sourceLocation)
    #expect(
      "\(diagnosis)"
        == "org.example.versioned: cannot be retired by code that runs while the host loads, activates, replaces, retires or closes plugins, such as its log, its progress or a plugin's entry; do it later, on another thread or in a detached task",
      sourceLocation: sourceLocation)
  }

  @Test("A retire from the log handler during a load throws `busy`")
  func log() async throws {
    let retirer = Retirer()
    let host = PluginHost(try options(at: "is loaded") { retirer.retire() })
    retirer.begin(host)
    await host.start()
    retirer.begin(nil)
    try expectBusy(retirer)
    #expect(try host.number == .integer(1))
    try host.retire("org.example.versioned")
  }

  @Test("A retire from the log handler while a resolve opens a plugin throws `busy`", .inProcess)
  func opening() async throws {
    let retirer = Retirer()
    var options = try options(at: "is loaded") { retirer.retire() }
    (options.loading, options.probing) = (.lazy, .newContent)
    let host = PluginHost(options)
    retirer.begin(host)
    await host.start()
    #expect(retirer.diagnoses.isEmpty)
    #expect(try host.number == .integer(1))
    retirer.begin(nil)
    try expectBusy(retirer)
    #expect(host.states == ["versioned.so active"])
  }

  @Test("A retire from the progress handler throws `busy`", .inProcess)
  func progress() async throws {
    let retirer = Retirer()
    var options = plugin.directory.options()
    options.probing = .newContent
    options.progress = { _ in retirer.retire() }
    let host = PluginHost(options)
    retirer.begin(host)
    await host.start()
    retirer.begin(nil)
    try expectBusy(retirer)
    #expect(host.states == ["versioned.so active"])
  }

  @Test("A retire from the log handler before the load has no effect, and the start continues")
  func found() async throws {
    let retirer = Retirer()
    let host = PluginHost(try options(at: "is admitted") { retirer.retire() })
    retirer.begin(host)
    await host.start()
    retirer.begin(nil)
    #expect(retirer.diagnoses.isEmpty)
    #expect(host.states == ["versioned.so active"])
  }

  @Test("A reader of the events can retire a plugin while the host starts")
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

  /// Loads the plugins from a callback and collects the faults.
  private final class Loader: Sendable {
    private let state = Mutex<(host: PluginHost?, diagnoses: [Diagnosis])>((nil, []))
    var diagnoses: [Diagnosis] { state.withLock { $0.diagnoses } }

    func begin(_ host: PluginHost?) { state.withLock { $0.host = host } }

    func load() {
      guard let host = state.withLock({ $0.host }) else { return }
      do {
        try host.load()
      } catch let diagnosis as Diagnosis {
        state.withLock { $0.diagnoses.append(diagnosis) }
      } catch {}
    }
  }

  private static let busyLoad =
    "the plugins: cannot be loaded by code that runs while the host loads, activates, replaces, retires or closes plugins, such as its log, its progress or a plugin's entry; do it later, on another thread or in a detached task"

  @Test("A load from the log handler during a load throws `busy`, and the outer load continues")
  func load() throws {
    let loader = Loader()
    var options = try options(at: "is loaded") { loader.load() }
    (options.loading, options.probing) = (.eager, .never)
    let host = PluginHost(options)
    loader.begin(host)
    try host.load()
    loader.begin(nil)
    #expect(loader.diagnoses.map(\.code) == [.busy])
    #expect(loader.diagnoses.map { "\($0)" } == [Self.busyLoad])
    #expect(host.states == ["versioned.so loaded"])
    try host.load()
  }

  @Test("A load from the log handler while a resolve opens a plugin throws `busy`", .inProcess)
  func loadWhileOpening() async throws {
    let loader = Loader()
    var options = try options(at: "is loaded") { loader.load() }
    (options.loading, options.probing) = (.lazy, .newContent)
    let host = PluginHost(options)
    loader.begin(host)
    await host.start()
    #expect(loader.diagnoses.isEmpty)
    #expect(try host.number == .integer(1))
    loader.begin(nil)
    #expect(loader.diagnoses.map { "\($0)" } == [Self.busyLoad])
    #expect(host.states == ["versioned.so active"])
  }

  @Test("A load from the log handler when a plugin is found succeeds, before the load that found it")
  func loadWhileFound() throws {
    let loader = Loader()
    var options = try options(at: "is admitted") { loader.load() }
    options.loading = .eager
    let host = PluginHost(options)
    loader.begin(host)
    try host.load()
    loader.begin(nil)
    #expect(loader.diagnoses.isEmpty)
    #expect(host.states == ["versioned.so loaded"])
  }

  @Test("A load whose log handler waits for a singleton whose factory loads ends, with an error for one of the two")
  func waitCycle() throws {
    let (isLoading, isMaking) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let asked = Mutex<PluginHost?>(nil)
    let errors = Mutex<[any Error]>([])
    let attempt = { @Sendable (body: () throws -> Void) in
      do { try body() } catch { errors.withLock { $0.append(error) } }
    }
    var options = try options(at: "is loaded") {
      guard let host = asked.withLock({ $0.take() }) else { return }
      isLoading.signal()
      isMaking.wait()
      attempt { _ = try host.container.resolve(Int.self) as Int }
    }
    (options.loading, options.probing) = (.eager, .never)
    let host = PluginHost(options)
    asked.withLock { $0 = host }
    host.container.register(lifetime: .singleton) { [weak host] (_: any Resolver) -> Int in
      isMaking.signal()
      attempt { try host?.load() }
      return 7
    }
    let loader = JoinableThread { attempt { try host.load() } }
    isLoading.wait()
    JoinableThread { attempt { _ = try host.container.resolve(Int.self) as Int } }.join()
    loader.join()
    #expect(errors.withLock { $0.count } == 1, "\(errors.withLock { $0 })")
    #expect(host.states == ["versioned.so loaded"])
    #expect(try host.container.resolve(Int.self) == 7)
  }
}
