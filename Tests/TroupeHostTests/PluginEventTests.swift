import Foundation
import Synchronization
import TestSupport
import Testing
import TroupeHost

@Suite("What happens to plugins")
struct PluginEventTests {
  private static func text(_ event: PluginEvent) -> String {
    let name = URL(filePath: event.plugin.path).lastPathComponent
    return "\(name): \(event.previous?.name ?? "-") → \(event.plugin.state.name)"
  }

  @Test("Every change is told in its order, with the state before, to everybody who listens")
  func changes() async throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/empty.c", as: "a")
    try directory.add("faulty/entry-fails.c", as: "b")
    try directory.write("c.so", [])
    var host: PluginHost? = directory.host()
    let streams = [host?.events, host?.events].compactMap(\.self)
    await host?.start()
    host?.shutdown()
    host = nil
    for stream in streams {
      var seen: [String] = []
      for await event in stream { seen.append(Self.text(event)) }
      #expect(
        seen == [
          "a.so: - → admitted", "b.so: - → admitted", "c.so: - → rejected", "a.so: admitted → loaded",
          "b.so: admitted → rejected",
          "a.so: loaded → active", "a.so: active → draining", "a.so: draining → retired",
        ])
    }
  }

  @Test("Who begins to listen late is told what comes then")
  func late() async throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/empty.c", as: "a")
    var host: PluginHost? = directory.host()
    host?.discover()
    let events = try #require(host?.events)
    host?.load()
    host = nil
    var seen: [String] = []
    for await event in events { seen.append(Self.text(event)) }
    #expect(seen == ["a.so: admitted → loaded", "a.so: loaded → draining", "a.so: draining → retired"])
  }

  @Test("A log that begins at a level is told nothing below it")
  func level() async throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/empty.c", as: "a")
    let lines = Mutex<[String]>([])
    await PluginHost(
      .init(directories: [directory.path], log: Log(from: .info) { line in lines.withLock { $0.append("\(line)") } })
    ).start()
    #expect(lines.withLock(\.self).isEmpty)
    await PluginHost(.init(directories: [directory.path], log: Log { line in lines.withLock { $0.append("\(line)") } })).start()
    #expect(lines.withLock(\.self).contains("org.example.empty: is active"))
  }

  @Test("The log has them for whoever looks for a fault, with the reason")
  func logged() async throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/empty.c", as: "a")
    try directory.write("b.so", [])
    let log = LogLines(from: .debug)
    let host = directory.host(log: log)
    await host.start()
    let path = directory.directory.file("b.so")
    let problem = try #require(host.fault(path)?.problem)
    #expect(
      log.all == [
        "debug org.example.empty: is admitted", "debug \(path): is rejected: \(problem)", "debug org.example.empty: is loaded",
        "debug org.example.empty: is active",
      ])
  }
}
