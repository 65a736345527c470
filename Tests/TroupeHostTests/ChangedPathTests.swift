import Foundation
import TestSupport
import Testing
import TroupeHost

@Suite("Paths between discovery and load") struct ChangedPathTests {
  @Test("A plugin that is replaced after it was examined is not loaded")
  func replaced() throws {
    let directory = try PluginDirectory()
    let plugin = try directory.add("healthy/empty.c")
    let host = directory.host()
    #expect(host.discover().map(\.state.name) == ["admitted"])
    let copy = plugin + ".new"
    try copyFile(plugin, to: copy)
    #expect(rename(copy, plugin) == 0)
    try host.load()
    let diagnosis = try #require(host.plugins.first?.state.diagnosis)
    #expect(diagnosis.code == .changed)
    #expect(diagnosis.problem == "has changed since it was examined")
  }

  @Test("A plugin is found through \"..\", links and a relative path", arguments: ["../d", "./../d/../d", "link/../d", "l"])
  func relative(path: String) throws {
    let directory = try PluginDirectory()
    let work = try directory.makeDirectory("work")
    _ = try directory.makeDirectory("d")
    try directory.write("d/x.so", PluginDirectory.library("healthy/empty.c"))
    try FileManager.default.createSymbolicLink(atPath: work + "/link", withDestinationPath: "../d")
    try FileManager.default.createSymbolicLink(atPath: work + "/l", withDestinationPath: "link/.")
    let host = PluginHost(directories: [work + "/" + path, directory.directory.file("d")])
    #expect(host.discover().map(\.path) == [work + "/" + path + "/x.so"])
    try host.load()
    #expect(host.plugins.map(\.state.name) == ["loaded"])
  }
}
