import Foundation
import Synchronization
import TestSupport
import Testing

@testable import TroupeFiles

@Suite("Files of plugins")
struct RegularFileTests {
  @Test("A file is being written while it is open for writing, and only then")
  func written() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("a.so", "a".utf8)
    #expect(!RegularFile.isBeingWritten(path))
    let reader = try FileHandle(forReadingFrom: URL(filePath: path))
    #expect(!RegularFile.isBeingWritten(path))
    let writer = try WritingProcess(of: path)
    #expect(RegularFile.isBeingWritten(path))
    try writer.close()
    try reader.close()
    #expect(!RegularFile.isBeingWritten(path))
    #expect(!RegularFile.isBeingWritten(directory.file("missing.so")))
  }

  @Test("A thread that opens a file for writing during the check does not end the process")
  func leaseBroken() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("a.so", "a".utf8)
    let isOver = Atomic(false)
    let writer = JoinableThread {
      while !isOver.load(ordering: .relaxed) { close(open(path, O_WRONLY | O_NONBLOCK)) }
    }
    for _ in 0..<200 { _ = RegularFile.isBeingWritten(path) }
    isOver.store(true, ordering: .relaxed)
    writer.join()
  }
}
