import Foundation

/// Another process that has a file open for writing.
///
/// A descriptor of the test's own process would reach the processes that other tests start meanwhile, and stay open in them for a moment
/// after it is closed.
public final class WritingProcess {
  private let process = Process()
  private let input = Pipe()

  /// The identifier of the process.
  public var processIdentifier: Int32 { process.processIdentifier }

  /// Starts a process that opens a file.
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

  /// Closes the file, and returns after the process has ended.
  public func close() throws {
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
