import Foundation
import TestSupport
import Testing
import TroupeHost

/// Loads plugins that require others.
@Suite("Plugins that need others")
struct RequirementTests {
  private let directory: PluginDirectory
  private let log = LogLines()

  init() throws { directory = try PluginDirectory() }

  private func add(_ name: String, requires: String..., provides: String? = nil, as definitions: [String: String] = [:]) throws
  {
    var facts: [String] = []
    if !requires.isEmpty { facts.append("TROUPE_REQUIRES(\(requires.map(\.quoted).joined(separator: ",")))") }
    if let provides { facts.append("TROUPE_PROVIDES(\(provides.quoted))") }
    var definitions = definitions
    definitions["ID"] = "org.example.\(name)".quoted
    definitions["REQUIRES"] = facts.joined(separator: ",")
    try directory.add("healthy/needy.c", as: name, definitions)
  }

  private static let thing = ["CONTRACT": "org.example.thing/1".quoted, "UUID": UUID().uuidString.quoted]

  @Test("A plugin is loaded and activated after its requirements", .inProcess)
  func order() async throws {
    try add("a", requires: "org.example.c ^1.0.0", "org.example.thing/1")
    try add("b")
    try add("c", requires: "org.example.b")
    try add("d", provides: "org.example.thing/1", as: Self.thing)
    let host = directory.host(log: log)
    await host.start()
    #expect(host.states == ["a.so active", "b.so active", "c.so active", "d.so active"])
    #expect(log.texts == ["b", "c", "d", "a"].map { "info org.example.\($0): loaded" })
  }

  @Test("A start with one plugin loads its requirements and no other plugin")
  func wanted() async throws {
    try add("a", requires: "org.example.c")
    try add("b")
    try add("c")
    let host = directory.host(log: log)
    await host.start { $0.manifest?.id == "org.example.a" }
    #expect(host.states == ["a.so active", "b.so admitted", "c.so active"])
  }

  @Test("A plugin with an unmet requirement is not loaded, and the others are")
  func unmet() async throws {
    try add("a", requires: "org.example.b ^2.0.0")
    try add("b")
    try add("c", requires: "org.example.a")
    let host = directory.host(log: log)
    await host.start()
    #expect(host.plugins.map(\.state.name) == ["rejected", "active", "rejected"])
    let diagnoses = host.plugins.compactMap(\.state.diagnosis)
    #expect(diagnoses.map(\.code) == [.unmetRequirement, .unmetRequirement])
    #expect(diagnoses[0].problem.contains(directory.directory.file("b.so")))
    #expect(diagnoses[1].problem.hasSuffix(diagnoses[0].problem))
    #expect(log.texts == ["info org.example.b: loaded"])
  }

  @Test("A plugin is rejected if its requirement fails to load")
  func failing() async throws {
    try add("a", as: ["FAILS": "1"])
    try add("b", requires: "org.example.a")
    try add("c", requires: "org.example.b")
    try add("d")
    let host = directory.host(log: log)
    await host.start()
    #expect(host.plugins.map(\.state.name) == ["rejected", "rejected", "rejected", "active"])
    let diagnoses = host.plugins.compactMap(\.state.diagnosis)
    #expect(diagnoses.map(\.code) == [.refused, .unmetRequirement, .unmetRequirement])
    for diagnosis in diagnoses { #expect(diagnosis.problem.contains(diagnoses[0].problem)) }
    #expect(log.texts == ["info org.example.a: loaded", "info org.example.d: loaded"])
  }

  @Test("A contract that is declared but not registered is missing")
  func promised() async throws {
    try add("a", requires: "org.example.thing/1")
    try add("b", provides: "org.example.thing/1")
    let host = directory.host(log: log)
    await host.start()
    #expect(
      host.plugins[0].state.diagnosis?.problem
        == "needs the contract org.example.thing/1, which no plugin registered, although a manifest declares it")
    #expect(host.plugins[0].state.diagnosis?.remedy == "let \(host.plugins[1].path) register it")
    #expect(host.plugins[1].state == .active)
  }

  @Test("Plugins that require each other are rejected, and the reason shows the cycle")
  func cycle() async throws {
    try add("a", requires: "org.example.b")
    try add("b", requires: "org.example.a")
    try add("c")
    let host = directory.host(log: log)
    await host.start()
    #expect(host.plugins.map(\.state.diagnosis?.code) == [.unmetRequirement, .unmetRequirement, nil])
    #expect(host.diagnosis(directory.directory.file("a.so"))?.problem.contains("a → org.example.b → org.example.a") == true)
  }
}
