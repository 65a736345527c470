internal import Glibc

/// What a probe may take.
public struct ProbeLimits: Sendable, Hashable {
  /// How long the loading of a plugin may take before it counts as hung.
  public var deadline: Duration
  /// How much memory the process may map, in bytes; nil for no limit, which a program needs that maps more by itself, as one
  /// that was built with the address sanitizer does.
  public var memory: UInt64?
  /// How many descriptors it may have open.
  public var descriptors: Int
  /// How many probes run at once.
  public var processes: Int

  /// Makes limits; each has a sensible default: ten seconds, 4 GiB, 256 descriptors, a process for each processor.
  public init(
    deadline: Duration = .seconds(10), memory: UInt64? = 4 << 30, descriptors: Int = 256, processes: Int? = nil
  ) {
    self.deadline = deadline
    self.memory = memory
    self.descriptors = max(descriptors, 200)
    self.processes = max(processes ?? sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)
  }
}
