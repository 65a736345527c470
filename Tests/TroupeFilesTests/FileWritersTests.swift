import Foundation
import TestSupport
import Testing

@testable import TroupeFiles
@testable import TroupeHost
@testable import TroupeProbing

@Suite("Processes that have a plugin's file open for writing")
struct FileWritersTests {
  /// A shell that forks a copy of itself. The copy opens a file for writing, creates it if necessary, and later runs `cat`.
  private final class ForkedShell: Sendable {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// Starts the shell and waits until it has forked.
    ///
    /// - Parameter keepsFile: Whether `cat` has the file open as well.
    init(_ path: String, keepsFile: Bool = false) throws {
      process.executableURL = URL(filePath: "/bin/sh")
      let closing = keepsFile ? "" : "3>&-"
      process.arguments = ["-c", "(echo forked; read line; exec cat \(closing)) 3>>\"$1\"; :", "sh", path]
      process.standardInput = input
      process.standardOutput = output
      try process.run()
      try #require(output.fileHandleForReading.availableData == Data("forked\n".utf8))
    }

    /// Lets the copy run `cat`. Does not wait for that.
    func runProgram() { input.fileHandleForWriting.write(Data("\n".utf8)) }

    /// Waits until `cat` runs.
    func waitForProgram() throws {
      input.fileHandleForWriting.write(Data("cat\n".utf8))
      try #require(output.fileHandleForReading.availableData == Data("cat\n".utf8))
    }

    deinit {
      try? input.fileHandleForWriting.close()
      process.waitUntilExit()
    }
  }

  private let directory: PluginDirectory

  init() throws { directory = try PluginDirectory() }

  private func writers(_ path: String) throws -> FileWriters {
    let file = try FileHandle(forReadingFrom: URL(filePath: path))
    defer { try? file.close() }
    return FileWriters(of: file.fileDescriptor)
  }

  @Test("A forked process that is about to run another program differs from a program that keeps the file open")
  func forked() throws {
    let path = directory.directory.file("a.so")
    let shell = try ForkedShell(path, keepsFile: true)
    let forked = try writers(path)
    #expect(forked.willRunAnotherProgram)
    #expect(forked.first?.name == "sh")
    #expect(PluginFile.isBeingWritten(path, patience: .zero))
    shell.runProgram()
    try shell.waitForProgram()
    let program = try writers(path)
    #expect(!program.willRunAnotherProgram)
    #expect(program.first?.name == "cat")
    #expect(PluginFile.isBeingWritten(path))
    #expect(PluginFile.writtenProblem(path).contains("(cat)"))
  }

  @Test("A file that only a forked process had open is not being written once that runs another program")
  func released() throws {
    let path = directory.directory.file("a.so")
    let shell = try ForkedShell(path)
    #expect(PluginFile.isBeingWritten(path, patience: .zero))
    shell.runProgram()
    #expect(!PluginFile.isBeingWritten(path, patience: .seconds(600)))
    try shell.waitForProgram()
  }

  @Test("A plugin whose file a forked process has open during its probe is probed again, and works", .inProcess)
  func probed() async throws {
    let plugin = try VersionedPlugin()
    let shell = try ForkedShell(plugin.path)
    var options = plugin.directory.options()
    (options.loading, options.probing) = (.lazy, .newContent)
    let count = Counter()
    options.progress = { progress in
      guard progress.done == 1 else { return }
      count.add()
      if count.value == 1 { shell.runProgram() }
    }
    let host = PluginHost(options)
    await host.start()
    #expect(count.value >= 2)
    #expect(try host.object().number == 1)
    try shell.waitForProgram()
  }

  @Test("The fault of a file that is being written names the file once, also if it was found through a link")
  func linked() async throws {
    let plugin = try VersionedPlugin()
    let link = directory.directory.file("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: plugin.directory.path)
    let writer = try WritingProcess(of: plugin.path)
    defer { try? writer.close() }
    var options = plugin.directory.options()
    options.directories = [link]
    let host = PluginHost(options)
    await host.start()
    let fault = try #require(host.plugins.first?.state.fault)
    #expect(fault.code == .changed)
    #expect(fault.subject == link + "/versioned.so")
    #expect(!fault.problem.contains("versioned.so"))
  }

  @Test("A plugin that was rejected since a process had its file open works after a refresh, though nothing was written")
  func refreshed() async throws {
    let plugin = try VersionedPlugin()
    let writer = try WritingProcess(of: plugin.path)
    let host = plugin.directory.host()
    await host.start()
    #expect(host.fault(plugin.path)?.code == .changed)
    #expect(await !host.refresh())
    try writer.close()
    #expect(await host.refresh())
    #expect(host.states == ["versioned.so active"])
  }
}
