import Foundation
import TestSupport
import Testing

@testable import TroupeFiles
@testable import TroupeHost
@testable import TroupeSandbox

@Suite("Rediscovery")
struct RediscoveryTests {
  private let directory: PluginDirectory

  init() throws { directory = try PluginDirectory() }

  private func examine(_ path: String) -> PluginFile {
    var admission = Admission()
    return PluginFile(path, admission.examine(.path(path)))
  }

  private func rediscover(_ findings: [PluginFile], after previous: [PluginRecord] = []) -> Rediscovery {
    Rediscovery(
      findings, previous: DiscoveredPlugins(records: previous, order: [], needs: previous.map { _ in [] }), only: nil,
      failed: [:],
      makeRecord: record)
  }

  private func record(_ finding: PluginFile, _ diagnosis: Diagnosis?) -> PluginRecord {
    PluginRecord(
      path: finding.path, outcome: finding.outcome, diagnosis: diagnosis, isProbed: true,
      events: PluginEvents(log: Log(from: .error) { _ in }), container: Container())
  }

  @Test("A faulty file that changed after it was examined is left for the next refresh")
  func stale() throws {
    let library = try PluginDirectory.library("healthy/empty.c")
    let path = try directory.write("a.so", library.prefix(library.count / 2))
    let half = examine(path)
    #expect(half.outcome.diagnosis?.code == .notALibrary)
    let change = rediscover([half])
    #expect(change.unfinished.isEmpty && change.new.map { $0.diagnosis?.code } == [.notALibrary])
    try directory.write("a.so", library)
    let stale = rediscover([half])
    #expect(stale.unfinished == [path] && stale.new.isEmpty && stale.refused.isEmpty)
    // The complete file replaces the faulty one in the next refresh.
    let known = record(half, half.outcome.diagnosis)
    try directory.write("b.so", [])
    #expect(rediscover([examine(path)], after: [known]).new.map { $0.diagnosis?.code } == [nil])
    let other = record(examine(directory.directory.file("b.so")), nil)
    #expect(rediscover([half], after: [other]).gone.first === other)
  }

  @Test("A plugin whose adopted library is open for writing is left for the next refresh")
  func adopted() throws {
    let (file, library) = try AdoptionTests.add(to: directory)
    let finding = examine(file)
    #expect(finding.outcome.diagnosis == nil)
    #expect(rediscover([finding]).unfinished.isEmpty)
    let writer = try WritingProcess(of: library)
    #expect(rediscover([finding]).unfinished == [file])
    try writer.close()
    #expect(rediscover([finding]).new.count == 1)
  }

  @Test("A file that was removed during the examination has vanished, unlike a dangling link")
  func vanished() throws {
    let path = directory.directory.file("a.so")
    #expect(examine(path).hasVanished)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "b.so")
    #expect(!examine(path).hasVanished)
    try FileManager.default.removeItem(atPath: path)
    try directory.write("a.so", [])
    let finding = examine(path)
    try FileManager.default.removeItem(atPath: path)
    #expect(!finding.hasVanished && !finding.isCurrent)
  }
}
