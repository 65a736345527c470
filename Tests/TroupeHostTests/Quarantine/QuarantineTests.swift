import Foundation
import TestSupport
import Testing

@testable import TroupeHost

@Suite("The quarantine")
struct QuarantineTests {
  private let directory: TemporaryDirectory
  private var quarantine: Quarantine { Quarantine(directory: directory.file("quarantine")) }

  init() throws { directory = try TemporaryDirectory() }

  private func add(_ content: UInt8, id: String) throws {
    try quarantine.add(ContentHash(of: [content]), id: id, .sample)
  }

  @Test("is empty where there is no directory, and clearing it is fine")
  func missing() throws {
    #expect(try quarantine.entries().isEmpty)
    #expect(try quarantine.clear().isEmpty)
    #expect(try quarantine.clear(id: "org.example.a").isEmpty)
  }

  @Test("has everything about what was added, the oldest first")
  func entries() throws {
    let before = Date(timeIntervalSinceNow: -1)
    try add(1, id: "org.example.a")
    let entry = try #require(try quarantine.entries().first)
    #expect(entry.id == "org.example.a" && entry.path == "/a.so" && entry.content == "\(ContentHash(of: [1]))")
    #expect(entry.code == "crashed" && entry.problem == "crashed" && entry.remedy == "mend it")
    #expect(entry.backtrace == ["a.so+0x1", "b.so+0x2"])
    #expect(entry.time >= before && entry.time <= Date())
    #expect(quarantine.fault(of: ContentHash(of: [1]), path: "/other.so")?.problem == "crashed")
    #expect(quarantine.fault(of: ContentHash(of: [1]), path: "/other.so")?.path == "/other.so")
    #expect(quarantine.fault(of: ContentHash(of: [2]), path: "/a.so") == nil)
  }

  @Test("has a content once, with what happened last")
  func again() throws {
    try add(1, id: "org.example.a")
    try add(1, id: "org.example.b")
    #expect(try quarantine.entries().map(\.id) == ["org.example.b"])
  }

  @Test("is cleared of an id, whatever the contents, or of everything")
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

  @Test("keeps a content whose entry is damaged, says so, and is cleared of it with everything")
  func damaged() throws {
    try add(1, id: "org.example.a")
    let content = ContentHash(of: [1])
    let file = "\(quarantine.directory)/\(content).json"
    for text in ["", "{}", "nonsense", String(repeating: " ", count: 2 << 20)] {
      try Data(text.utf8).write(to: URL(filePath: file))
      #expect(try quarantine.entries().isEmpty)
      let fault = try #require(quarantine.fault(of: content, path: "/a.so"))
      #expect(fault.reason == "is in quarantine, for a reason that cannot be read; remove \(file) to have it tried again")
    }
    #expect(try quarantine.clear().isEmpty)
    #expect(try quarantine.contents().isEmpty)
  }

  @Test("leaves files alone that are not its own")
  func others() throws {
    try add(1, id: "org.example.a")
    try directory.write("quarantine/notes.json", "{}".utf8)
    try directory.write("quarantine/README", "".utf8)
    #expect(try quarantine.entries().count == 1)
    try quarantine.clear()
    #expect(try FileManager.default.contentsOfDirectory(atPath: quarantine.directory).sorted() == ["README", "notes.json"])
  }

  @Test("that cannot be read is an error with its path")
  func unreadable() throws {
    try directory.write("quarantine", "".utf8)
    #expect(throws: QuarantineError.self) { try quarantine.entries() }
    do {
      try quarantine.clear()
    } catch {
      #expect("\(error)" == "\(quarantine.directory): cannot be read: not a directory; check its permissions")
    }
    #expect(throws: SystemError(code: ENOTDIR)) { try quarantine.add(ContentHash(of: [1]), id: "a", .sample) }
  }
}
