import Foundation
import TestSupport
import Testing
import TroupeHost

@Suite("Plugins that are opened on the first resolve")
struct LazyLoadingTests {
  @Test("The registrations of a plugin are listed and found before its library is open", .inProcess)
  func known() async throws {
    let plugin = try VersionedPlugin()
    let host = try plugin.lazyHost()
    await host.start()
    #expect(host.states == ["versioned.so admitted"])
    #expect(host.registrations.map(\.name) == ["number", "object", "single"])
    #expect(host.functions("number").map(\.signature) == ["int (void)"])
    #expect(host.container.find(Criteria<ForeignInstance>(op: .subset, tags: VersionedPlugin.tag)).count == 2)
    #expect(try !isMapped(plugin.path))
  }

  @Test("The first resolve of a registration opens and activates its plugin", .inProcess)
  func opened() async throws {
    let plugin = try VersionedPlugin()
    let host = try plugin.lazyHost()
    await host.start()
    #expect(try host.number == .integer(1))
    #expect(host.states == ["versioned.so active"])
    #expect(try isMapped(plugin.path))
    #expect(host.registrations.map(\.name) == ["number", "object", "single"])
  }

  @Test("An array, a resolve by tag, a call, a singleton and an instance by key open the plugin", .inProcess)
  func requests() async throws {
    let requests: [(PluginHost) throws -> Bool] = [
      { try $0.container.resolve([ForeignInstance].self, tags: VersionedPlugin.tag).map(\.number) == [1, 1] },
      { try $0.resolve(tags: [VersionedPlugin.tag]).map(\.registration.name) == ["number", "object", "single"] },
      { try $0.call("number") == .integer(1) },
      { try $0.object(VersionedPlugin.single) === $0.object(VersionedPlugin.single) },
      { try $0.object().number == 1 },
    ]
    let plugin = try VersionedPlugin()
    for request in requests {
      let host = try plugin.lazyHost(unloads: true)
      await host.start()
      #expect(try !isMapped(plugin.path))
      #expect(try request(host))
      #expect(host.states == ["versioned.so active"])
      host.shutdown()
      #expect(try !isMapped(plugin.path))
    }
  }

  @Test(
    "A wrong argument of a call is an error before the plugin is opened, in this process and in a worker",
    arguments: [false, true])
  func wrongArgument(isolated: Bool) async throws {
    let directory = try PluginDirectory()
    let path = try directory.add("isolation/functions.c")
    let log = LogLines()
    var options = directory.options(log: log)
    (options.loading, options.probing, options.cacheDirectory) = (.lazy, .newContent, directory.directory.file("cache"))
    options.isolation = isolated ? .worker(WorkerPolicy()) : .inProcess
    options.probeExecutable = Repo.products + "/troupe-probe"
    // Fills the cache.
    let first = PluginHost(options)
    await first.start()
    first.shutdown()
    let count = log.all.count
    let host = PluginHost(options)
    await host.start()
    let area = try #require(host.functions("area").first)
    for (words, code) in [(["3"], CallError.Code.argumentCount), (["3", "wide"], .argumentType)] {
      let failure = #expect(throws: RegistrationError.self) { try host.call(area, .text(words)) }
      #expect((failure?.cause as? CallError)?.code == code)
    }
    #expect(host.states == ["functions.so admitted"] && host.workers.isEmpty)
    #expect(try !isMapped(path))
    #expect(try host.call(area, .text(["3", "4.5"])) == .double(13.5))
    #expect(host.states == ["functions.so active"] && host.workers.count == (isolated ? 1 : 0))
    // Nothing is logged about the function that a worker cannot call.
    #expect(log.all.dropFirst(count) == [])
  }

  @Test("Concurrent resolves on many threads open the plugin once", .inProcess)
  func threads() async throws {
    let plugin = try VersionedPlugin()
    for _ in 0..<10 {
      let log = LogLines(from: .debug)
      let host = try plugin.lazyHost(log: log)
      await host.start()
      let numbers = await withTaskGroup(of: Int32?.self) { group in
        for _ in 0..<8 { group.addTask { try? host.object().number } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(numbers == Array(repeating: 1, count: 8))
      #expect(log.all.count { $0.contains("is loaded") } == 1)
    }
  }

  @Test("A second load or start registers nothing again, before and after the plugin is opened", .inProcess)
  func repeated() async throws {
    let plugin = try VersionedPlugin()
    let host = try plugin.lazyHost()
    for _ in 0..<2 {
      try host.load()
      await host.start()
      await host.start()
      #expect(host.registrations.map(\.name) == ["number", "object", "single"])
      #expect(host.functions("number").count == 1)
      #expect(try await host.resolve(tags: [VersionedPlugin.tag]).count == 3)
      #expect(try host.numbers == [1, 1])
    }
    #expect(host.states == ["versioned.so active"])
  }

  @Test("A plugin that registers other factories than in its probe is probed again by the next host")
  func changed() async throws {
    let directory = try PluginDirectory()
    let change = directory.directory.file("change")
    try directory.add("healthy/changing.c", ["CHANGE": change.quoted])
    let log = LogLines()
    var options = directory.options(log: log)
    (options.loading, options.probing, options.cacheDirectory) = (.lazy, .newContent, directory.directory.file("cache"))
    let first = PluginHost(options)
    await first.start()
    #expect(try first.call("seven") == .integer(7))
    #expect(log.all.isEmpty)
    try directory.write("change", [])
    for (isKnown, lines) in [(false, 1), (true, 1)] {
      let host = PluginHost(options)
      await host.start()
      #expect((try? host.call("seven")) == (isKnown ? .integer(7) : nil))
      #expect(log.all.count == lines)
    }
  }

  @Test("A retired plugin stays retired if the host is started again")
  func retired() async throws {
    let plugin = try VersionedPlugin()
    let host = try plugin.lazyHost()
    await host.start()
    try host.retire("org.example.versioned")
    await host.start()
    #expect(host.states == ["versioned.so retired"])
    #expect(host.registrations.isEmpty)
  }

  @Test(
    "The UUID, the tags, or both resolve a service, whether the plugin is open or not; two matches name both plugins",
    .inProcess)
  func partialTags() async throws {
    let plugin = try VersionedPlugin()
    try plugin.replace(
      number: 7, ["ID": "org.example.other".quoted, "SUFFIX": "02".quoted], name: "other.so")
    let host = try plugin.lazyHost()
    await host.start()
    func number(tag: some Hashable & Sendable, of container: Container) throws -> Value? {
      try container.resolve(ForeignFunction.self, tags: tag)()
    }
    func object() throws -> ForeignInstance { try host.container.resolve(tags: VersionedPlugin.object) }
    #expect(try object().number == 1)
    #expect(try host.object().number == 1)
    #expect(try number(tag: VersionedPlugin.number, of: host.container) == .integer(1))
    let error = #expect(throws: ResolutionError.self) {
      try host.container.resolve(tags: VersionedPlugin.tag) as ForeignFunction
    }
    guard case .error(let cause as AmbiguityError)? = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(cause.matches.map(\.owner) == ["org.example.other", "org.example.versioned"])
    try host.retire("org.example.other")
    #expect(try number(tag: VersionedPlugin.tag, of: host.container) == .integer(1))
    #expect(try number(tag: VersionedPlugin.tag, of: host.container.scope()) == .integer(1))
  }

  @Test("An eager host opens a plugin at once, and a lazy host opens a plugin that requests eager loading")
  func eager() async throws {
    let plugin = try VersionedPlugin()
    var options = plugin.directory.options()
    options.probing = .newContent
    options.cacheDirectory = nil
    let host = PluginHost(options)
    await host.start()
    #expect(host.states == ["versioned.so active"])

    let directory = try PluginDirectory()
    try directory.add("healthy/eager.c")
    options = directory.options()
    (options.loading, options.probing, options.cacheDirectory) = (.lazy, .newContent, nil)
    let other = PluginHost(options)
    await other.start()
    #expect(other.states == ["eager.so active"])
  }

  @Test("A plugin that fails in this process after its probe is rejected, and the caller gets the fault", .inProcess)
  func fails() async throws {
    let plugin = try VersionedPlugin()
    try plugin.replace(number: 1, ["FAILS_WITH_CENSUS": "1"])
    let host = try plugin.lazyHost(services: [Census().service])
    await host.start()
    #expect(host.states == ["versioned.so admitted"])
    #expect(try diagnosis { try host.object() }.code == .refused)
    #expect(host.states == ["versioned.so rejected"])
    #expect(host.registrations.isEmpty)
    #expect(throws: ResolutionError.self) { try host.object() }
  }

  @Test("A plugin with a missing file keeps its pending registrations, and works once the file is restored", .inProcess)
  func gone() async throws {
    let plugin = try VersionedPlugin()
    let host = try plugin.lazyHost()
    await host.start()
    try FileManager.default.removeItem(atPath: plugin.path)
    for _ in 0..<2 {
      #expect(try diagnosis { try host.object() }.code == .changed)
    }
    #expect(host.states == ["versioned.so admitted"])
    #expect(host.registrations.count == 3)
    try plugin.replace(number: 2)
    #expect(try host.object().number == 2)
  }

  @Test("A plugin keeps its pending registrations while its file is being written, and works afterwards", .inProcess)
  func unfinished() async throws {
    let plugin = try VersionedPlugin()
    let host = try plugin.lazyHost()
    await host.start()
    let writer = try WritingProcess(of: plugin.path)
    #expect(try diagnosis { try host.object() }.code == .changed)
    #expect(host.states == ["versioned.so admitted"])
    try writer.close()
    #expect(try host.object().number == 1)
  }

  /// Returns the fault that a resolve throws.
  private func diagnosis(_ resolve: () throws -> ForeignInstance) throws -> Diagnosis {
    try #require(throws: Diagnosis.self) { try resolve() }
  }

  @Test("A file that was replaced before the first resolve is opened in its new version, also by many threads", .inProcess)
  func swapped() async throws {
    for _ in 0..<10 {
      let plugin = try VersionedPlugin()
      let host = try plugin.lazyHost()
      await host.start()
      try plugin.replace(number: 2)
      let numbers = try await withThrowingTaskGroup(of: Int32.self) { group in
        for _ in 0..<8 { group.addTask { try host.object().number } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(numbers == Array(repeating: 2, count: 8))
      #expect(host.states == ["versioned.so active"])
      #expect(host.plugins.first?.manifest?.version.description == "1.2.0")
      #expect(try host.numbers == [2, 2])
    }
  }

  @Test("A resolve of a plugin with an unusable file throws the fault, and works once the file is repaired", .inProcess)
  func broken() async throws {
    let plugin = try VersionedPlugin()
    let host = try plugin.lazyHost()
    await host.start()
    try plugin.replace([1, 2, 3])
    #expect(try diagnosis { try host.object() }.code == .notALibrary)
    try plugin.replace(number: 3)
    #expect(try host.object().number == 3)
    #expect(host.states == ["versioned.so active"])
  }

  @Test("A required plugin is opened before its dependent, and opening does not change the order of registrations", .inProcess)
  func needs() async throws {
    let plugin = try VersionedPlugin()
    try plugin.replace(
      number: 7, ["ID": "org.example.a-dependent".quoted, "SUFFIX": "02".quoted, "REQUIRES": "org.example.versioned".quoted],
      name: "a.so")
    let log = LogLines(from: .debug)
    let host = try plugin.lazyHost(log: log)
    await host.start()
    #expect(host.registrations.map(\.plugin).uniqued == ["org.example.versioned", "org.example.a-dependent"])
    #expect(try host.object(uuid("5e110000-0000-4000-8001-000000000002")).number == 7)
    #expect(host.states == ["a.so active", "versioned.so active"])
    let loaded = log.all.filter { $0.contains("is loaded") }
    #expect(loaded == ["debug org.example.versioned: is loaded", "debug org.example.a-dependent: is loaded"])
    #expect(try host.numbers == [1, 1, 7, 7])
  }

  @Test("A second start uses the registry and runs no probe; without it, or with a changed file, it probes again", .inProcess)
  func registry() async throws {
    let plugin = try VersionedPlugin()
    var probes: [Int] = []
    func start(cache: String?) async throws {
      var options = plugin.directory.options()
      (options.loading, options.probing, options.cacheDirectory) = (.lazy, .newContent, cache)
      let count = Counter()
      options.progress = { if $0.running.isEmpty { count.add() } }
      let host = PluginHost(options)
      await host.start()
      #expect(try host.number != nil)
      probes.append(count.value)
    }
    let cache = plugin.directory.directory.file("cache")
    for cache in [cache, cache, nil, cache] { try await start(cache: cache) }
    try plugin.replace(number: 2)
    try await start(cache: cache)
    #expect(probes == [1, 0, 1, 0, 1])
  }
}

extension [String] {
  /// The elements without repetitions.
  fileprivate var uniqued: [String] { reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}
