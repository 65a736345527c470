import TestSupport
import Testing

@testable import TroupeFiles
@testable import TroupeHost
@testable import TroupeSandbox

@Suite("Descriptions of a host and its plugins")
struct DescriptionTests {
  private let directory: PluginDirectory

  init() throws { directory = try PluginDirectory() }

  @Test("A plugin's line names the id, version, language, state and file, and the reason of a rejection")
  func plugin() throws {
    let sound = try directory.add("healthy/empty.c")
    let faulty = try directory.add("faulty/no-manifest.c")
    let host = PluginHost(PluginHost.Options(directories: [directory.path]))
    try host.load()
    let lines = Dictionary(uniqueKeysWithValues: host.plugins.map { ($0.path, "\($0)") })
    #expect(lines[sound] == "org.example.empty 1.0.0 (c) loaded \(sound)")
    #expect(try lines[faulty] == "rejected \(#require(host.diagnosis(faulty)))")
    host.shutdown()
  }

  @Test("A host's line counts its plugins by state and its registrations, and names its directories")
  func host() throws {
    #expect("\(PluginHost(PluginHost.Options(directories: [])))" == "PluginHost: 0 plugins, 0 registrations from no directory")
    try directory.add("healthy/stage.c")
    try directory.add("faulty/no-manifest.c")
    let host = PluginHost(PluginHost.Options(directories: [directory.path]))
    try host.load()
    let line = "\(host)"
    #expect(line.hasPrefix("PluginHost: 2 plugins (1 "))
    #expect(line.contains("1 rejected") && line.hasSuffix("), 1 registration from \(directory.path)"), "\(line)")
    host.shutdown()
  }
}
