internal import CLinux
internal import Glibc

/// Keeps text that plugins print out of the output of the command.
///
///                       plugin code runs      function of `troupe call` runs
///     descriptor 1      standard error        the output
///     `descriptor`      the output            the output
///
/// A plugin that prints when it is loaded, or a transform that prints, would otherwise change the data. The functions are called on one
/// thread at a time.
package enum StandardOutput {
  /// Moves the output from descriptor 1. The program calls it before any plugin code runs, which must not see the descriptor.
  package static func moveDescriptor() { _ = descriptor }

  /// Receives the data of the command. Equals descriptor 1 if the process has no descriptor left.
  package static let descriptor: Int32 = {
    let copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, lowestDescriptor)
    guard copy >= 0 else { return STDOUT_FILENO }
    dup2(STDERR_FILENO, STDOUT_FILENO)
    return copy
  }()

  /// Remembers this process. The program calls it before any plugin code runs, which may fork.
  package static func noteProcess() { _ = process }

  private static let process = getpid()

  /// False in a process that a plugin forked.
  package static var isOwnProcess: Bool { getpid() == process }

  /// EX_SOFTWARE of sysexits.h.
  private static let internalErrorStatus: Int32 = 70

  /// Ends a process that a plugin forked and whose code returned to the command. It would write the output a second time.
  package static func endForkedProcess() {
    if !isOwnProcess { _exit(internalErrorStatus) }
  }

  /// Above the descriptors that programs expect to be free.
  private static let lowestDescriptor: Int32 = 10

  /// Makes descriptor 1 lead to the output, for a function whose text is data.
  package static func redirectToOutput() {
    linux_flush_stdout()
    dup2(descriptor, STDOUT_FILENO)
  }

  /// Writes the text that C still buffers to the output, and makes descriptor 1 lead to standard error again.
  package static func restore() {
    linux_flush_stdout()
    if descriptor != STDOUT_FILENO { dup2(STDERR_FILENO, STDOUT_FILENO) }
  }
}
