import Foundation
import TestSupport
import Testing

@testable import TroupeFiles

@Suite("Processes that have a plugin's file open for writing")
struct FileWritersTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func writers(_ path: String) throws -> FileWriters {
    let file = try FileHandle(forReadingFrom: URL(filePath: path))
    defer { try? file.close() }
    return FileWriters(of: file.fileDescriptor)
  }

  @Test("A forked process that is about to run another program differs from a program that keeps the file open")
  func forked() throws {
    let path = directory.file("a.so")
    let shell = try ForkedShell(path, keepsFile: true)
    let forked = try writers(path)
    #expect(forked.willRunAnotherProgram)
    #expect(forked.first?.name == "sh")
    #expect(RegularFile.isBeingWritten(path, patience: .zero))
    shell.runProgram()
    try shell.waitForProgram()
    let program = try writers(path)
    #expect(!program.willRunAnotherProgram)
    #expect(program.first?.name == "cat")
    #expect(RegularFile.isBeingWritten(path))
    #expect(RegularFile.writtenProblem(path).contains("(cat)"))
  }

  @Test("A file that only a forked process had open is not being written once that runs another program")
  func released() throws {
    let path = directory.file("a.so")
    let shell = try ForkedShell(path)
    #expect(RegularFile.isBeingWritten(path, patience: .zero))
    shell.runProgram()
    #expect(!RegularFile.isBeingWritten(path, patience: .seconds(600)))
    try shell.waitForProgram()
  }
}
