import Foundation
import TestSupport
import Testing

@testable import TroupeFiles
@testable import TroupeHost
@testable import TroupeSandbox

@Suite("The quarantine")
struct QuarantineTests {
  private static let fault = Diagnosis(
    .crashed, "/a.so", problem: "crashed", remedy: "fix it", backtrace: ["a.so+0x1", "b.so+0x2"])
  private let directory: TemporaryDirectory
  private var quarantine: Quarantine { Quarantine(directory: directory.file("quarantine")) }

  init() throws { directory = try TemporaryDirectory() }

  private func add(_ content: UInt8, id: String) throws {
    try quarantine.add(self.content(content), id: id, Self.fault)
  }

  private func content(_ byte: UInt8) -> Quarantine.Content { Quarantine.Content(hash: ContentHash(of: [byte]), size: 1) }

  @Test("A missing directory is an empty quarantine, which can be cleared")
  func missing() throws {
    #expect(try quarantine.entries().isEmpty)
    #expect(try quarantine.clear().isEmpty)
    #expect(try quarantine.clear(id: "org.example.a").isEmpty)
  }

  @Test("An entry has all facts about its fault")
  func entries() throws {
    let before = Date(timeIntervalSinceNow: -1)
    try add(1, id: "org.example.a")
    let entry = try #require(try quarantine.entries().first)
    #expect(entry.id == "org.example.a" && entry.path == "/a.so" && entry.content == "\(ContentHash(of: [1]))")
    #expect(entry.code == "crashed" && entry.problem == "crashed" && entry.remedy == "fix it")
    #expect(entry.backtrace == ["a.so+0x1", "b.so+0x2"])
    #expect(entry.time >= before && entry.time <= Date())
    #expect(quarantine.diagnosis(of: content(1), path: "/other.so")?.problem == "crashed")
    #expect(quarantine.diagnosis(of: content(1), path: "/other.so")?.subject == "/other.so")
    #expect(quarantine.diagnosis(of: content(2), path: "/a.so") == nil)
  }

  @Test("A content has one entry, that of its last fault")
  func again() throws {
    try add(1, id: "org.example.a")
    try add(1, id: "org.example.b")
    #expect(try quarantine.entries().map(\.id) == ["org.example.b"])
  }

  @Test("Clearing removes the entries of one id, or all entries")
  func clear() throws {
    for (content, id) in [(1, "org.example.a"), (2, "org.example.b"), (3, "org.example.a")] as [(UInt8, String)] {
      try add(content, id: id)
    }
    #expect(try quarantine.clear(id: "org.example.c").isEmpty)
    #expect(try quarantine.clear(id: "org.example.a").count == 2)
    #expect(try quarantine.entries().map(\.id) == ["org.example.b"])
    #expect(try quarantine.clear().map(\.id) == ["org.example.b"])
    #expect(try quarantine.entries().isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: quarantine.directory).isEmpty)
  }

  @Test("An entry that cannot be removed is an error, and the others are removed")
  func obstacle() throws {
    for content in 1...3 as ClosedRange<UInt8> { try add(content, id: "org.example.a") }
    let name = content(2).fileName
    try FileManager.default.removeItem(atPath: quarantine.directory + "/" + name)
    try FileManager.default.createDirectory(atPath: quarantine.directory + "/" + name, withIntermediateDirectories: false)
    let diagnosis = try #require(throws: Diagnosis.self) { try quarantine.clear() }
    #expect(diagnosis.code == .inputOutput)
    #expect(diagnosis.subject == quarantine.directory + "/" + name)
    #expect(try quarantine.contents() == [content(2)])
  }

  @Test("A content with a damaged entry stays in quarantine, and only clearing all removes it")
  func damaged() throws {
    try add(1, id: "org.example.a")
    let content = content(1)
    let file = "\(quarantine.directory)/\(content.hash)-1.json"
    for text in ["", "{}", "nonsense", String(repeating: " ", count: 2 << 20)] {
      try Data(text.utf8).write(to: URL(filePath: file))
      let entry = try #require(try quarantine.entries().first)
      #expect(entry.id == nil && entry.path == nil && entry.content == "\(content.hash)" && entry.code == "notProbed")
      #expect(try quarantine.clear(id: "org.example.a").isEmpty)
      let diagnosis = try #require(quarantine.diagnosis(of: content, path: "/a.so"))
      #expect(diagnosis.reason == "is in quarantine, for a reason that cannot be read; remove \(file) to probe it again")
    }
    #expect(try quarantine.clear().map(\.content) == ["\(content.hash)"])
    #expect(try quarantine.contents().isEmpty)
  }

  @Test("Clearing keeps files that are not entries")
  func others() throws {
    try add(1, id: "org.example.a")
    let hash = ContentHash(of: [1])
    let names = ["README", "notes.json", "\(hash).json", "\(hash)--1.json", "\(hash)-1-1.json", "\(hash)-a.json", "\(hash)-1"]
    for name in names { try directory.write("quarantine/\(name)", "{}".utf8) }
    #expect(try quarantine.contents() == [content(1)])
    #expect(try quarantine.entries().count == 1)
    try quarantine.clear()
    #expect(try Set(FileManager.default.contentsOfDirectory(atPath: quarantine.directory)) == Set(names))
  }

  @Test("An unreadable quarantine is an error with its path")
  func unreadable() throws {
    try directory.write("quarantine", "".utf8)
    #expect(throws: Diagnosis.self) { try quarantine.entries() }
    #expect(throws: Diagnosis.self) { try quarantine.clear() }
    let diagnosis = try #require(throws: Diagnosis.self) { try quarantine.add(content(1), id: "a", Self.fault) }
    #expect(diagnosis.code == .inputOutput)
    #expect(diagnosis.subject == quarantine.directory)
  }
}
