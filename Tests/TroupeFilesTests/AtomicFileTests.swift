import Foundation
import TestSupport
import Testing

@testable import TroupeFiles

@Suite("Atomic writes of files")
struct AtomicFileTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func names(_ subdirectory: String = "") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.file(subdirectory)).sorted()
  }

  private func content(_ name: String) throws -> String { try String(contentsOfFile: directory.file(name), encoding: .utf8) }

  @Test("A write creates private directories and replaces an existing file")
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

  @Test("A failed write keeps the old file and leaves no temporary file")
  func failure() throws {
    try AtomicFile.write(Array("one".utf8), to: directory.file("file"))
    // A rename cannot replace a directory that is not empty.
    try AtomicFile.write(Array("one".utf8), to: directory.file("directory/file"))
    #expect(throws: SystemError.self) { try AtomicFile.write(Array("two".utf8), to: directory.file("directory")) }
    #expect(throws: SystemError(code: ENOTDIR)) { try AtomicFile.write([], to: directory.file("file/below")) }
    #expect(try content("file") == "one")
    #expect(try names() == ["directory", "file"])
    #expect(try content("directory/file") == "one")
  }

  @Test("A write without enough space keeps the old file and leaves no temporary file")
  func noRoom() async throws {
    try AtomicFile.write(Array("one".utf8), to: directory.file("file"))
    let path = directory.file("file")
    await #expect(processExitsWith: .success) { [path = path as String] in
      // By default a write beyond the limit ends the process with a signal.
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

  @Test("A write removes temporary files of the same name that are older than an hour")
  func leftovers() throws {
    let old = try directory.write(".file.1.1.troupe-partial", "half".utf8)
    let new = try directory.write(".file.1.2.troupe-partial", "half".utf8)
    let other = try directory.write(".other.1.1.troupe-partial", "half".utf8)
    for path in [old, other] {
      try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -4000)], ofItemAtPath: path)
    }
    try AtomicFile.write([], to: directory.file("file"))
    #expect(try names() == [".file.1.2.troupe-partial", ".other.1.1.troupe-partial", "file"])
    #expect(FileManager.default.fileExists(atPath: new))
  }

  @Test("A write in its own directory removes the old temporary files of all names")
  func ownDirectory() throws {
    for name in [".file.1.1.troupe-partial", ".other.1.1.troupe-partial", ".other.1.x.troupe-partial", ".hidden"] {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -4000)], ofItemAtPath: try directory.write(name, "half".utf8))
    }
    try directory.write(".other.1.2.troupe-partial", "half".utf8)
    try AtomicFile.write([], to: directory.file("file"), ownsDirectory: true)
    #expect(try names() == [".hidden", ".other.1.2.troupe-partial", ".other.1.x.troupe-partial", "file"])
  }
}
