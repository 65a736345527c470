import Foundation
import TestSupport
import Testing
import TroupeHost

@Suite("Retiring and replacing plugins")
struct LifecycleTests {
  @Test(
    "A retired plugin makes no new instances; the release of the last instance retires it, and unmaps the library on request",
    .inProcess, arguments: [false, true])
  func retired(unloads: Bool) async throws {
    let plugin = try VersionedPlugin()
    let host = try plugin.lazyHost(unloads: unloads)
    await host.start()
    var object: ForeignInstance? = try host.object()
    try host.retire("org.example.versioned")
    #expect(host.states == ["versioned.so draining"])
    #expect(host.registrations.isEmpty)
    #expect(throws: ResolutionError.self) { try host.object() }
    #expect(object?.number == 1)
    #expect(try isMapped(plugin.path))
    object = nil
    #expect(host.states == ["versioned.so retired"])
    #expect(host.plugins.first?.staysMapped == !unloads)
    #expect(try isMapped(plugin.path) == !unloads)
  }

  @Test("A host ends with its last reference, also right after an asynchronous function or a call in the background")
  func lastReference() async throws {
    let plugin = try VersionedPlugin()
    for round in 0..<300 {
      var host: PluginHost? = try plugin.lazyHost()
      weak let observed = host
      await host?.start()
      if round % 3 == 1 { await host?.refresh() }
      if round % 3 == 2 { _ = try await host?.reload("org.example.versioned") }
      host = nil
      try #require(observed == nil, "round \(round)")
    }
  }

  @Test("A plugin with only pending registrations is retired at once")
  func held() async throws {
    let plugin = try VersionedPlugin()
    let host = try plugin.lazyHost()
    await host.start()
    try host.retire("org.example.versioned")
    #expect(host.states == ["versioned.so retired"])
    #expect(host.registrations.isEmpty)
    #expect(host.container.find(Criteria<ForeignInstance>(op: .subset, tags: VersionedPlugin.tag)).isEmpty)
  }

  @Test("A plugin is retired only after its dependents, and an unknown id is an error")
  func needed() async throws {
    let plugin = try VersionedPlugin()
    try plugin.replace(
      number: 7, ["ID": "org.example.dependent".quoted, "SUFFIX": "02".quoted, "REQUIRES": "org.example.versioned".quoted],
      name: "dependent.so")
    let host = try plugin.lazyHost()
    await host.start()
    let diagnosis = #expect(throws: Diagnosis.self) { try host.retire("org.example.versioned") }
    #expect(diagnosis?.code == .inUse && diagnosis?.problem.contains("org.example.dependent") == true)
    let unknown = #expect(throws: Diagnosis.self) { try host.retire("org.example.missing") }
    #expect(unknown?.code == .unknown)
    #expect(
      unknown?.reason.hasPrefix("is no plugin that was found; the ids are org.example.") == true,
      "\(String(describing: unknown))")
    let misspelled = #expect(throws: Diagnosis.self) { try host.retire("org.example.versoined") }
    #expect(misspelled?.reason == "is no plugin that was found; did you mean org.example.versioned?")
    try host.retire("org.example.dependent")
    try host.retire("org.example.versioned")
    #expect(host.states == ["dependent.so retired", "versioned.so retired"])
  }

  @Test("A library that the loader keeps stays mapped, and the plugin reports it", .inProcess)
  func mapped() async throws {
    let directory = try PluginDirectory()
    let path = try directory.add("healthy/versioned.c", options: ["-Wl,-z,nodelete"])
    let host = directory.host(unloads: true)
    await host.start()
    #expect(try host.object().number == 1)
    try host.retire("org.example.versioned")
    #expect(host.states == ["versioned.so retired"])
    #expect(host.plugins.first?.staysMapped == true)
    #expect(try isMapped(path))
  }

  @Test("A reload replaces the old version, whose instances work until they are released", .inProcess)
  func reloaded() async throws {
    let plugin = try VersionedPlugin()
    let log = LogLines(from: .debug)
    let host = try plugin.lazyHost(log: log)
    await host.start()
    let old = try host.object()
    let single = try host.object(VersionedPlugin.single)
    try plugin.replace(number: 2)
    #expect(try await host.reload("org.example.versioned"))
    #expect(host.states == ["versioned.so active"])
    #expect(host.plugins.first?.manifest?.version.description == "1.2.0")
    #expect(try host.object().number == 2)
    #expect(try host.object(VersionedPlugin.single).number == 2)
    #expect(try host.number == .integer(2))
    #expect(old.number == 1 && single.number == 1)
    #expect(host.registrations.map(\.name) == ["number", "object", "single"])
    withExtendedLifetime((old, single)) {
      #expect(!log.all.contains("debug org.example.versioned: is retired"))
    }
  }

  @Test("A file that has not changed is not reloaded", .inProcess)
  func unchanged() async throws {
    let plugin = try VersionedPlugin()
    let host = try plugin.lazyHost()
    await host.start()
    let single = try host.object(VersionedPlugin.single)
    #expect(try await !host.reload("org.example.versioned"))
    #expect(try host.object(VersionedPlugin.single) === single)
  }

  @Test("An open plugin is not reloaded if its file is touched or replaced by a copy", .inProcess)
  func sameContent() async throws {
    let plugin = try VersionedPlugin()
    let host = try plugin.lazyHost()
    await host.start()
    let single = try host.object(VersionedPlugin.single)
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: plugin.path)
    #expect(try await !host.reload("org.example.versioned"))
    try plugin.replace(number: 1)
    #expect(try await !host.reload("org.example.versioned"))
    await host.refresh()
    #expect(try host.object(VersionedPlugin.single) === single)
    #expect(host.states == ["versioned.so active"])
    // A new version still replaces it.
    try plugin.replace(number: 2)
    await host.refresh()
    #expect(try host.number == .integer(2))
  }

  @Test(
    "A retired plugin stays retired if its file is touched, rewritten or copied, until its content changes",
    arguments: [(true, true), (true, false), (false, true), (false, false)])
  func retiredContent(isProbed: Bool, isOpen: Bool) async throws {
    let plugin = try VersionedPlugin()
    var options = plugin.directory.options()
    options.probing = isProbed ? .newContent : .never
    options.loading = isOpen || !isProbed ? .eager : .lazy
    // The file is overwritten in place, which would destroy a mapped image.
    options.unloadsImages = true
    let host = PluginHost(options)
    await host.start()
    try host.retire("org.example.versioned")
    #expect(host.states == ["versioned.so retired"])
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: plugin.path)
    #expect(await !host.refresh())
    try plugin.directory.write("versioned.so", VersionedPlugin.library(number: 1))
    #expect(await !host.refresh())
    try plugin.replace(number: 1)
    #expect(await !host.refresh())
    #expect(host.states == ["versioned.so retired"])
    #expect(host.registrations.isEmpty)
    try plugin.replace(number: 2)
    #expect(await host.refresh())
    #expect(try host.number == .integer(2))
  }

  @Test(
    "A new version that cannot be used does not replace the old one, and the reload throws the reason",
    .inProcess,
    arguments: [
      ("bytes", Diagnosis.Code.notALibrary), ("nothing", .unreadable), ("FAILS", .refused),
      ("REQUIRES", .unmetRequirement), ("ID", .unknown),
    ])
  func refused(change: String, code: Diagnosis.Code) async throws {
    let plugin = try VersionedPlugin()
    let log = LogLines()
    let host = try plugin.lazyHost(log: log)
    await host.start()
    let single = try host.object(VersionedPlugin.single)
    switch change {
    case "bytes":
      let temporary = try plugin.directory.write(".new", [1, 2, 3])
      try #require(rename(temporary, plugin.path) == 0)
    case "nothing": try FileManager.default.removeItem(atPath: plugin.path)
    case "FAILS": try plugin.replace(number: 2, ["FAILS": "1"])
    case "REQUIRES": try plugin.replace(number: 2, ["REQUIRES": "org.example.missing".quoted])
    default: try plugin.replace(number: 2, ["ID": "org.example.another".quoted])
    }
    let error = await #expect(throws: Diagnosis.self) { try await host.reload("org.example.versioned") }
    #expect(error?.code == code, "\(String(describing: error))")
    #expect(try host.object(VersionedPlugin.single) === single)
    #expect(try host.number == .integer(1))
    #expect(host.states == ["versioned.so active"])
    // A valid version still replaces it.
    try plugin.replace(number: 3)
    #expect(try await host.reload("org.example.versioned"))
    #expect(try host.number == .integer(3))
  }

  @Test("The log has the fault of a refused replacement once, and then which version stays")
  func refusedOnce() async throws {
    let plugin = try VersionedPlugin()
    let log = LogLines(from: .debug)
    let host = try plugin.lazyHost(log: log)
    await host.start()
    try plugin.replace(number: 2, ["FAILS": "1"])
    #expect(await host.refresh())
    let diagnosis = "was refused by its own entry, which returned TROUPE_FAILED and gave no reason"
    // In workers, another line says what they cannot run.
    func faults() -> [String] { log.texts.filter { !$0.hasPrefix("debug ") && !$0.contains("cannot be used in a worker") } }
    let first = faults()
    #expect(
      first == [
        "warning org.example.versioned: \(plugin.path) is rejected, since it \(diagnosis); report the reason with troupe_host.fail",
        "error org.example.versioned: 1.1.0 stays, since \(plugin.path) cannot replace it",
      ])
    #expect(await !host.refresh())
    #expect(faults() == first)
  }

  @Test("A rejected plugin is loaded once it is fixed")
  func fixed() async throws {
    let plugin = try VersionedPlugin()
    try plugin.replace(number: 1, ["FAILS": "1"])
    let host = try plugin.lazyHost()
    await host.start()
    #expect(host.states == ["versioned.so rejected"])
    try plugin.replace(number: 2)
    #expect(try await host.reload("org.example.versioned"))
    #expect(try host.number == .integer(2))
  }

  @Test("A new version that breaks the requirement of a dependent does not replace the old one", .inProcess)
  func dependents() async throws {
    let plugin = try VersionedPlugin()
    try plugin.replace(
      number: 7,
      ["ID": "org.example.dependent".quoted, "SUFFIX": "02".quoted, "REQUIRES": "org.example.versioned ^1.0.0".quoted],
      name: "dependent.so")
    let host = try plugin.lazyHost()
    await host.start()
    #expect(host.states == ["dependent.so admitted", "versioned.so admitted"])
    try plugin.replace(number: 2, ["VERSION": "2.0.0".quoted])
    let diagnosis = await #expect(throws: Diagnosis.self) { try await host.reload("org.example.versioned") }
    #expect(diagnosis?.code == .unmetRequirement)
    #expect(diagnosis?.problem.contains("org.example.dependent needs org.example.versioned ^1.0.0") == true)
    #expect(host.plugins.last?.manifest?.version.description == "1.1.0")
  }

  @Test("A refresh loads new plugins, replaces changed ones and retires missing ones", .inProcess)
  func refreshed() async throws {
    let plugin = try VersionedPlugin()
    let host = try plugin.lazyHost()
    await host.start()
    #expect(await !host.refresh())
    try plugin.replace(number: 7, ["ID": "org.example.other".quoted, "SUFFIX": "02".quoted], name: "other.so")
    #expect(await host.refresh())
    #expect(host.states == ["other.so admitted", "versioned.so admitted"])
    #expect(try host.numbers == [1, 1, 7, 7])
    try plugin.replace(number: 2)
    #expect(await host.refresh())
    #expect(try host.numbers == [2, 2, 7, 7])
    try FileManager.default.removeItem(atPath: plugin.directory.directory.file("other.so"))
    #expect(await host.refresh())
    #expect(host.states == ["versioned.so active"])
    #expect(try host.numbers == [2, 2])
    #expect(await !host.refresh())
  }

  @Test("A plugin whose file is renamed stays active", .inProcess)
  func moved() async throws {
    let plugin = try VersionedPlugin()
    let host = try plugin.lazyHost()
    await host.start()
    let single = try host.object(VersionedPlugin.single)
    try #require(rename(plugin.path, plugin.directory.directory.file("a.so")) == 0)
    #expect(await host.refresh())
    #expect(host.states == ["a.so active"])
    #expect(try host.object(VersionedPlugin.single).number == 1)
    withExtendedLifetime(single) {}
  }

  @Test(
    "An earlier file with the same id replaces a plugin, and its removal restores it, with or without a refresh between",
    .inProcess
  )
  func precedence() async throws {
    let plugin = try VersionedPlugin()
    let log = LogLines()
    let host = try plugin.lazyHost(log: log)
    await host.start()
    let path = plugin.directory.directory.file("a.so")
    for refreshesBetween in [true, false] {
      try plugin.replace(number: 2, name: "a.so")
      #expect(await host.refresh())
      #expect(try host.numbers == [2, 2])
      #expect(host.states == ["a.so active", "versioned.so rejected"])
      if refreshesBetween { #expect(await !host.refresh()) }
      try FileManager.default.removeItem(atPath: path)
      #expect(await host.refresh())
      #expect(try host.numbers == [1, 1])
      #expect(host.states == ["versioned.so active"])
    }
    #expect(log.all.isEmpty, "\(log.all)")
  }

  @Test("A plugin with a missing requirement is admitted once the requirement exists, and rejected without it", .inProcess)
  func later() async throws {
    let plugin = try VersionedPlugin()
    try FileManager.default.removeItem(atPath: plugin.path)
    try plugin.replace(
      number: 7, ["ID": "org.example.dependent".quoted, "SUFFIX": "02".quoted, "REQUIRES": "org.example.versioned".quoted],
      name: "dependent.so")
    let host = try plugin.lazyHost()
    await host.start()
    #expect(host.states == ["dependent.so rejected"])
    try plugin.replace(number: 1)
    #expect(await host.refresh())
    #expect(host.states == ["dependent.so admitted", "versioned.so admitted"])
    try FileManager.default.removeItem(atPath: plugin.path)
    #expect(await host.refresh())
    #expect(host.states == ["dependent.so rejected"])
    #expect(host.registrations.isEmpty)
  }

  @Test("A file that is open for writing is not loaded until it is closed")
  func writing() async throws {
    let plugin = try VersionedPlugin()
    let host = try plugin.lazyHost()
    await host.start()
    #expect(try host.number == .integer(1))
    let bytes = try VersionedPlugin.library(number: 2)
    let temporary = try plugin.directory.write(".new", bytes)
    try setMode(0o755, of: temporary)
    let writer = try WritingProcess(of: temporary)
    try #require(rename(temporary, plugin.path) == 0)
    #expect(await !host.refresh())
    let diagnosis = await #expect(throws: Diagnosis.self) { try await host.reload("org.example.versioned") }
    #expect(diagnosis?.code == .changed)
    #expect(
      diagnosis?.problem.hasPrefix("is open for writing in the process \(writer.processID) (") == true,
      "\(String(describing: diagnosis))")
    #expect(try host.number == .integer(1))
    try writer.close()
    #expect(await host.refresh())
    #expect(try host.number == .integer(2))
  }
}
