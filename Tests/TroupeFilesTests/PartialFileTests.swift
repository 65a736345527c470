import Foundation
import TestSupport
import Testing

@testable import TroupeFiles

@Suite("PartialFile") struct PartialFileTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }

  @Test("A file appears when it is complete, and replaces the former one")
  func complete() throws {
    try folder.write("file", "former".utf8)
    let partial = try PartialFile(for: folder.file("file"), mode: 0o600)
    #expect(write(partial.file.rawValue, "new", 3) == 3)
    #expect(try String(contentsOfFile: folder.file("file"), encoding: .utf8) == "former")
    #expect(try names().count == 2)
    try partial.complete()
    #expect(try String(contentsOfFile: folder.file("file"), encoding: .utf8) == "new")
    #expect(try names() == ["file"])
  }

  @Test("A file that is not completed disappears")
  func release() throws {
    do {
      let partial = try PartialFile(for: folder.file("file"), mode: 0o600)
      #expect(try names().count == 1 && partial.temporaryPath.hasPrefix(folder.path + "/.file."))
    }
    #expect(try names() == [])
  }

  @Test("A name of 255 bytes has a shorter temporary name")
  func longName() throws {
    let name = String(repeating: "é", count: 127) + "x"
    let partial = try PartialFile(for: folder.file(name), mode: 0o600)
    #expect(try names().allSatisfy { $0.utf8.count <= 255 && $0 != name })
    try partial.complete()
    #expect(try names() == [name])
  }

  @Test("A file does not replace a directory")
  func directory() throws {
    try FileManager.default.createDirectory(atPath: folder.file("directory"), withIntermediateDirectories: false)
    #expect(throws: SystemError.self) {
      let partial = try PartialFile(for: folder.file("directory"), mode: 0o600)
      try partial.complete()
    }
    #expect(try names() == ["directory"])
  }

  @Test("Only old temporary files of the named files are removed")
  func stale() throws {
    let combining = "\u{301}x"
    let old = [
      ".a.1.2.troupe-partial", ".\(combining).1.2.troupe-partial", ".b.1.2.troupe-partial", ".a.b.1.2.troupe-partial", "a",
      ".a",
      ".a.1.2", ".a.1.x.troupe-partial", ".1.2.troupe-partial",
    ]
    for name in old + [".a.3.4.troupe-partial"] { try folder.write(name, []) }
    for name in old {
      let time = timeval(tv_sec: time(nil) - 7200, tv_usec: 0)
      try #require(utimes(folder.file(name), [time, time]) == 0)
    }
    PartialFile.removeStale(in: folder.path, of: ["a", combining])
    #expect(try Set(names()) == Set(old.dropFirst(2) + [".a.3.4.troupe-partial"]))
    PartialFile.removeStale(in: folder.path, of: nil)
    #expect(
      try Set(names()) == ["a", ".a", ".a.1.2", ".a.1.x.troupe-partial", ".1.2.troupe-partial", ".a.3.4.troupe-partial"])
  }
}
