public import Foundation

/// The result of a program.
public struct Run: Sendable {
  /// The exit status, or the negative number of the signal that ended it.
  public let status: Int32
  /// The bytes of standard output.
  public let output: Data
  /// The text of standard error.
  public let errors: String

  /// The output as text.
  public var text: String { String(decoding: output, as: UTF8.self) }
  /// The lines on standard error.
  public var errorLines: [Substring] { errors.split(separator: "\n") }
}

/// Runs a program, which is looked up in PATH unless it is a path, and waits for it.
///
/// - Parameters:
///   - input: The bytes of standard input.
///   - environment: Variables that are added to those of the test.
///   - directory: The working directory.
public func run(
  _ command: [String], input: Data = Data(), environment: [String: String] = [:], directory: String? = nil
) throws -> Run {
  let files = try TemporaryDirectory()
  // Files instead of pipes, so that the test need not read while the program runs.
  let (inputFile, outputFile, errorFile) = (files.file("input"), files.file("output"), files.file("errors"))
  try input.write(to: URL(filePath: inputFile))
  for file in [outputFile, errorFile] { try Data().write(to: URL(filePath: file)) }
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = command
  process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
  if let directory { process.currentDirectoryURL = URL(filePath: directory) }
  process.standardInput = try FileHandle(forReadingFrom: URL(filePath: inputFile))
  process.standardOutput = try FileHandle(forWritingTo: URL(filePath: outputFile))
  process.standardError = try FileHandle(forWritingTo: URL(filePath: errorFile))
  try process.run()
  process.waitUntilExit()
  let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  return Run(
    status: status, output: try Data(contentsOf: URL(filePath: outputFile)),
    errors: String(decoding: try Data(contentsOf: URL(filePath: errorFile)), as: UTF8.self))
}

/// The error for a program that must succeed and failed.
public struct RunError: Error, CustomStringConvertible {
  /// The program and its messages.
  public let description: String
}

/// Runs a program that must succeed.
@discardableResult
public func succeed(_ command: [String], environment: [String: String] = [:], directory: String? = nil) throws -> Run {
  let result = try run(command, environment: environment, directory: directory)
  guard result.status == 0 else {
    throw RunError(
      description: "\(command.joined(separator: " ")) ended with \(result.status):\n\(result.errors)\(result.text)")
  }
  return result
}
