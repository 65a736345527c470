import Foundation
import TestSupport
import Testing

@testable import TroupeFiles
@testable import TroupeHost
@testable import TroupeSandbox

/// Probes whose processes are started from the test's own executable.
@Suite("Probing", .timeLimit(.minutes(60)))
struct ProberTests {
  private let directory: PluginDirectory

  init() throws { directory = try PluginDirectory() }

  private func job(_ fixture: String, needs: [Int] = [], of jobs: [Prober.Job] = []) throws -> Prober.Job {
    Prober.Job(
      request: .plugin(try directory.add(fixture + ".c"), needs: needs.map { jobs[$0].request.path }), needs: needs)
  }

  private func outcomes(_ jobs: [Prober.Job], _ limits: ProbeLimits = .test) -> [ProbeOutcome?] {
    var outcomes = [ProbeOutcome?](repeating: nil, count: jobs.count)
    Prober(limits).run(jobs) { job, outcome in
      #expect(outcomes[job] == nil, "each job is reported once")
      outcomes[job] = outcome
    }
    return outcomes
  }

  @Test("A probe reports a plugin's registrations")
  func registers() throws {
    let outcome = outcomes([try job("healthy/stage")])
    guard case .registered(let summary, _)?? = outcome.first else { throw Unexpected(outcome) }
    #expect(summary.isComplete)
    #expect(summary.registrations.map(\.name) == ["stage a"])
    #expect(summary.registrations.first?.contract == "troupe.transform/1")
  }

  @Test(
    "A probe reports the fault of a plugin and its location",
    arguments: [
      ("crash-in-constructor", .crashed, true), ("crash-in-entry", .crashed, true), ("crash-in-destructor", .crashed, true),
      ("stack-overflow", .crashed, true), ("jump-to-null", .crashed, true), ("abort", .crashed, true),
      ("exit", .exited, false), ("close-descriptors", .changedProcessState, false),
      ("shut-sockets", .changedProcessState, false),
      ("write-everywhere", .changedProcessState, false), ("daemon", .changedProcessState, false),
      ("kill-parent", .changedProcessState, true),
      ("kill-group", .changedProcessState, true), ("clear-environment", .changedProcessState, false),
      ("data-function", .refused, false),
    ] as [(String, Diagnosis.Code, Bool)])
  func harm(_ name: String, _ code: Diagnosis.Code, _ hasLocation: Bool) throws {
    let outcome = outcomes([try job("faulty/" + name)])
    guard case .harmful(let diagnosis)?? = outcome.first else { throw Unexpected(outcome) }
    #expect(diagnosis.code == code)
    #expect(diagnosis.problem.contains("\(name).so+0x") == hasLocation, "\(diagnosis)")
  }

  @Test("A plugin may control its own processes and threads")
  func children() throws {
    let outcome = outcomes([try job("healthy/children")])
    guard case .registered?? = outcome.first else { throw Unexpected(outcome) }
  }

  @Test(
    "A destructor crashes when the library is closed if the host unmaps images, and else when the process exits",
    arguments: [(false, "when the process exited"), (true, "when its library was closed")])
  func destructor(unloads: Bool, place: String) throws {
    let path = try directory.add("faulty/crash-in-destructor.c")
    let request = ProbeRequest.plugin(path, unloads: unloads)
    let outcome = outcomes([Prober.Job(request: request, needs: [])])
    guard case .harmful(let diagnosis)?? = outcome.first else { throw Unexpected(outcome) }
    #expect(diagnosis.code == .crashed && diagnosis.problem.contains("SIGSEGV \(place)"), "\(diagnosis)")
  }

  @Test("A plugin may leave threads running, whether the host unmaps images or not", arguments: [false, true])
  func threadsThatMayStay(unloads: Bool) throws {
    let path = try directory.add("faulty/thread-left.c")
    let request = ProbeRequest.plugin(path, id: "org.example.thread-left", unloads: unloads)
    let outcome = outcomes([Prober.Job(request: request, needs: [])])
    guard case .registered?? = outcome.first else { throw Unexpected(outcome) }
  }

  @Test("Plugins that work or wait without end are stopped, several at once, and each is reported with its step")
  func hangs() throws {
    let hangs = [
      ("hang-in-constructor", "1 s", "opened"), ("hang-in-entry", "1 s", "entry"), ("hang-in-destructor", "1 s", "exited"),
      ("deaf", "1 s", "entry"), ("stop", "2 s", "entry"), ("wait-in-entry", "2 s", "entry"),
      ("daemon-and-wait", "2 s", "entry"),
    ]
    let limits = ProbeLimits(deadline: .seconds(1), waiting: .seconds(2), processes: hangs.count)
    for (outcome, (_, limit, step)) in zip(outcomes(try hangs.map { try job("faulty/" + $0.0) }, limits), hangs) {
      guard case .harmful(let diagnosis)? = outcome else { throw Unexpected([outcome]) }
      #expect(diagnosis.code == .timedOut)
      #expect(diagnosis.problem.contains(limit) && diagnosis.problem.contains(step), "\(diagnosis)")
    }
  }

  @Test("A probe counts the processor time of the plugin's processes, not that of other programs")
  func workOfChildren() throws {
    let path = try directory.add("faulty/busy-children.c")
    let limits = ProbeLimits(deadline: .seconds(1), waiting: .seconds(600))
    let request = ProbeRequest.plugin(path)
    guard case .harmful(let diagnosis)?? = outcomes([Prober.Job(request: request, needs: [])], limits).first else {
      throw Unexpected([])
    }
    #expect(diagnosis.code == .timedOut)
    #expect(diagnosis.problem.contains(" 1 s "), "\(diagnosis)")
  }

  @Test("Required plugins are probed first, and the dependents of a failed one are not probed")
  func needs() throws {
    var jobs = [try job("faulty/crash-in-entry"), try job("healthy/empty")]
    jobs.append(try job("healthy/stage", needs: [0], of: jobs))
    jobs.append(try job("healthy/boxes", needs: [1], of: jobs))
    let outcomes = outcomes(jobs, ProbeLimits(processes: 1))
    #expect(outcomes[2] == nil)
    guard case .harmful? = outcomes[0], case .registered? = outcomes[1], case .registered? = outcomes[3] else {
      throw Unexpected(outcomes)
    }
  }

  @Test("A probe refuses the request of a host of another version, which says nothing about the plugin")
  func otherVersion() throws {
    let request = ProbeRequest.plugin(try directory.add("faulty/crash-in-entry.c"), host: "0.0.9")
    let outcome = outcomes([Prober.Job(request: request, needs: [])])
    guard case .inconclusive(let diagnosis)?? = outcome.first else { throw Unexpected(outcome) }
    #expect(diagnosis.code == .notProbed)
    #expect(diagnosis.problem.contains("ended with status 70") && diagnosis.problem.contains("another version"), "\(diagnosis)")
  }

  // MARK: Probes that a helper forks

  @Test("A helper forks the probes of several plugins, each with the outcome of a probe of its own")
  func forks() throws {
    let names = [
      "healthy/stage", "faulty/crash-in-constructor", "faulty/stack-overflow", "faulty/exit", "faulty/close-descriptors",
      "faulty/daemon", "faulty/kill-parent", "faulty/kill-group", "faulty/deaf", "healthy/children",
    ]
    let limits = ProbeLimits(deadline: .seconds(1), waiting: .seconds(600))
    let jobs = try names.map { try job($0) }
    var forked = [ProbeOutcome?](repeating: nil, count: jobs.count)
    Prober(limits, .helper(Repo.products + "/troupe-probe")).run(jobs) { forked[$0] = $1 }
    let codes = { (outcome: ProbeOutcome?) -> String in
      switch outcome {
      case .registered(let summary, _): "registers \(summary.registrations.count)"
      case .harmful(let diagnosis), .rejected(let diagnosis), .inconclusive(let diagnosis): "\(diagnosis.code)"
      case nil: "none"
      }
    }
    #expect(
      forked.map(codes) == [
        "registers 1", "crashed", "crashed", "exited", "changedProcessState", "changedProcessState", "changedProcessState",
        "changedProcessState", "timedOut", "registers 0",
      ])
  }

  @Test("A process that forks probes and ends is started again, with a warning")
  func forkServerEnds() async {
    await #expect(processExitsWith: .success) {
      let directory = try PluginDirectory()
      let path = try directory.add("healthy/stage.c")
      let jobs = (1...3).map { _ in Prober.Job(request: .plugin(path), needs: []) }
      var warnings: [String] = []
      var isGood: [Bool] = []
      let prober = Prober(ProbeLimits(processes: 1), .helper(Repo.products + "/troupe-probe")) { warnings.append($0) }
      prober.run(jobs) { job in
        // The only child of this process is the one that forks; the probes are its children.
        if job == 0 { for child in childProcesses(of: getpid()) { kill(child, SIGKILL) } }
      } tell: { _, outcome in
        if case .registered = outcome { isGood.append(true) } else { isGood.append(false) }
      }
      try require(isGood == [true, true, true], "the outcomes are \(isGood)")
      try require(
        warnings == ["the process that forks probes has ended, and is started again for the next one"],
        "the warnings are \(warnings)")
      try require(childProcesses(of: getpid()).isEmpty, "a child is left")
    }
  }

  @Test("A helper with more than one thread does not fork, and each probe is a program of its own")
  func helperWithThreads() async throws {
    await #expect(processExitsWith: .success) {
      let directory = try PluginDirectory()
      let path = try directory.add("healthy/stage.c")
      let jobs = (1...2).map { _ in Prober.Job(request: .plugin(path), needs: []) }
      setenv("LD_PRELOAD", try directory.add("hosts/thread-in-constructor.c"), 1)
      var warnings: [String] = []
      var isGood: [Bool] = []
      Prober(ProbeLimits(), .helper(Repo.products + "/troupe-probe")) { warnings.append($0) }.run(jobs) { _, outcome in
        if case .registered = outcome { isGood.append(true) } else { isGood.append(false) }
      }
      try require(isGood == [true, true] && warnings.isEmpty, "the outcomes are \(isGood), the warnings \(warnings)")
    }
  }

  @Test("A program that links Troupe statically has no standard executable for probes")
  func standardExecutable() throws {
    #expect(PluginHost.standardProbeExecutable == nil)
    let directory = try TemporaryDirectory()
    #expect(PluginHost.probeExecutable(beside: directory.file("lib/libTroupe.so")) == nil)
    for name in ["lib", "libexec/troupe"] { try succeed(["mkdir", "-p", directory.file(name)]) }
    for name in ["libexec/troupe/troupe-probe", "lib/troupe-probe"] {
      let helper = try directory.write(name, "".utf8)
      #expect(PluginHost.probeExecutable(beside: directory.file("lib/libTroupe.so")) == helper)
    }
  }

  @Test("A missing file and a file with another plugin are reported")
  func changed() throws {
    let path = try directory.add("healthy/empty.c")
    let outcomes = outcomes([
      Prober.Job(request: .plugin(path, id: "org.example.other"), needs: []),
      Prober.Job(request: .plugin(directory.path + "/none.so"), needs: []),
    ])
    guard case .inconclusive(let other)? = outcomes[0], case .rejected(let gone)? = outcomes[1] else {
      throw Unexpected(outcomes)
    }
    #expect(other.problem == "could not be probed: the file contains another plugin now")
    #expect(gone.code == .unreadable)
  }
}

/// Hosts in unusual states, each in a separate process.
@Suite("Probing from an unusual host", .timeLimit(.minutes(60)))
struct OddHostTests {
  private let directory: PluginDirectory
  private let paths: [String]

  init() throws {
    directory = try PluginDirectory()
    paths = [
      try directory.add("healthy/stage.c"), try directory.add("faulty/crash-in-entry.c"), try directory.add("faulty/exit.c"),
      try directory.add("faulty/daemon-and-crash.c"), try directory.add("faulty/signal-handler.c"),
    ]
  }

  @Test("A host with closed standard streams can probe")
  func closedStreams() async {
    await #expect(processExitsWith: .success) { [paths = paths as [String]] in
      for stream in STDIN_FILENO...STDERR_FILENO { close(stream) }
      exit(asExpected(paths) ? 0 : 1)
    }
  }

  @Test("A host that ignores SIGCHLD, or waits for all children, can probe", arguments: [false, true])
  func childrenOfOthers(_ isHandled: Bool) async {
    await #expect(processExitsWith: .success) { [paths = paths as [String], isHandled = isHandled as Bool] in
      if isHandled {
        signal(SIGCHLD) { _ in while waitpid(-1, nil, WNOHANG) > 0 {} }
      } else {
        signal(SIGCHLD, SIG_IGN)
      }
      exit(asExpected(paths) ? 0 : 1)
    }
  }

  @Test("A host that blocks and ignores all signals can probe")
  func signals() async {
    await #expect(processExitsWith: .success) { [paths = paths as [String]] in
      for number in 1...64 where number != SIGCHLD { signal(Int32(number), SIG_IGN) }
      var set = sigset_t()
      sigfillset(&set)
      pthread_sigmask(SIG_BLOCK, &set, nil)
      exit(asExpected(paths) ? 0 : 1)
    }
  }

  @Test("A host without an environment can probe")
  func noEnvironment() async {
    await #expect(processExitsWith: .success) { [paths = paths as [String]] in
      clearenv()
      exit(asExpected(paths) ? 0 : 1)
    }
  }

  @Test("A host with a limit of 64 open files can probe")
  func fewDescriptors() async {
    await #expect(processExitsWith: .success) { [paths = paths as [String]] in
      setLimit(RLIMIT_NOFILE, 64)
      exit(asExpected(paths) ? 0 : 1)
    }
  }

  @Test("A host without free descriptors reports that as the reason")
  func noDescriptors() async {
    await #expect(processExitsWith: .success) { [paths = paths as [String]] in
      setLimit(RLIMIT_NOFILE, 64)
      while dup(0) >= 0 {}
      var problems: [String] = []
      Prober(.test).run([Prober.Job(request: .plugin(paths[0]), needs: [])]) { _, outcome in
        if case .inconclusive(let diagnosis) = outcome { problems.append(diagnosis.problem) }
      }
      exit(problems.count == 1 && problems[0].contains("too many open files") ? 0 : 1)
    }
  }

  @Test(
    "A host that cannot start processes reports that as the reason", .enabled(if: geteuid() != 0, "the superuser always may"))
  func noProcesses() async {
    await #expect(processExitsWith: .success) { [paths = paths as [String]] in
      setLimit(__RLIMIT_NPROC, 1)
      var problems: [String] = []
      Prober(.test).run([Prober.Job(request: .plugin(paths[0]), needs: [])]) { _, outcome in
        if case .inconclusive(let diagnosis) = outcome { problems.append(diagnosis.problem) }
      }
      exit(problems.count == 1 && problems[0].hasPrefix("could not be probed: no process can be started") ? 0 : 1)
    }
  }

  @Test("A host keeps neither descriptors nor children of its probes")
  func leaks() async {
    await #expect(processExitsWith: .success) { [paths = paths as [String]] in
      guard asExpected(paths) else { exit(1) }
      let before = Set(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))
      for _ in 0..<3 { guard asExpected(paths) else { exit(2) } }
      let after = Set(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))
      exit(before != after ? 3 : ProcessState.hasChildren ? 4 : 0)
    }
  }

  @Test("A host that ends during a probe ends the plugin and its processes")
  func vanishing() async throws {
    let plugin = try directory.add("faulty/daemon-and-wait.c")
    let marker = UUID().uuidString
    await #expect(processExitsWith: .success) { [plugin = plugin as String, marker = marker as String] in
      setenv("TROUPE_TEST_MARKER", marker, 1)
      let probe = try Child<ProbeStep, ProbeReport>(
        ProbeRequest.plugin(plugin), ProbeLimits(deadline: .seconds(600)), role: .probe)
      // Until the plugin has printed that its daemon runs.
      while !probe.hasPrinted { _ = probe.advance() }
      guard processes(marked: marker) >= 3 else { _exit(1) }
      _exit(0)
    }
    while processes(marked: marker) > 0 { await Task.yield() }
  }
}

extension ProbeLimits {
  /// Limits that a healthy plugin meets also on a busy machine.
  fileprivate static var test: ProbeLimits { ProbeLimits(deadline: .seconds(60)) }
}

extension ProbeRequest {
  /// A request for a plugin. If the id is nil, it is derived from the name of the file.
  fileprivate static func plugin(
    _ path: String, id: String? = nil, needs: [String] = [], host: String = HostVersions.key, unloads: Bool = false
  ) -> Self {
    let name = URL(filePath: path).deletingPathExtension().lastPathComponent
    return Self(
      host: host, path: path, library: path, id: id ?? "org.example." + name, needs: needs, configuration: [:], memory: nil,
      descriptors: 256, pins: nil, unloads: unloads)
  }
}

/// An error for an unexpected outcome.
private struct Unexpected: Error, CustomStringConvertible {
  let description: String
}

extension Unexpected {
  fileprivate init(_ outcomes: [ProbeOutcome?]) { self.init(description: "\(outcomes)") }
}

/// Whether each plugin of `OddHostTests` has the same outcome as from a normal host.
private func asExpected(_ paths: [String]) -> Bool {
  var diagnoses = [Diagnosis?](repeating: nil, count: paths.count)
  var count = 0
  Prober(.test).run(paths.map { Prober.Job(request: .plugin($0), needs: []) }) { job, outcome in
    count += 1
    switch outcome {
    case .registered: break
    case .harmful(let diagnosis), .rejected(let diagnosis), .inconclusive(let diagnosis): diagnoses[job] = diagnosis
    }
  }
  let expected: [(Diagnosis.Code, String)?] = [
    nil, (.crashed, "SIGSEGV"), (.exited, "status 3"), (.crashed, "SIGSEGV"), (.changedProcessState, "SIGINT"),
  ]
  let isRight = zip(diagnoses, expected).allSatisfy { diagnosis, expected in
    count == paths.count && diagnosis?.code == expected?.0 && diagnosis?.problem.contains(expected?.1 ?? "") != false
  }
  // The parent process reports an issue of an exit test, but not its output.
  if !isRight { Issue.record("\(diagnoses)") }
  return isRight
}

private func setLimit(_ resource: __rlimit_resource, _ value: rlim_t) {
  var limit = rlimit(rlim_cur: value, rlim_max: value)
  setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
}

/// Returns the number of processes with a marker in their environment.
private func processes(marked marker: String) -> Int {
  let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
  return names.count { name in
    Int(name) != nil && (try? Data(contentsOf: URL(filePath: "/proc/\(name)/environ")))?.range(of: Data(marker.utf8)) != nil
  }
}

/// The PIDs of the children of a process, zombies included.
private func childProcesses(of parent: pid_t) -> [pid_t] {
  let processes = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { pid_t($0) }
  return processes.filter { process in
    guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
    // The name of the program, in parentheses, comes before.
    return status.split(separator: ")").last?.split(separator: " ").dropFirst().first.map { pid_t($0) } == parent
  }
}

private func require(_ condition: Bool, _ problem: String) throws {
  if !condition { throw Unexpected(description: problem) }
}
