import Foundation
import TestSupport
import Testing
import TroupeHost

@Suite("Paths that Swift and the system interpret differently") struct PathTests {
  @Test("A name that begins with a combining mark does not hide its directory", arguments: ["\u{301}x.so", "\u{FE0F}x.so"])
  func combiningMark(name: String) throws {
    let directory = try PluginDirectory()
    let plugin = try directory.add("healthy/empty.c")
    let marked = (plugin as NSString).deletingLastPathComponent + "/" + name
    try FileManager.default.moveItem(atPath: plugin, toPath: marked)
    try setMode(0o777, of: (plugin as NSString).deletingLastPathComponent)
    let fault = try #require(directory.host().discover().first?.state.fault)
    #expect(fault.code == .untrusted)
    #expect(fault.problem.contains(directory.path))
  }

  @Test("Two spellings of a letter are two directories")
  func spellings() throws {
    let directory = try TemporaryDirectory()
    let library = try Repo.compile([Repo.fixture("healthy/empty.c")], to: directory.file("empty.so"))
    for (name, mode) in [("\u{E9}", 0o755), ("e\u{301}", 0o777)] {
      try FileManager.default.createDirectory(atPath: directory.file(name), withIntermediateDirectories: true)
      try copyFile(library, to: directory.file(name) + "/empty.so")
      try setMode(mode, of: directory.file(name))
    }
    let host = PluginHost(directories: [directory.file("\u{E9}"), directory.file("e\u{301}")])
    #expect(host.discover().map(\.state.name) == ["admitted", "rejected"])
  }

  @Test("A path with a $, which the loader would expand, is refused")
  func dollar() throws {
    let directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: directory.file("$LIB"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    try Repo.compile([Repo.fixture("healthy/empty.c")], to: directory.file("$LIB/empty.so"))
    let fault = try #require(PluginHost(directories: [directory.file("$LIB")]).discover().first?.state.fault)
    #expect(fault.problem.hasPrefix("has a $ in its path"))
  }

  @Test("A plugin that is replaced after it was examined is not loaded")
  func replaced() throws {
    let directory = try PluginDirectory()
    let plugin = try directory.add("healthy/empty.c")
    let host = directory.host()
    #expect(host.discover().map(\.state.name) == ["admitted"])
    let copy = plugin + ".new"
    try copyFile(plugin, to: copy)
    #expect(rename(copy, plugin) == 0)
    host.load()
    let fault = try #require(host.plugins.first?.state.fault)
    #expect(fault.code == .changed)
    #expect(fault.problem == "has changed since it was examined")
  }
}
