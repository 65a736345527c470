import Foundation
import Synchronization
import TestSupport
import Testing
import TroupeHost

@Suite("Events of plugins")
struct PluginEventTests {
  private static func text(_ event: PluginEvent) -> String {
    let name = URL(filePath: event.plugin.path).lastPathComponent
    return "\(name): \(event.previous?.name ?? "-") → \(event.plugin.state.name)"
  }

  @Test("Every state change is sent in order, with the previous state, to every stream")
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

  @Test("An observer gets each event before the function that causes it returns, and the end of the host")
  func observer() async throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/empty.c", as: "a")
    let host = directory.host()
    await host.start()
    let seen = Mutex<[String]>([])
    let observation = host.observe { event in
      seen.withLock { $0.append(Self.text(event)) }
    } end: {
      seen.withLock { $0.append("end") }
    }
    let released = host.observe { _ in
      seen.withLock { $0.append("released") }
    } end: {
    }
    _ = consume released
    try host.retire("org.example.empty")
    #expect(seen.withLock { $0 } == ["a.so: active → draining", "a.so: draining → retired"])
    host.shutdown()
    #expect(seen.withLock { $0 }.last == "end")
    let late = Mutex(false)
    withExtendedLifetime(host.observe({ _ in }, end: { late.withLock { $0 = true } })) {}
    #expect(late.withLock { $0 })
    withExtendedLifetime(observation) {}
  }

  @Test("A file or directory without an id is the subject of its line in the log")
  func rejectedWithoutID() async throws {
    let directory = try PluginDirectory()
    let file = try directory.write("c.so", [])
    let log = LogLines(from: .debug)
    var options = directory.options(log: log)
    let missing = directory.directory.file("nowhere")
    options.directories.append(missing)
    let host = PluginHost(options)
    await host.start()
    #expect(try log.all == [file, missing].map { try "warning \(#require(host.diagnosis($0)))" })
  }

  @Test(
    "An id of an option that no plugin has is logged once, with the nearest one", arguments: ["configuration", "isolations"])
  func unknownID(option: String) async throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/empty.c")
    let log = LogLines()
    var options = directory.options(log: log)
    if option == "isolations" {
      options.isolations["org.example.emtpy"] = .worker(WorkerPolicy())
    } else {
      options.configuration["org.example.emtpy"] = ["a": "b"]
    }
    let host = PluginHost(options)
    try host.load()
    await host.start()
    let text = "no plugin has the id org.example.emtpy, which the option \(option) names; did you mean org.example.empty?"
    #expect(log.all == ["warning troupe: " + text])
  }

  @Test("Events end at shutdown while instances live, and the log has the later release", .inProcess)
  func end() async throws {
    let plugin = try VersionedPlugin()
    let log = LogLines(from: .debug)
    let host = plugin.directory.host(log: log)
    await host.start()
    var object: ForeignInstance? = try host.object()
    let events = host.events
    host.shutdown()
    var seen: [String] = []
    for await event in events { seen.append("\(event)") }
    #expect(seen == ["org.example.versioned is draining"])
    #expect(host.states == ["versioned.so draining"])
    #expect(log.all.last == "debug org.example.versioned: is draining")
    withExtendedLifetime(object) {}
    object = nil
    #expect(host.states == ["versioned.so retired"])
    #expect(log.all.last == "debug org.example.versioned: is retired")
  }

  @Test("A stream that begins after a shutdown is empty, unless plugins are loaded again")
  func afterEnd() async throws {
    let plugin = try VersionedPlugin()
    let host = plugin.directory.host()
    await host.start()
    host.shutdown()
    for await event in host.events { Issue.record("\(event)") }
    try plugin.replace(number: 2)
    #expect(await host.refresh())
    #expect(host.states == ["versioned.so active"])
    let again = host.events
    host.shutdown()
    var last: [PluginState] = []
    for await event in again { last.append(event.plugin.state) }
    #expect(last == [.draining, .retired])
  }

  @Test("A stream that begins late has only the later events")
  func late() async throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/empty.c", as: "a")
    var host: PluginHost? = directory.host()
    host?.discover()
    let events = try #require(host?.events)
    try host?.load()
    host = nil
    var seen: [String] = []
    for await event in events { seen.append(Self.text(event)) }
    #expect(seen == ["a.so: admitted → loaded", "a.so: loaded → draining", "a.so: draining → retired"])
  }

  @Test("A log with a minimum level receives no lower message")
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

  @Test("The log has the state changes, and the reason of a rejection", .inProcess)
  func logged() async throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/empty.c", as: "a")
    try directory.write("b.so", [])
    let log = LogLines(from: .debug)
    let host = directory.host(log: log)
    await host.start()
    let path = directory.directory.file("b.so")
    let diagnosis = try #require(host.diagnosis(path))
    #expect(
      log.all == [
        "debug org.example.empty: is admitted", "warning \(diagnosis)",
        "debug org.example.empty: is loaded",
        "debug org.example.empty: is active",
      ])
  }

  @Test("Each rejected or quarantined plugin is logged in one warning with its file, fault and remedy", .inProcess)
  func warnings() async throws {
    let directory = try PluginDirectory()
    try directory.write("a.so", [])
    try directory.add("faulty/entry-fails.c", as: "b")
    try directory.add("faulty/crash-in-entry.c", as: "c")
    // It requires a plugin that fails, so each refresh tries it again.
    try directory.add(
      "healthy/versioned.c", as: "d", ["REQUIRES": "org.example.entry-fails".quoted])
    let messages = Mutex<[LogMessage]>([])
    var options = directory.options()
    (options.loading, options.probing) = (.lazy, .newContent)
    options.log = Log(from: .warning) { message in messages.withLock { $0.append(message) } }
    let host = PluginHost(options)
    await host.start()
    for _ in 0..<3 { await host.refresh() }
    let seen = messages.withLock { $0 }
    #expect(seen.map(\.level) == Array(repeating: .warning, count: 4))
    #expect(Set(seen.compactMap(\.diagnosis)) == Set(host.plugins.compactMap(\.state.diagnosis)))
    #expect(host.states == ["a.so rejected", "b.so rejected", "c.so quarantined", "d.so rejected"])
    for message in seen {
      let diagnosis = try #require(message.diagnosis)
      #expect(
        message.description.contains(diagnosis.subject)
          && message.description.hasSuffix("\(diagnosis.problem); \(diagnosis.remedy)"))
    }
    // A new content with another fault is another warning.
    try directory.write("a.so", PluginDirectory.library("healthy/empty.c").prefix(700))
    await host.refresh()
    #expect(messages.withLock { $0.count } == 5)
  }

  /// Holds the host that a log handler calls.
  private final class HostBox: Sendable {
    private let known = Mutex<PluginHost?>(nil)
    var host: PluginHost? {
      get { known.withLock { $0 } }
      set { known.withLock { $0 = newValue } }
    }
  }

  @Test("A log handler can call the host, which already lists each plugin that it reports", .inProcess)
  func asking() async throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/empty.c", as: "a")
    try directory.write("b.so", [])
    let box = HostBox()
    let counts = Mutex<[Int]>([])
    var options = directory.options()
    options.log = Log { _ in
      guard let host = box.host else { return }
      let count = host.plugins.count
      counts.withLock { $0.append(count) }
      _ = (host.registrations, host.discover(), host.functions("f"))
    }
    let host = PluginHost(options)
    box.host = host
    await host.start()
    try directory.add("healthy/stage.c", as: "c")
    await host.refresh()
    box.host = nil
    #expect(counts.withLock { $0 } == [2, 2, 2, 2, 3, 3, 3])
  }

  /// A plugin that shares no id and no UUID with those of other names and suffixes.
  private static func library(_ name: String, _ suffix: String) throws -> [UInt8] {
    try VersionedPlugin.library(number: 1, ["ID": "org.example.\(name)".quoted, "SUFFIX": suffix.quoted])
  }

  @Test("A load within the log handler logs each plugin's admission before its load, and logs nothing twice", .inProcess)
  func nested() async throws {
    let directory = try PluginDirectory()
    for (name, suffix) in [("a", "01"), ("b", "02")] {
      try directory.write("\(name).so", Self.library(name, suffix))
    }
    let box = HostBox()
    let lines = Mutex<[String]>([])
    var options = directory.options()
    options.log = Log { line in
      let isFirst = lines.withLock { lines in
        lines.append("\(line)")
        return lines.count == 1
      }
      if isFirst { try? box.host?.load() }
    }
    let host = PluginHost(options)
    box.host = host
    try host.load()
    box.host = nil
    let logged = lines.withLock { $0 }
    for name in ["a", "b"] {
      #expect(
        logged.filter { $0.hasPrefix("org.example.\(name): ") }
          == ["is admitted", "is loaded"].map { "org.example.\(name): \($0)" },
        "\(logged)")
    }
  }

  @Test("Concurrent discoveries and loads log each state change of a plugin once and in order")
  func atOnce() async throws {
    let directory = try PluginDirectory()
    let names = ["a", "b", "c", "d", "e"]
    for (number, name) in names.enumerated() { try directory.write("\(name).so", Self.library(name, "0\(number + 1)")) }
    for _ in 0..<10 {
      let log = LogLines(from: .debug)
      let host = directory.host(log: log)
      let threads = (0..<4).map { number in
        JoinableThread { if number % 2 == 0 { try? host.load() } else { host.discover() } }
      }
      threads.forEach { $0.join() }
      let lines = log.all
      for name in names {
        let own = lines.filter { $0.hasPrefix("debug org.example.\(name): ") }.map { $0.split(separator: ": ").last ?? "" }
        #expect(own == ["is admitted", "is loaded"])
      }
    }
  }
}
