internal import Foundation

/// A program that runs in parallel to the test.
///
/// Foundation's `Process` polls for the end of a program and reports it late. The program is killed with the last reference.
public final class SpawnedProcess {
  /// The PID.
  public let processID: Int32
  private let files: TemporaryDirectory
  private var isOver = false

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - command: The program's path, and its arguments.
  ///   - environment: The complete environment.
  public init(_ command: [String], environment: [String: String]) throws {
    files = try TemporaryDirectory()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    for (descriptor, name) in [(STDOUT_FILENO, "output"), (STDERR_FILENO, "errors")] {
      posix_spawn_file_actions_addopen(&actions, descriptor, files.file(name), O_WRONLY | O_CREAT, 0o600)
    }
    let arguments = command.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (arguments + variables).forEach { free($0) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, command[0], &actions, nil, arguments, variables)
    guard code == 0 else { throw RunError(description: "\(command[0]) cannot be started: error \(code)") }
    processID = process
  }

  /// Waits until the program has ended.
  public func wait() throws -> Run {
    var status: Int32 = 0
    while waitpid(processID, &status, 0) < 0 {
      guard errno == EINTR else { throw RunError(description: "waitpid(\(processID)) failed: error \(errno)") }
    }
    isOver = true
    return Run(
      status: status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F),
      output: try Data(contentsOf: URL(filePath: files.file("output"))),
      errors: String(decoding: try Data(contentsOf: URL(filePath: files.file("errors"))), as: UTF8.self))
  }

  deinit {
    guard !isOver else { return }
    // The PID has not been reused, because only this object waits for the process.
    kill(processID, SIGKILL)
    _ = try? wait()
  }
}
