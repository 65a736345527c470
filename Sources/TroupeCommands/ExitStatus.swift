package import TroupeHost

/// The exit statuses of the command, after sysexits.h.
package enum ExitStatus: Int32 {
  case success = 0
  /// The command line is wrong.
  case usage = 64
  /// The data is wrong: an argument does not fit its parameter, or a file is no plugin.
  case badData = 65
  /// An input file or directory does not exist or cannot be read.
  case noInput = 66
  /// A plugin is missing or failed. Includes a function that reports a failure by `errno` or returns an invalid value.
  case unavailable = 69
  /// A fault of the command itself.
  case software = 70
  /// A resource of the system is missing, such as memory.
  case systemError = 71
  /// Reading or writing failed.
  case inputOutput = 74
  /// A permission is missing.
  case notPermitted = 77
}

extension ExitStatus {
  /// The statuses for the help and the manual.
  static let explanation = """
    Exit status: 0 success; 64 wrong command line; 65 wrong data; 66 missing input; 69 missing or failed plugin; 70 fault of troupe \
    itself; 71 missing resource of the system; 74 failed read or write; 77 missing permission.
    """

  /// The status of a command that fails with a diagnosis.
  package init(_ code: Diagnosis.Code) {
    self =
      switch code {
      case .usage, .invalidSetting: .usage
      case .tooLarge, .notALibrary, .writableCode, .wrongMachine, .invalidManifest, .incompatibleABI, .incompatibleCompiler,
        .duplicatesHostTypes, .duplicateIdentifier, .invalidPins, .invalidData:
        .badData
      case .unreadable: .noInput
      case .internalError: .software
      case .missingResource: .systemError
      case .inputOutput: .inputOutput
      case .untrusted, .unpinned, .notPermitted: .notPermitted
      case .changed, .unknown, .inUse, .busy, .unmetRequirement, .missingLibrary, .missingSymbol, .notLoadable,
        .conflictingLibrary, .noEntry, .refused, .crashed, .exited, .timedOut, .changedProcessState, .notProbed,
        .invalidArgument,
        .invalidSignature, .invalidContract, .duplicateUUID, .tooLate, .wrongThread, .notRegistered, .ambiguous,
        .unavailable, .reportedFailure:
        .unavailable
      }
  }
}
