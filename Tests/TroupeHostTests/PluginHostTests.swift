import Foundation
import Synchronization
import TestSupport
import Testing
import TroupeHost

@Suite("The host", .timeLimit(.minutes(60))) struct PluginHostTests {
  @Test("A start loads the selected plugins, and another start loads the others")
  func startWhere() async throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/empty.c", as: "a")
    let stage = try directory.add("healthy/stage.c", as: "b")
    let host = directory.host()
    await host.start { $0.manifest?.id == "org.example.empty" }
    #expect(host.states == ["a.so active", "b.so admitted"])
    #expect(try !isMapped(stage))
    await host.start()
    #expect(host.states == ["a.so active", "b.so active"])
    #expect(host.registrations.count == 1)
  }

  @Test("Repeated and concurrent starts load nothing twice")
  func startTwice() async throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/stage.c")
    let log = LogLines()
    let host = directory.host(log: log)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { await host.start() } }
    }
    await host.start()
    #expect(host.states == ["stage.so active"])
    #expect(host.registrations.count == 1)
    #expect(log.all.isEmpty)
  }

  @Test("A start blocks no thread of the cooperative pool")
  func cooperativePool() async throws {
    let directory = try PluginDirectory()
    // The host logs the rejection of this file while it scans.
    try directory.write("rejected.so", Data())
    await withTaskGroup(of: Void.self) { group in
      // More than the pool has threads.
      for _ in 0..<(4 * ProcessInfo.processInfo.activeProcessorCount) {
        group.addTask {
          let log = Log { _ in
            let signal = DispatchSemaphore(value: 0)
            Task.detached { signal.signal() }
            signal.wait()
          }
          await PluginHost(PluginHost.Options(directories: [directory.path], log: log)).start()
        }
      }
    }
  }

  @Test("A host stays shut down, and each later start or load logs an error")
  func startAfterShutdown() async throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/stage.c")
    let log = LogLines()
    let host = directory.host(log: log)
    host.shutdown()
    await host.start()
    host.shutdown()
    #expect(log.all.isEmpty)
    await host.start()
    try host.load()
    #expect(log.all.count == 2 && log.all.allSatisfy { $0.hasPrefix("error troupe: the host was shut down") })
    #expect(host.states == ["stage.so retired"])
    #expect(try await host.resolve(tags: ["text"]).isEmpty)
    let stages: [any Transform] = try await host.container.resolve(tags: "text")
    #expect(stages.isEmpty)
  }

  @Test("The program's own registrations outlive the plugins")
  func ownRegistrations() async throws {
    let directory = try PluginDirectory()
    try directory.add("healthy/stage.c")
    let host = directory.host()
    host.container.register(Int.self, tags: "text") { _ in 7 }
    await host.start()
    host.shutdown()
    let number: Int = try await host.container.resolve(tags: "text")
    #expect(number == 7)
  }

  @Test("Two hosts in one process do not see each other's plugins")
  func twoHosts() async throws {
    let first = try PluginDirectory()
    let second = try PluginDirectory()
    try first.add("healthy/stage.c")
    try second.add("healthy/stage.c", ["MARK": "b".quoted])
    let hosts = [first.host(), second.host()]
    for host in hosts { await host.start() }
    for (host, result) in zip(hosts, ["ax.", "bx."]) {
      let stages: [any Transform] = try await host.container.resolve(tags: "text")
      #expect(try stages.map { try $0.transformed("x") } == [result])
    }
    hosts[0].shutdown()
    #expect(try await hosts[1].resolve(tags: ["text"]).count == 1)
  }

  @Test("Two hosts can load the same plugin, and its latest host table is valid until the last host closes it", .inProcess)
  func samePlugin() async throws {
    let directory = try PluginDirectory()
    let path = try directory.add("healthy/boxes.c")
    let log = LogLines()
    let first = directory.host(log: log, unloads: true)
    await first.start()
    #expect(try await first.resolve(tags: ["only"]).count == 1)
    // From here on a plugin that keeps its host table keeps that of the second host.
    var second: PluginHost? = directory.host(log: log, unloads: true)
    await second?.start()
    second?.shutdown()
    second = nil
    #expect(try isMapped(path))
    first.shutdown()
    #expect(log.all == ["info org.example.boxes: the box 7 ends"])
    #expect(try !isMapped(path))
  }

  @Test("Eight threads can resolve while plugins are loaded, and no registration disappears", .inProcess)
  func resolveWhileLoading() async throws {
    let directory = try PluginDirectory()
    for index in 0..<8 {
      try directory.add(
        "healthy/boxes.c", as: "\(index)", ["ID": "org.example.boxes\(index)".quoted, "SERIES": "000\(index)".quoted])
    }
    let host = directory.host()
    let isDone = Atomic<Bool>(false)
    let threads = (0..<8).map { _ in
      let thread = Thread {
        var count = 0
        while !isDone.load(ordering: .acquiring) {
          let only: [ForeignInstance] = (try? host.container.resolve(tags: "only")) ?? []
          #expect(only.count >= count)
          count = only.count
          _ = host.registrations
          _ = host.plugins
        }
      }
      thread.start()
      return thread
    }
    await host.start()
    isDone.store(true, ordering: .releasing)
    while threads.contains(where: { !$0.isFinished }) { await Task.yield() }
    #expect(try await host.resolve(tags: ["only"]).count == 8)
    #expect(try host.functions("made").map { try host.function($0).call([]) } == Array(repeating: .integer(1), count: 8))
  }
}
