import Foundation
import TestSupport
import Testing

@testable import TroupeFiles
@testable import TroupeHost
@testable import TroupeSandbox

@Suite("Plugins whose file is open for writing")
struct WrittenPluginTests {
  private let directory: PluginDirectory

  init() throws { directory = try PluginDirectory() }

  @Test("A plugin whose file a forked process has open during its probe is probed again, and works", .inProcess)
  func probed() async throws {
    let plugin = try VersionedPlugin()
    let shell = try ForkedShell(plugin.path)
    var options = plugin.directory.options()
    (options.loading, options.probing) = (.lazy, .newContent)
    let count = Counter()
    options.progress = { progress in
      guard progress.done == 1 else { return }
      count.add()
      if count.value == 1 { shell.runProgram() }
    }
    let host = PluginHost(options)
    await host.start()
    #expect(count.value >= 2)
    #expect(try host.object().number == 1)
    try shell.waitForProgram()
  }

  @Test("The fault of a file that is being written names the file once, also if it was found through a link")
  func linked() async throws {
    let plugin = try VersionedPlugin()
    let link = directory.directory.file("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: plugin.directory.path)
    let writer = try WritingProcess(of: plugin.path)
    defer { try? writer.close() }
    var options = plugin.directory.options()
    options.directories = [link]
    let host = PluginHost(options)
    await host.start()
    let diagnosis = try #require(host.plugins.first?.state.diagnosis)
    #expect(diagnosis.code == .changed)
    #expect(diagnosis.subject == link + "/versioned.so")
    #expect(!diagnosis.problem.contains("versioned.so"))
  }

  @Test("A plugin that was rejected since a process had its file open works after a refresh, though nothing was written")
  func refreshed() async throws {
    let plugin = try VersionedPlugin()
    let writer = try WritingProcess(of: plugin.path)
    let host = plugin.directory.host()
    await host.start()
    #expect(host.diagnosis(plugin.path)?.code == .changed)
    #expect(await !host.refresh())
    try writer.close()
    #expect(await host.refresh())
    #expect(host.states == ["versioned.so active"])
  }
}
