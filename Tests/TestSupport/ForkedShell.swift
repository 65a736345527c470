internal import Foundation

/// A shell that forks a copy of itself. The copy opens a file for writing, creates it if necessary, and later runs `cat`.
public final class ForkedShell: Sendable {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// Starts the shell and waits until it has forked.
  ///
  /// - Parameter keepsFile: Whether `cat` has the file open as well.
  public init(_ path: String, keepsFile: Bool = false) throws {
    process.executableURL = URL(filePath: "/bin/sh")
    let closing = keepsFile ? "" : "3>&-"
    process.arguments = ["-c", "(echo forked; read line; exec cat \(closing)) 3>>\"$1\"; :", "sh", path]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    guard output.fileHandleForReading.availableData == Data("forked\n".utf8) else { throw CocoaError(.fileReadUnknown) }
  }

  /// Lets the copy run `cat`. Does not wait for that.
  public func runProgram() { input.fileHandleForWriting.write(Data("\n".utf8)) }

  /// Waits until `cat` runs.
  public func waitForProgram() throws {
    input.fileHandleForWriting.write(Data("cat\n".utf8))
    guard output.fileHandleForReading.availableData == Data("cat\n".utf8) else { throw CocoaError(.fileReadUnknown) }
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
