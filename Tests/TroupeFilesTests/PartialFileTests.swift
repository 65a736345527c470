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
    var partial = try PartialFile(for: folder.file("file"), mode: 0o600)
    #expect(write(partial.file.number, "new", 3) == 3)
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

  @Test("A long name of any length has a temporary name, and a directory is not replaced")
  func names255() throws {
    let long = String(repeating: "é", count: 127) + "x"
    var partial = try PartialFile(for: folder.file(long), mode: 0o600)
    try partial.complete()
    #expect(try names() == [long])
    try FileManager.default.createDirectory(atPath: folder.file("directory"), withIntermediateDirectories: false)
    var other = try PartialFile(for: folder.file("directory"), mode: 0o600)
    #expect(throws: SystemError.self) { try other.complete() }
  }

  @Test("Only old temporary files of the named files are removed")
  func stale() throws {
    let old = [".a.1.2", ".b.1.2", ".a.b.1.2", "a", ".a", ".a.1.x", ".1.2"]
    for name in old + [".a.3.4"] { try folder.write(name, []) }
    for name in old {
      try #require(
        utimes(folder.file(name), [timeval](repeating: timeval(tv_sec: time(nil) - 7200, tv_usec: 0), count: 2)) == 0)
    }
    PartialFile.removeStale(in: folder.path, of: ["a"])
    #expect(try Set(names()) == Set(old + [".a.3.4"]).subtracting([".a.1.2"]))
    PartialFile.removeStale(in: folder.path, of: nil)
    #expect(try Set(names()) == ["a", ".a", ".a.1.x", ".1.2", ".a.3.4"])
  }
}
