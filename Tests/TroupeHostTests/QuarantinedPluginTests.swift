import Foundation
import TestSupport
import Testing

@testable import TroupeFiles
@testable import TroupeHost
@testable import TroupeSandbox

@Suite("Plugins in quarantine")
struct QuarantinedPluginTests {
  @Test("A plugin of another size is admitted without being read; one of the same size is compared by content", .inProcess)
  func sizes() throws {
    let plugin = try VersionedPlugin()
    let quarantine = Quarantine(directory: plugin.directory.directory.file("quarantine"))
    func states() throws -> [String] {
      let host = try plugin.lazyHost()
      host.discover()
      return host.states
    }
    let bytes = Array(try Data(contentsOf: URL(filePath: plugin.path)))
    let size = Int64(bytes.count)
    // An entry with the right hash but a wrong size does not match, because the file is not read.
    try quarantine.add(Quarantine.Content(hash: ContentHash(of: bytes), size: size + 1), id: "org.example.a", .sample)
    #expect(try states() == ["versioned.so admitted"])
    try quarantine.add(Quarantine.Content(hash: ContentHash(of: [1]), size: size), id: "org.example.a", .sample)
    #expect(try states() == ["versioned.so admitted"])
    try quarantine.add(Quarantine.Content(hash: ContentHash(of: bytes), size: size), id: "org.example.a", .sample)
    #expect(try states() == ["versioned.so quarantined"])
  }

  @Test("A quarantined plugin frees its id for another file, until the quarantine is cleared", .inProcess)
  func identifier() async throws {
    let plugin = try VersionedPlugin()
    let directory = plugin.directory
    let quarantine = Quarantine(directory: directory.directory.file("quarantine"))
    let harmful = try VersionedPlugin.library(number: 1)
    try directory.write("a.so", harmful)
    try plugin.replace(number: 2)
    try quarantine.add(
      Quarantine.Content(hash: ContentHash(of: harmful), size: Int64(harmful.count)), id: "org.example.versioned", .sample)
    let host = try plugin.lazyHost()
    await host.start()
    #expect(host.states == ["a.so quarantined", "versioned.so admitted"])
    #expect(try host.number == .integer(2))
    try quarantine.clear()
    #expect(await host.refresh())
    #expect(host.states == ["a.so active", "versioned.so rejected"])
    #expect(try host.number == .integer(1))
  }
}

extension Diagnosis {
  fileprivate static let sample = Diagnosis(
    .crashed, "/a.so", problem: "crashed", remedy: "fix it", backtrace: ["a.so+0x1", "b.so+0x2"])
}
