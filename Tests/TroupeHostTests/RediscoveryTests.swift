import Foundation
import TestSupport
import Testing

@testable import TroupeHost

@Suite("Looking again")
struct RediscoveryTests {
  private let directory: PluginDirectory

  init() throws { directory = try PluginDirectory() }

  private func examine(_ path: String) -> Discovery.Finding {
    var admission = Admission()
    return Discovery.Finding(path, admission.examine(.path(path)))
  }

  private func look(_ findings: [Discovery.Finding], after previous: [PluginRecord] = []) -> Rediscovery {
    Rediscovery(
      findings, previous: DiscoveredPlugins(records: previous, order: [], needs: previous.map { _ in [] }), only: nil,
      failed: [:],
      makeRecord: record)
  }

  private func record(_ finding: Discovery.Finding, _ fault: PluginFault?) -> PluginRecord {
    PluginRecord(
      path: finding.path, outcome: finding.outcome, fault: fault, isProbed: true,
      events: PluginEvents(log: Log(from: .error) { _ in }))
  }

  @Test("What was no good when it was examined, and has changed since, is left for the next time")
  func stale() throws {
    let library = try PluginDirectory.library("healthy/empty.c")
    let path = try directory.write("a.so", library.prefix(library.count / 2))
    let half = examine(path)
    #expect(half.outcome.fault?.code == .notALibrary)
    let change = look([half])
    #expect(change.unfinished.isEmpty && change.new.map { $0.fault?.code } == [.notALibrary])
    let writer = try #require(FileHandle(forWritingAtPath: path))
    try writer.seekToEnd()
    try writer.write(contentsOf: library.dropFirst(library.count / 2))
    try writer.close()
    let stale = look([half])
    #expect(stale.unfinished == [path] && stale.new.isEmpty && stale.refused.isEmpty)
    // What was there before stays.
    let known = record(half, half.outcome.fault)
    try directory.write("b.so", [])
    #expect(look([examine(path)], after: [known]).new.map { $0.fault?.code } == [nil])
    let other = record(examine(directory.directory.file("b.so")), nil)
    #expect(look([half], after: [other]).gone.first === other)
  }

  @Test("A library that somebody is writing, and that a file adopts, is left for the next time as well")
  func adopted() throws {
    let (file, library) = try AdoptionTests.add(to: directory)
    let finding = examine(file)
    #expect(finding.outcome.fault == nil)
    #expect(look([finding]).unfinished.isEmpty)
    let writer = try #require(FileHandle(forWritingAtPath: library))
    #expect(look([finding]).unfinished == [file])
    try writer.close()
    #expect(look([finding]).new.count == 1)
  }

  @Test("A file that went while it was looked at is not there, unlike a link that leads to nothing")
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
