internal import CSandbox
package import Glibc

/// The processor time of a child process and its descendants, and whether they could use more now.
package struct ProcessUsage {
  /// The processor time of the child and of all its descendants.
  var processorTime: Duration
  /// Whether one of their threads runs or is ready to run.
  var isRunning: Bool

  package init(processorTime: Duration, isRunning: Bool) {
    (self.processorTime, self.isRunning) = (processorTime, isRunning)
  }

  /// Measures a child process and its descendants. Takes about 10 µs for each process of the system.
  static func of(_ child: pid_t) -> ProcessUsage {
    let usage = troupe_probe_usage(child)
    return ProcessUsage(processorTime: .milliseconds(Int64(clamping: usage.milliseconds)), isRunning: usage.is_running != 0)
  }
}

/// Compares the usage of a child process with its limits, sample by sample.
///
/// Work counts in processor time and waiting only while no thread of the child is ready to run. A child that other processes keep
/// from running uses up neither, so the verdict is the same on a busy machine.
package struct ProcessClock {
  package enum Limit {
    case processorTime, waiting
  }

  package static let interval: Duration = .milliseconds(100)

  /// Waits until one of the events occurs, at most until the next sample. Without poll(2), which a filter around the program may deny, until
  /// then.
  package static func wait(for events: [pollfd]) {
    var events = events
    if poll(&events, nfds_t(events.count), Int32(interval / .milliseconds(1))) < 0, errno != EINTR { sleep() }
  }

  package static func sleep() { usleep(useconds_t(interval / .microseconds(1))) }

  private var processorTime: Duration
  private var waiting: Duration
  private(set) var lastUsage: ProcessUsage?
  private var lastSample: ContinuousClock.Instant

  /// Begins to count.
  ///
  /// - Parameters:
  ///   - processorTime: The processor time that is left.
  ///   - waiting: The time that the child may wait.
  ///   - usage: The latest measurement, if there is one. Earlier usage does not count.
  package init(
    processorTime: Duration, waiting: Duration, after usage: ProcessUsage? = nil, from now: ContinuousClock.Instant = .now
  ) {
    (self.processorTime, self.waiting) = (processorTime, waiting)
    (lastUsage, lastSample) = (usage, now)
  }

  package func isDue(at now: ContinuousClock.Instant) -> Bool { now - lastSample >= Self.interval }

  /// Counts the usage since the last sample. Returns the limit that the child has reached, or nil.
  ///
  /// A longer time without samples counts as two intervals: this process was stopped, or the machine suspended, and the child
  /// may have been, too.
  package mutating func reachedLimit(_ usage: ProcessUsage, at now: ContinuousClock.Instant) -> Limit? {
    processorTime -= max(usage.processorTime - (lastUsage?.processorTime ?? .zero), .zero)
    if !usage.isRunning { waiting -= min(now - lastSample, Self.interval * 2) }
    (lastUsage, lastSample) = (usage, now)
    if processorTime <= .zero { return .processorTime }
    return waiting <= .zero ? .waiting : nil
  }
}
