import Foundation
import TestSupport
import Testing

@testable import TroupeFiles

@Suite("PartialFile") struct PartialFileTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }

  @Test("A file appears when it is complete, and replaces the former one")
  func complete() throws {
    try directory.write("file", "former".utf8)
    let partial = try PartialFile(for: directory.file("file"), mode: 0o600)
    #expect(write(partial.file.rawValue, "new", 3) == 3)
    #expect(try String(contentsOfFile: directory.file("file"), encoding: .utf8) == "former")
    #expect(try names().count == 2)
    try partial.complete()
    #expect(try String(contentsOfFile: directory.file("file"), encoding: .utf8) == "new")
    #expect(try names() == ["file"])
  }

  @Test("A file that is not completed disappears")
  func release() throws {
    do {
      let partial = try PartialFile(for: directory.file("file"), mode: 0o600)
      #expect(try names().count == 1 && partial.temporaryPath.hasPrefix(directory.path + "/.file."))
    }
    #expect(try names() == [])
  }

  @Test("A name of 255 bytes has a shorter temporary name")
  func longName() throws {
    let name = String(repeating: "é", count: 127) + "x"
    let partial = try PartialFile(for: directory.file(name), mode: 0o600)
    #expect(try names().allSatisfy { $0.utf8.count <= 255 && $0 != name })
    try partial.complete()
    #expect(try names() == [name])
  }

  @Test("A file does not replace a directory")
  func replacesNoDirectory() throws {
    try FileManager.default.createDirectory(atPath: directory.file("directory"), withIntermediateDirectories: false)
    #expect(throws: SystemError.self) {
      let partial = try PartialFile(for: directory.file("directory"), mode: 0o600)
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
    for name in old + [".a.3.4.troupe-partial"] { try directory.write(name, []) }
    for name in old {
      let time = timeval(tv_sec: time(nil) - 7200, tv_usec: 0)
      try #require(utimes(directory.file(name), [time, time]) == 0)
    }
    PartialFile.removeStale(in: directory.path, of: ["a", combining])
    #expect(try Set(names()) == Set(old.dropFirst(2) + [".a.3.4.troupe-partial"]))
    PartialFile.removeStale(in: directory.path, of: nil)
    #expect(
      try Set(names()) == ["a", ".a", ".a.1.2", ".a.1.x.troupe-partial", ".1.2.troupe-partial", ".a.3.4.troupe-partial"])
  }
}
