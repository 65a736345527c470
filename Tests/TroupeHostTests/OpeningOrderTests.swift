import Foundation
import TestSupport
import Testing
import TroupeHost

/// The order in which a host that opens all plugins opens their images and runs their entries.
@Suite("The order in which plugins are opened")
struct OpeningOrderTests {
  private let directory: PluginDirectory

  init() throws { directory = try PluginDirectory() }

  private var file: String { directory.directory.file("steps") }

  private func add(_ name: String, requires: String? = nil, options: [String] = []) throws {
    let needs = requires.map { "TROUPE_REQUIRES(\("org.example.\($0)".quoted))" } ?? ""
    try directory.add(
      "healthy/steps.c", as: name, ["ID": "org.example.\(name)".quoted, "STEPS": file.quoted, "REQUIRES": needs],
      options: options)
  }

  private func steps() throws -> [String] {
    try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map {
      String($0.trimmingPrefix("org.example."))
    }
  }

  @Test("All plugins without requirements are opened before the first of them registers, in their order", .inProcess)
  func independent() throws {
    for name in ["a", "b", "c"] { try add(name) }
    let host = directory.host()
    try host.load()
    #expect(host.states == ["a.so loaded", "b.so loaded", "c.so loaded"])
    #expect(try steps() == ["a opened", "b opened", "c opened", "a registers", "b registers", "c registers"])
  }

  @Test("A plugin is opened after its requirement has registered, and not at all if that failed", .inProcess)
  func dependent() throws {
    try add("a")
    try add("b", requires: "a")
    try add("c", options: ["-DFAILS"])
    try add("d", requires: "c")
    try add("e")
    let host = directory.host()
    try host.load()
    #expect(host.states == ["a.so loaded", "b.so loaded", "c.so rejected", "d.so rejected", "e.so loaded"])
    #expect(
      try steps() == [
        "a opened", "a registers", "b opened", "b registers", "c opened", "c registers", "e opened", "e registers",
      ])
  }

  @Test("A plugin that cannot be opened does not affect its neighbors", .inProcess)
  func faulty() throws {
    try add("a")
    try add("b", options: ["-DMISSES"])
    try add("c")
    let host = directory.host()
    try host.load()
    #expect(host.states == ["a.so loaded", "b.so rejected", "c.so loaded"])
    #expect(host.plugins[1].state.diagnosis?.code == .notLoadable)
    #expect(try steps() == ["a opened", "c opened", "a registers", "c registers"])
  }
}
