internal import Glibc

/// The limits of a probe, the process that loads a plugin before the host does.
public struct ProbeLimits: Sendable, Hashable {
  /// The processor time that the plugin's process and every process that it starts may use together.
  ///
  /// Other programs on the same machine do not use it up.
  public var deadline: Duration
  /// The time that these processes may wait while none of them is ready to run. A plugin that waits longer counts as hung.
  public var waiting: Duration
  /// The private memory of the process that can be written, in bytes; nil for no limit. Reserved address space does not count.
  ///
  /// Ignored in a process that contains the runtime of a sanitizer, which reserves terabytes.
  public var memory: UInt64?
  /// The number of open descriptors.
  public var descriptors: Int
  /// The number of probes that run at once.
  public var processes: Int

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - deadline: Processor time, by default ten seconds.
  ///   - waiting: Time without work, by default three times the deadline.
  ///   - memory: Address space in bytes, by default 4 GiB.
  ///   - descriptors: By default 256, at least 200.
  ///   - processes: By default one for each processor.
  public init(
    deadline: Duration = .seconds(10), waiting: Duration? = nil, memory: UInt64? = 4 << 30, descriptors: Int = 256,
    processes: Int? = nil
  ) {
    self.deadline = deadline
    self.waiting = waiting ?? deadline * 3
    self.memory = memory
    self.descriptors = max(descriptors, 200)
    self.processes = max(processes ?? sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)
  }
}

extension Duration {
  /// The seconds, such as `10` or `0.5`.
  package var inSeconds: String {
    let seconds = self / .seconds(1)
    return seconds == seconds.rounded() && seconds < 1e6 ? "\(Int(seconds))" : "\(seconds)"
  }
}
