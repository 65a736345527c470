import Foundation

/// Another process that has a file open for writing.
///
/// A descriptor of the test's own process would reach the processes that other tests start meanwhile, and stay open in them for a moment
/// after it is closed.
public final class WritingProcess {
  private let process = Process()
  private let input = Pipe()

  /// The PID.
  public var processID: Int32 { process.processIdentifier }

  /// Returns after the process has opened the file.
  public init(of path: String) throws {
    let output = Pipe()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "exec 3>>\"$0\" && echo open && read line", path]
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    guard output.fileHandleForReading.availableData == Data("open\n".utf8) else {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path])
    }
  }

  /// Waits for the end of the process.
  public func close() throws {
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
