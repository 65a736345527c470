public import TroupeSandbox

/// The state of a worker: its process, and what its calls have cost since the start of the host.
public struct WorkerStatus: Sendable, Equatable {
  /// Whether the worker may be started.
  public enum Circuit: String, Sendable {
    /// Yes.
    case closed
    /// No: it has ended too often, and a pause has yet to pass.
    case open
    /// The pause has passed, and the worker is on trial.
    case halfOpen = "half open"
  }

  /// The name of the group, or the id of the only plugin.
  public let name: String
  /// The ids of its plugins.
  public let plugins: [String]
  /// The process ID; nil if no process runs.
  public let process: Int32?
  /// The number of calls.
  public let calls: Int
  /// The number of calls that ended without a result or an error of the plugin.
  public let failures: Int
  /// The number of processes after the first.
  public let restarts: Int
  /// The duration that half of the calls did not exceed, with an error of an eighth; nil before the first call.
  public let median: Duration?
  /// The duration that 99 of 100 calls did not exceed, with an error of an eighth; nil before the first call.
  public let percentile99: Duration?
  /// The memory of the process in bytes, as far as it is in the machine's memory.
  public let memory: Int?
  /// Whether the worker may be started.
  public let circuit: Circuit
  /// The layers of the policy that are in force.
  public let enforced: Set<WorkerPolicy.Layer>
}

extension Duration {
  /// The duration in nanoseconds.
  package var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}

/// An event of a worker.
public struct WorkerEvent: Sendable, Equatable {
  /// A change of a worker that the host reports.
  public enum Transition: Sendable, Equatable {
    /// A process was started.
    case started(process: Int32)
    /// The process ended.
    case ended(process: Int32, WorkerError.End)
    /// The worker ended too often, and is not started for a time.
    case circuitOpened
    /// A call succeeded after that time.
    case circuitClosed
  }

  /// The name of the worker's group, or the id of its only plugin.
  public let worker: String
  /// What has changed.
  public let transition: Transition

  init(worker: String, _ event: Worker.Event) {
    self.worker = worker
    transition =
      switch event {
      case .started(let process): .started(process: process)
      case .ended(let process, let end): .ended(process: process, .init(end))
      case .circuitOpened: .circuitOpened
      case .circuitClosed: .circuitClosed
      }
  }
}

extension WorkerEvent: CustomStringConvertible {
  /// One line for the user.
  public var description: String {
    switch transition {
    case .started(let process): "\(worker): worker \(process) started"
    case .ended(let process, let end): "\(worker): worker \(process) \(end)"
    case .circuitOpened: "\(worker): the worker ended too often and is not started for a time"
    case .circuitClosed: "\(worker): the worker answers again"
    }
  }
}
