/// How the command ends, after sysexits.h.
package enum ExitStatus: Int32 {
  /// All went well.
  case success = 0
  /// The command line is wrong.
  case usage = 64
  /// The data that was given is wrong: an argument that does not fit its parameter, a file that is no plugin.
  case badData = 65
  /// An input file or directory is not there or cannot be read.
  case noInput = 66
  /// A plugin that is needed is not there or failed: also a function that was called with all that it takes, and says by `errno`
  /// that it failed, or gave back what it must not.
  case unavailable = 69
  /// A fault of our own.
  case software = 70
  /// Reading or writing failed.
  case inputOutput = 74
  /// It is not permitted.
  case notPermitted = 77
}

/// Ends a command with a line on standard error.
package struct CommandFailure: Error {
  package let status: ExitStatus
  /// One line for a person.
  package let message: String

  package init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message
  }
}
