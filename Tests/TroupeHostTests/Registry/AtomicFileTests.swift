import Foundation
import TestSupport
import Testing

@testable import TroupeHost

@Suite("A file that is there whole or not at all")
struct AtomicFileTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func names(_ folder: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.file(folder)).sorted()
  }

  private func content(_ name: String) throws -> String { try String(contentsOfFile: directory.file(name), encoding: .utf8) }

  @Test("is made with its directories, which nobody else may look into, and takes the place of another")
  func write() throws {
    try AtomicFile.write(Array("one".utf8), to: directory.file("a/b/file"))
    try AtomicFile.write(Array("two".utf8), to: directory.file("a/b/file"))
    #expect(try content("a/b/file") == "two")
    #expect(try names("a/b") == ["file"])
    for (path, mode) in [("a", S_IFDIR | 0o700), ("a/b", S_IFDIR | 0o700), ("a/b/file", S_IFREG | 0o600)] {
      var status = stat()
      #expect(stat(directory.file(path), &status) == 0 && status.st_mode == mode, "\(path)")
    }
  }

  @Test("is as it was if it cannot be written, and nothing is left beside it")
  func failure() throws {
    try AtomicFile.write(Array("one".utf8), to: directory.file("file"))
    // A directory that is not empty cannot be taken the place of.
    try AtomicFile.write(Array("one".utf8), to: directory.file("folder/file"))
    #expect(throws: SystemError.self) { try AtomicFile.write(Array("two".utf8), to: directory.file("folder")) }
    #expect(throws: SystemError(code: ENOTDIR)) { try AtomicFile.write([], to: directory.file("file/below")) }
    #expect(try content("file") == "one")
    #expect(try names() == ["file", "folder"])
    #expect(try content("folder/file") == "one")
  }

  @Test("is as it was if there is no room for the new one, and nothing is left beside it")
  func noRoom() async throws {
    try AtomicFile.write(Array("one".utf8), to: directory.file("file"))
    let path = directory.file("file")
    await #expect(processExitsWith: .success) { [path = path as String] in
      // Whoever writes beyond the limit is ended by a signal.
      var limit = rlimit(rlim_cur: 4096, rlim_max: 4096)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      do throws(SystemError) {
        try AtomicFile.write([UInt8](repeating: 0, count: 8192), to: path)
        exit(1)
      } catch {
        exit(error.code == EFBIG ? 0 : 2)
      }
    }
    #expect(try content("file") == "one")
    #expect(try names() == ["file"])
  }

  @Test("has what was left behind by somebody who ended half way removed after an hour")
  func leftovers() throws {
    let old = try directory.write(".file.1.1", "half".utf8)
    let new = try directory.write(".file.1.2", "half".utf8)
    let other = try directory.write(".other.1.1", "half".utf8)
    for path in [old, other] {
      try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -4000)], ofItemAtPath: path)
    }
    try AtomicFile.write([], to: directory.file("file"))
    #expect(try names() == [".file.1.2", ".other.1.1", "file"])
    #expect(FileManager.default.fileExists(atPath: new))
  }

  @Test("has the leavings of others removed as well where the directory is for such files only")
  func ownDirectory() throws {
    for name in [".file.1.1", ".other.1.1", ".other.1.x", ".hidden"] {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -4000)], ofItemAtPath: try directory.write(name, "half".utf8))
    }
    try directory.write(".other.1.2", "half".utf8)
    try AtomicFile.write([], to: directory.file("file"), ownsDirectory: true)
    #expect(try names() == [".hidden", ".other.1.2", ".other.1.x", "file"])
  }
}
