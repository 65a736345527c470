package import CTroupe
internal import TroupeCall
internal import TroupeContainer
package import TroupeBase

extension Diagnosis.Code {
  /// The kind of any error.
  package init(of error: any Error) {
    self =
      switch error {
      case let diagnosis as Diagnosis: diagnosis.code
      case let error as CallError: Self(of: error.code)
      case is IsolatedPluginError: .unavailable
      case let error as WorkerError: error.diagnosisCode
      case let error as ResolutionError where error.isForMissingRequest: .notRegistered
      case let failure as RegistrationError:
        // A factory may throw any error.
        switch Self(of: failure.cause) {
        case .internalError, .reportedFailure: .unavailable
        case let code: code
        }
      default: .internalError
      }
  }

  private init(of code: CallError.Code) {
    self =
      switch code {
      case .argumentCount: .usage
      case .argumentType, .argumentRange, .bufferSize: .invalidData
      case .noMemory: .missingResource
      case .unsupportedSignature: .invalidSignature
      case .system, .failure: .reportedFailure
      case .cancelled: .timedOut
      // All other errors come from the call, not from the arguments.
      default: .unavailable
      }
  }

  /// The status for a plugin in C.
  package var status: troupe_status {
    let status =
      switch self {
      case .invalidArgument, .usage, .invalidData: TROUPE_INVALID_ARGUMENT
      case .invalidSignature: TROUPE_INVALID_SIGNATURE
      case .duplicateUUID: TROUPE_DUPLICATE
      case .invalidContract: TROUPE_INVALID_CONTRACT
      case .tooLate: TROUPE_TOO_LATE
      case .wrongThread: TROUPE_WRONG_THREAD
      case .notRegistered: TROUPE_NOT_FOUND
      case .ambiguous: TROUPE_AMBIGUOUS
      case .missingResource: TROUPE_OUT_OF_MEMORY
      default: TROUPE_FAILED
      }
    return troupe_status(status)
  }
}
