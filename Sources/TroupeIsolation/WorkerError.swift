package import TroupeProbing

/// Why a call of a worker has no result.
package enum WorkerError: Error, Sendable, Equatable {
  /// How far a call had come that the end of the worker cut short.
  package enum Progress: Sendable, Equatable {
    /// The worker did not receive the call.
    case notStarted
    /// The worker may have run any part of it.
    case unknown
  }

  /// The worker ended.
  case crashed(ProcessEnd, Progress)
  /// The worker made a system call that its policy forbids, such as `socket`, and was ended.
  case policyViolation(systemCall: String)
  /// The deadline of the call has passed. The worker was ended, since it may never come back.
  case timedOut
  /// The worker sent a message that breaks the rules of the channel, and was ended.
  case badReply
  /// The worker keeps ending, and is not started again before a time.
  case circuitOpen(until: Deadline)
}
