import Glibc
import TestSupport
import Testing

@testable import TroupeFiles
@testable import TroupeSandbox

@Suite("The clock of a probe", .timeLimit(.minutes(60)))
struct ProbeClockTests {
  private let start = ContinuousClock.now

  /// The limit that each sample reaches, or nil. `after` is the time since the sample before.
  private func limits(
    _ samples: [(after: Duration, usage: ProcessUsage)], processorTime: Duration = .seconds(2), waiting: Duration = .seconds(5),
    after usage: ProcessUsage? = nil
  ) -> [ProcessClock.Limit?] {
    var clock = ProcessClock(processorTime: processorTime, waiting: waiting, after: usage, from: start)
    var now = start
    return samples.map { sample in
      now += sample.after
      return clock.reachedLimit(sample.usage, at: now)
    }
  }

  private func usage(_ milliseconds: Int, isRunning: Bool) -> ProcessUsage {
    ProcessUsage(processorTime: .milliseconds(milliseconds), isRunning: isRunning)
  }

  @Test("A probe reaches the limit of processor time by its work, however long that takes")
  func work() {
    let samples = [500, 1999, 2000].map { (Duration.seconds(3600), usage($0, isRunning: true)) }
    #expect(limits(samples) == [nil, nil, .processorTime])
  }

  @Test("A waiting probe reaches the limit of waiting, and a probe that only gets no processor does not")
  func waiting() {
    let waits = [(Duration, ProcessUsage)](repeating: (.milliseconds(100), usage(10, isRunning: false)), count: 51)
    #expect(limits(waits) == [ProcessClock.Limit?](repeating: nil, count: 49) + [.waiting, .waiting])
    let starves = [(Duration, ProcessUsage)](repeating: (.milliseconds(100), usage(10, isRunning: true)), count: 1000)
    #expect(limits(starves).allSatisfy { $0 == nil })
  }

  @Test("A pause in the samples counts as two intervals")
  func stopped() {
    let samples = [(Duration, ProcessUsage)](repeating: (.seconds(3600), usage(0, isRunning: false)), count: 3)
    #expect(limits(samples, waiting: .milliseconds(500)) == [nil, nil, .waiting])
  }

  @Test("Earlier work does not count, and a processor time that decreases counts as zero")
  func differences() {
    #expect(limits([(.zero, usage(2500, isRunning: true))], after: usage(1000, isRunning: true)) == [nil])
    let samples = [1500, 100, 500, 600].map { (Duration.zero, usage($0, isRunning: true)) }
    #expect(limits(samples) == [nil, nil, nil, .processorTime])
  }

  @Test("The usage of a probe is that of the running and ended descendants of its watching process")
  func usageOfDescendants() throws {
    let shell = try Shell("(i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done); read line; exit 0")
    var running = ProcessUsage.of(shell.process)
    while running.processorTime == .zero { running = ProcessUsage.of(shell.process) }
    while ProcessUsage.of(shell.process).isRunning {}
    #expect(ProcessUsage.of(shell.process).processorTime >= running.processorTime)
    shell.end()
  }

  @Test("The usage of a probe includes that of its watching process")
  func usageOfWatchingProcess() throws {
    let shell = try Shell("i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done")
    var information = siginfo_t()
    #expect(waitid(P_PID, id_t(shell.process), &information, WEXITED | WNOWAIT) == 0)
    #expect(ProcessUsage.of(shell.process).processorTime > .zero)
    shell.end()
  }
}

/// A shell whose standard input is a pipe.
private final class Shell {
  let process: pid_t
  private let input: Int32

  init(_ script: String) throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    input = ends[1]
    _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      close(ends[0])
    }
    var process: pid_t = 0
    let words = ["sh", "-c", script]
    let arguments = words.map { strdup($0) }
    defer { arguments.forEach { free($0) } }
    try #require(posix_spawn(&process, "/bin/sh", &actions, nil, arguments + [nil], nil) == 0)
    self.process = process
  }

  /// Closes the input and waits for the shell to exit.
  func end() {
    close(input)
    waitpid(process, nil, 0)
  }
}
