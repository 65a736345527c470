import Foundation
import TestSupport
import Testing

@testable import TroupeFiles
@testable import TroupeHost
@testable import TroupeSandbox

@Suite("The difference between two scans")
struct DiscoveryDiffTests {
  private let directory: PluginDirectory

  init() throws { directory = try PluginDirectory() }

  private func examine(_ path: String) -> PluginFile {
    var admission = Admission()
    return PluginFile(path, admission.examine(.path(path)))
  }

  /// Compares files with those of an earlier scan, each with the fault of its own.
  private func difference(_ findings: [PluginFile], after previous: [PluginFile] = []) -> DiscoveryDiff {
    var table = PluginTable()
    table.list(
      DiscoveredPlugins(previous, LoadOrder([])),
      adding: previous.map { FoundPlugin(file: $0, diagnosis: $0.outcome.diagnosis) }, isProbed: true)
    return DiscoveryDiff(findings, table, only: nil)
  }

  @Test("A faulty file that changed after it was examined is left for the next refresh")
  func stale() throws {
    let library = try PluginDirectory.library("healthy/empty.c")
    let path = try directory.write("a.so", library.prefix(library.count / 2))
    let half = examine(path)
    #expect(half.outcome.diagnosis?.code == .notALibrary)
    let change = difference([half])
    #expect(change.unfinished.isEmpty && change.new.map { $0.diagnosis?.code } == [.notALibrary])
    try directory.write("a.so", library)
    let stale = difference([half])
    #expect(stale.unfinished == [path] && stale.new.isEmpty && stale.unreplaced.isEmpty)
    // The complete file replaces the faulty one in the next refresh.
    try directory.write("b.so", [])
    #expect(difference([examine(path)], after: [half]).new.map { $0.diagnosis?.code } == [nil])
    let other = examine(directory.directory.file("b.so"))
    #expect(difference([half], after: [other]).gone.first === other)
  }

  @Test("A plugin whose adopted library is open for writing is left for the next refresh")
  func adopted() throws {
    let (file, library) = try AdoptionTests.add(to: directory)
    let finding = examine(file)
    #expect(finding.outcome.diagnosis == nil)
    #expect(difference([finding]).unfinished.isEmpty)
    let writer = try WritingProcess(of: library)
    #expect(difference([finding]).unfinished == [file])
    try writer.close()
    #expect(difference([finding]).new.count == 1)
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
