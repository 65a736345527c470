internal import Glibc

/// Why a call of a plugin in a worker has no result.
public enum WorkerError: Error, Sendable, Equatable {
  /// How far a call had come when the worker ended.
  public enum Progress: Sendable, Equatable {
    /// The worker did not receive the call.
    case notStarted
    /// The worker was loading its plugins, and did not receive the call.
    case loading
    /// The worker may have run any part of it.
    case unknown
  }

  /// The end of a worker.
  public enum End: Sendable, Equatable {
    /// A signal ended it, such as `SIGSEGV`.
    case signal(Int32)
    /// It exited with a status.
    case status(Int32)
    /// Another part of this program received its status.
    case unknown
    /// The host ended it because of another call.
    case host(Cause)

    /// What another call of the worker did.
    public enum Cause: Sendable, Equatable {
      /// It missed its deadline.
      case timedOut
      /// It was cancelled.
      case cancelled
      /// It got a message that breaks the rules of the channel.
      case badReply
      /// It needed more shared memory than there is.
      case tooLarge
    }

    package init(_ end: ProcessEnd) {
      switch end {
      case .killed(let signal): self = .signal(signal)
      case .exited(let status): self = .status(status)
      case .unknown: self = .unknown
      }
    }
  }

  /// The worker ended. The location is the function, the file and the offset in the plugin, such as `parse (ocr.so+0x11a9)`, as far as
  /// they are known, and the memory of an argument behind which it went. The output is the reason that a runtime printed, or else the
  /// last two lines, in quotes and without control characters; nil for none.
  case crashed(End, location: String?, Progress, output: String? = nil)
  /// The worker made a system call that serves attacks only, such as `ptrace`, and was ended; `unknown` if the worker could not report it,
  /// as with SIGSYS blocked. Other forbidden calls fail with an error number. `clone`: the worker had more threads than its policy allows.
  case policyViolation(systemCall: String)
  /// The deadline of the call has passed. The worker was ended, since it may never come back, unless the call still waited for its turn.
  case timedOut
  /// The instance had input and was lost with the process of its worker.
  case instanceLost
  /// The call was cancelled. The worker was ended, since it may never come back.
  case cancelled
  /// The worker sent a message that breaks the rules of the channel, and was ended.
  case badReply
  /// The worker keeps ending, and is not started again before a time has passed.
  case circuitOpen(for: Duration)
  /// The arguments or the result need more shared memory than there is.
  case tooLarge(size: Int, limit: Int)
  /// This process was forked (`fork(2)`) after its host had started workers, which belong to the process that started them.
  case forked
}

extension WorkerError: CustomStringConvertible {
  /// The problem, as the end of a sentence that begins with the plugin.
  package var problem: String {
    switch self {
    case .crashed(let end, let location, let progress, let output):
      let place = location.map { " in \($0)" } ?? ""
      let rest =
        switch progress {
        case .notStarted: "before it received the call"
        case .loading: "while it loaded its plugins"
        case .unknown: "in the call, of which any part may have run"
        }
      return "its worker \(end)\(place) \(rest)\(output.map { ", and said \($0)" } ?? "")"
    case .policyViolation("clone"): return "its worker was ended, since it had more threads than its policy allows"
    case .policyViolation("unknown"): return "its worker was ended by a forbidden system call that it could not report (SIGSYS)"
    case .policyViolation(let call): return "its worker was ended, since its policy forbids the system call \(call)"
    case .timedOut: return "its worker did not answer before the deadline"
    case .instanceLost: return "the instance was lost with the process of its worker"
    case .cancelled: return "the call was cancelled"
    case .badReply: return "its worker broke the rules of the channel and was ended"
    case .circuitOpen(let duration):
      return "its worker keeps ending, and is not started again for \(duration.components.seconds + 1) s"
    case .tooLarge(let size, let limit):
      return size > limit
        ? "the call needs \(size) bytes of shared memory, and may use \(limit)"
        : "the call needs \(size) bytes of shared memory at once, for which there is no room"
    case .forked: return "its worker belongs to the process from which this one was forked"
    }
  }

  /// The remedy, an imperative; empty if there is none.
  package var remedy: String {
    switch self {
    case .crashed(_, _, .notStarted, _): "call again"
    case .crashed(.host, _, _, _): "call again, if the function may run twice"
    case .crashed(_, _, .loading, _): "fix the plugin, or what its policy lacks"
    case .crashed(_, _, .unknown, _), .cancelled: ""
    case .policyViolation("clone"): "raise the policy's threads, or fix the plugin"
    case .policyViolation("unknown"): "fix the plugin"
    case .policyViolation(let call): "fix the plugin, or allow the call with syscalls:\(call) in its policy"
    case .timedOut: "raise the deadline, or fix the plugin"
    case .instanceLost: "make a new instance"
    case .badReply: "fix the plugin"
    case .circuitOpen: "fix the plugin"
    case .tooLarge: "raise shared-memory in its policy, or transfer less"
    case .forked: "call it in that process, or fork before you create the host"
    }
  }

  /// One line for the user: the problem and the remedy.
  public var description: String { remedy.isEmpty ? problem : "\(problem); \(remedy)" }
}

extension WorkerError.End: CustomStringConvertible {
  /// The end of a sentence that begins with the worker.
  public var description: String {
    switch self {
    case .signal(SIGKILL): "was killed (SIGKILL)"
    case .signal(SIGXCPU): "used more processor time than its policy allows (SIGXCPU)"
    case .signal(SIGXFSZ): "exceeded the size of a file (SIGXFSZ)"
    case .signal(let signal): "crashed (\(SignalName.of(signal)))"
    case .status(let status): "exited with status \(status)"
    case .unknown: "ended"
    case .host(.timedOut): "was ended, since another call missed its deadline,"
    case .host(.cancelled): "was ended, since another call was cancelled,"
    case .host(.badReply): "was ended, since it broke the rules of the channel in another call,"
    case .host(.tooLarge): "was ended, since another call needed more shared memory than there is,"
    }
  }
}

/// An error that a plugin in a worker has thrown. Only its text crosses into the host, since the host may lack its type.
public struct IsolatedPluginError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The text of the error.
  public let description: String

  package init(_ description: String) { self.description = description }
}
