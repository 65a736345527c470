internal import CLinux
internal import Glibc

/// The command's own standard output. Descriptor 1 leads to standard error while plugin code runs, so that only the command writes to
/// its output: a plugin that prints when it is loaded, or a transform that prints, does not change the data.
///
/// The functions are called on one thread at a time.
enum StandardOutput {
  /// The descriptor to write data to. Equals descriptor 1 if the process has no descriptor left.
  static let descriptor: Int32 = {
    let copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, lowestDescriptor)
    guard copy >= 0 else { return STDOUT_FILENO }
    dup2(STDERR_FILENO, STDOUT_FILENO)
    return copy
  }()

  private static let process = getpid()

  /// Whether this is the process of the command, and not one that a plugin forked.
  static var isOwnProcess: Bool { getpid() == process }

  /// Ends a process that a plugin forked and whose code returned to the command. It would write the output a second time.
  static func endForkedProcess() {
    if !isOwnProcess { _exit(ExitStatus.software.rawValue) }
  }

  /// Above the descriptors that programs expect to be free.
  private static let lowestDescriptor: Int32 = 10

  /// Makes descriptor 1 lead to the output, for a function whose text is data.
  static func redirectToOutput() {
    linux_flush_stdout()
    dup2(descriptor, STDOUT_FILENO)
  }

  /// Writes the text that C still buffers to the output, and makes descriptor 1 lead to standard error again.
  static func restore() {
    linux_flush_stdout()
    if descriptor != STDOUT_FILENO { dup2(STDERR_FILENO, STDOUT_FILENO) }
  }
}
