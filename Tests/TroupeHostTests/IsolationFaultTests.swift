import Foundation
import Synchronization
import TestSupport
import Testing

@testable import TroupeFiles
@testable import TroupeHost

/// Plugins that fail or attack, each in a worker of its own. The host has one outcome for each call, and lives.
@Suite("Faults and attacks of plugins in workers") struct IsolationFaultTests {
  /// A time after which a call without an answer ends, long enough for the start of a worker on a busy machine.
  static let deadline = Duration.seconds(5)

  /// Whether the host and its next call work.
  func works(_ isolated: IsolatedHost) throws -> Bool { try isolated.call("area", .double(3), .double(4)) == .double(12) }

  // MARK: Ends

  @Test(
    "A signal ends the call, and names the function, also in a copy in memory",
    arguments: [
      ("crash", SIGSEGV, "crash"), ("overflow", SIGSEGV, "overflow"), ("trap", SIGILL, "misbehave"),
      ("abort", SIGABRT, "misbehave"),
    ], [false, true])
  func signals(how: (name: String, signal: Int32, function: String), isCopy: Bool) async throws {
    let (how, signal, function) = how
    let isolated = try await IsolatedHost(opensCopies: isCopy)
    guard
      case .crashed(.signal(signal), let location?, .unknown, _)? = isolated.failure("misbehave", .string(how)) as? WorkerError
    else {
      Issue.record("\(String(describing: isolated.failure("misbehave", .string(how))))")
      return
    }
    #expect(location.contains(function) && location.contains("+0x"))
    #expect(try works(isolated))
    #expect(try isolated.worker.restarts == 1)
  }

  /// A C++ symbol of 274 characters, each template of which has the one before twice as its arguments.
  static let explosiveSymbol: String = {
    let numbers = (0..<25).map { String(2 * $0, radix: 36, uppercase: true) }
    return "_Z1f1xIiiE" + numbers.map { "1xIS\($0)_S\($0)_E" }.joined()
  }()

  @Test(
    "A crash in a function with a forged symbol ends the call at once, and others are readable",
    arguments: [
      (explosiveSymbol, "f ("), ("_ZN4demo6Parser" + String(explosiveSymbol.dropFirst(4)), "_ZN4demo6Parser1xIiiE"),
      ("_ZN4demo6ParserC1Ev", "demo::Parser::Parser ("),
    ])
  func forgedSymbol(symbol: String, text: String) async throws {
    let isolated = try await IsolatedHost("isolation/functions.c", ["CRASH_SYMBOL": symbol.quoted])
    guard
      case .crashed(.signal(SIGSEGV), let location?, .unknown, _)? = isolated.failure("misbehave", .string("crash"))
        as? WorkerError
    else { throw ReadError("no location") }
    #expect(location.hasPrefix(text) && location.count < 200, "\(location)")
    #expect(try works(isolated))
  }

  @Test("An exit ends the call", arguments: [("_exit", Int32(3)), ("exit", 4)])
  func exits(how: String, status: Int32) async throws {
    let isolated = try await IsolatedHost()
    #expect(isolated.failure("misbehave", .string(how)) as? WorkerError == .crashed(.status(status), location: nil, .unknown))
    #expect(try works(isolated))
  }

  @Test("A call without an answer ends at its deadline", arguments: ["loop", "stop", "hang", "end thread", "wake"])
  func hangs(how: String) async throws {
    let isolated = try await IsolatedHost { $0.deadline = Self.deadline }
    #expect(isolated.failure("misbehave", .string(how)) as? WorkerError == .timedOut)
    #expect(try works(isolated))
  }

  @Test("A worker that diverts the host's wait ends the call when it ends")
  func requeue() async throws {
    let isolated = try await IsolatedHost { $0.deadline = .seconds(600) }
    guard case .crashed(.signal(SIGABRT), _, .unknown, _)? = isolated.failure("misbehave", .string("requeue")) as? WorkerError
    else {
      Issue.record("the call does not end with the worker")
      return
    }
    #expect(try works(isolated))
  }

  @Test("What a plugin prints before a call fails is in the log before the error, to the last byte")
  func outputOfFailures() async throws {
    let isolated = try await IsolatedHost()
    for number in 0..<60 {
      let error = isolated.failure("tell", .integer(Int128(number)), .integer(1))
      #expect(error is CallError)
      #expect(isolated.printed == (0...number).flatMap { ["line \($0)", "rest of \($0)"] })
    }
    let numbers: [Int32] = [100, 101]
    let tell = try isolated.host.function(#require(isolated.host.functions("tell").first))
    #expect(throws: CallError.self) { try tell.map(numbers, [Int32(1)], as: Int32.self) }
    #expect(isolated.printed.suffix(2) == ["line 100", "rest of 100"])
    #expect(try nullRows(of: tell, [102, 103], failing: [1, 0]) == [true, false])
    #expect(isolated.printed.suffix(2) == ["line 102", "rest of 102line 103"])
  }

  /// Calls the function for each number, and returns which rows failed and are null.
  private func nullRows(of function: ForeignFunction, _ numbers: [Int32], failing: [Int32]) throws -> [Bool] {
    let results = UnsafeMutableBufferPointer<Int32>.allocate(capacity: numbers.count)
    let validity = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
    defer {
      results.deallocate()
      validity.deallocate()
    }
    let output = OutputColumn(.int32, data: results.baseAddress, stride: 4, validity: validity)
    let count = try numbers.withUnsafeBufferPointer { numbers in
      try failing.withUnsafeBufferPointer { failing in
        let columns = [Column(numbers), Column(failing)]
        return try function.map(columns, rows: numbers.count, into: [output], options: MapOptions(rowFailure: .isNull))
      }
    }
    let isNull = numbers.indices.map { validity.pointee & 1 << $0 == 0 }
    #expect(count == isNull.count { $0 })
    return isNull
  }

  @Test(
    "What a plugin prints before it ends its worker is in the log before the error, and in the error",
    arguments: [(2, .signal(SIGABRT)), (3, .status(3)), (4, .status(4))] as [(Int, WorkerError.End)])
  func outputOfEnds(how: Int, end: WorkerError.End) async throws {
    for number in 0..<40 {
      let isolated = try await IsolatedHost()
      let error = isolated.failure("tell", .integer(Int128(number)), .integer(Int128(how))) as? WorkerError
      guard case .crashed(end, _, .unknown, let output)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      let lines = ["line \(number)", "rest of \(number)"]
      #expect(isolated.printed == lines)
      #expect(output == "\"\(lines.joined(separator: " / "))\"")
      #expect("\(try #require(error))".contains("said \"line \(number)"))
    }
  }

  @Test("The last lines in an error are short, and safe for a terminal")
  func lastLines() async throws {
    let isolated = try await IsolatedHost()
    _ = try isolated.call("print", .string("\u{1B}[31m" + String(repeating: "x", count: 5000)), .integer(3))
    guard case .crashed(_, _, _, let output?)? = isolated.failure("misbehave", .string("abort")) as? WorkerError else {
      Issue.record("the error has no lines")
      return
    }
    #expect(output.utf8.count < 400 && !output.contains("\u{1B}"))
  }

  @Test("Limits of memory and of threads end the worker")
  func limits() async throws {
    let isolated = try await IsolatedHost { policy in
      policy.memory = 1 << 30
      policy.threads = 64
    }
    guard case .crashed(.signal(SIGABRT), _, .unknown, _)? = isolated.failure("misbehave", .string("memory")) as? WorkerError
    else {
      Issue.record("the memory is not limited")
      return
    }
    // The kernel refuses the threads of an ordinary user, and the host ends a worker of root.
    let outcome = try? isolated.call("misbehave", .string("threads"))
    if let outcome { #expect(outcome.integer.map { $0 < 64 } == true) } else { #expect(try isolated.worker.failures == 2) }
    #expect(try works(isolated))
  }

  @Test("A killed worker ends each of 64 calls in flight once")
  func callsInFlight() async throws {
    let isolated = try await IsolatedHost { $0.concurrentCalls = 64 }
    let function = try isolated.host.function(#require(isolated.host.functions("call_back").first))
    let process = try #require(isolated.worker.process)
    let begun = Atomic(0)
    let crashed = Atomic(0)
    let others = Atomic(0)
    let type = try Signature(parsing: "int (int value)")
    // The callbacks of all calls wait until the last one has come.
    let threads = (0..<64).map { _ in
      JoinableThread {
        do {
          let callback = try Callback(signature: type) { _ in
            if begun.add(1, ordering: .sequentiallyConsistent).newValue == 64 { kill(process, SIGKILL) }
            while begun.load(ordering: .sequentiallyConsistent) < 64 { sched_yield() }
            return .integer(0)
          }
          _ = try function.call([.callback(callback), .integer(1)])
          others.add(1, ordering: .relaxed)
        } catch WorkerError.crashed(.signal(SIGKILL), _, .unknown, _) {
          crashed.add(1, ordering: .relaxed)
        } catch {
          others.add(1, ordering: .relaxed)
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(crashed.load(ordering: .relaxed) == 64)
    #expect(others.load(ordering: .relaxed) == 0)
  }

  @Test("A worker outlives the thread that started it")
  func threadEnds() async throws {
    let directory = try PluginDirectory()
    try directory.add("isolation/functions.c")
    var options = directory.options()
    options.isolation = .worker(WorkerPolicy())
    options.probeExecutable = Repo.products + "/troupe-probe"
    let host = PluginHost(options)
    JoinableThread { try? host.load() }.join()
    let process = try #require(host.workers.first?.process)
    #expect(try host.function(#require(host.functions("area").first)).call([.double(3), .double(4)]) == .double(12))
    #expect(host.workers.first?.process == process)
  }

  @Test("An executable that does not answer as a worker is the fault, and not the plugin", arguments: [0, 70])
  func foreignExecutable(status: Int) async throws {
    let directory = try PluginDirectory()
    try directory.add("isolation/functions.c")
    let executable = try directory.write("other", "#!/bin/sh\necho old\nexit \(status)\n".utf8)
    try setMode(0o755, of: executable)
    var options = directory.options()
    options.isolation = .worker(WorkerPolicy())
    options.probeExecutable = executable
    let host = PluginHost(options)
    await host.start()
    let plugin = try #require(host.plugins.first)
    let diagnosis = try #require(plugin.state.diagnosis)
    #expect(diagnosis.code == .missingResource && diagnosis.subject == plugin.path)
    #expect(
      diagnosis.problem == "cannot be loaded in a worker: the probe executable \(executable) does not answer as a worker: "
        + "it ended with status \(status), and said \"old\"")
    #expect(
      diagnosis.remedy == "set the probe executable to the troupe-probe that belongs to libTroupe.so, or reinstall Troupe")
  }

  @Test("A worker that keeps crashing is not started for a time, and the events say so")
  func crashLoop() async throws {
    let isolated = try await IsolatedHost()
    let events = isolated.host.workerEvents
    var last: WorkerError?
    for _ in 0..<7 { last = isolated.failure("misbehave", .string("crash")) as? WorkerError }
    guard case .circuitOpen(let pause)? = last else {
      Issue.record("\(String(describing: last))")
      return
    }
    #expect(pause > .zero)
    let status = try isolated.worker
    #expect(status.circuit == .open && status.failures == 6 && status.restarts == 5 && status.process == nil)
    isolated.host.shutdown()
    let transitions = await events.reduce(into: [WorkerEvent.Transition]()) { $0.append($1.transition) }
    #expect(transitions.count { if case .ended(_, .signal(SIGSEGV)) = $0 { true } else { false } } == 6)
    #expect(transitions.contains(.circuitOpened))
  }

  @Test("A call runs at most once, unless its function is idempotent")
  func atMostOnce() async throws {
    let files = try TemporaryDirectory()
    let isolated = try await IsolatedHost { $0.writable = [files.path] }
    guard case .crashed? = isolated.failure("append", .string(files.file("once")), .integer(1)) as? WorkerError else {
      Issue.record("the worker lives")
      return
    }
    #expect(try Data(contentsOf: URL(filePath: files.file("once"))).count == 1)
    #expect(try isolated.call("append_again", .string(files.file("twice")), .integer(1)) == .integer(2))
    #expect(isolated.failure("append_again", .string(files.file("more")), .integer(5)) is WorkerError)
    #expect(try Data(contentsOf: URL(filePath: files.file("more"))).count == 2)
  }

  @Test("With a standby, a crash is followed by the process that waits")
  func standby() async throws {
    let isolated = try await IsolatedHost { $0.keepsStandby = true }
    for _ in 0..<3 {
      _ = isolated.failure("misbehave", .string("crash"))
      #expect(try works(isolated))
    }
    #expect(try isolated.worker.restarts == 3)
  }

  @Test("The cancellation of a task ends its call, and the worker")
  func cancellation() async throws {
    let isolated = try await IsolatedHost()
    let function = try isolated.host.function(#require(isolated.host.functions("misbehave").first))
    let call = Task { try await function.callInBackground([.string("hang")]) }
    while try isolated.worker.calls == 0 { await Task.yield() }
    call.cancel()
    let result = await call.result
    #expect(throws: WorkerError.cancelled) { try result.get() }
    #expect(try works(isolated))
  }

  @Test("A call whose worker is ended because of another call says so")
  func otherCall() async throws {
    let isolated = try await IsolatedHost { $0.deadline = .seconds(600) }
    let function = try isolated.host.function(#require(isolated.host.functions("misbehave").first))
    let calls = (0..<2).map { _ in Task { try await function.callInBackground([.string("say and hang")]) } }
    while isolated.printed.count < 2 { await Task.yield() }
    calls[0].cancel()
    let (first, second) = (await calls[0].result, await calls[1].result)
    #expect(throws: WorkerError.cancelled) { try first.get() }
    let error = WorkerError.crashed(.host(.cancelled), location: nil, .unknown)
    #expect(throws: error) { try second.get() }
    #expect(error.description.hasPrefix("its worker was ended, since another call was cancelled, in the call, "))
    #expect(try works(isolated))
  }

  @Test("More processor time than the policy allows is named")
  func processorTime() async throws {
    let isolated = try await IsolatedHost { $0.processorTime = .seconds(1) }
    let error = isolated.failure("misbehave", .string("loop")) as? WorkerError
    guard case .crashed(.signal(SIGXCPU), _, .unknown, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect("\(try #require(error))".contains("used more processor time than its policy allows"))
  }

  @Test("What the system refuses a plugin leads to its policy")
  func refused() async throws {
    let isolated = try await IsolatedHost()
    let error = isolated.failure("tell", .integer(1), .integer(5)) as? CallError
    #expect(error?.code == .system(EACCES))
    #expect(error?.remedy.hasPrefix("grant what it opens in the worker's policy, such as read:PATH, or ") == true)
  }

  @Test("The policy's threads are those of the plugin")
  func fewThreads() async throws {
    let isolated = try await IsolatedHost { ($0.threads, $0.concurrentCalls) = (4, 8) }
    // For longer than the interval in which the host counts threads.
    let end = ContinuousClock.now.advanced(by: .milliseconds(300))
    while ContinuousClock.now < end { #expect(try works(isolated)) }
    #expect(try isolated.worker.restarts == 0)
  }

  // MARK: The policy

  @Test("A file is reachable only if it is granted")
  func files() async throws {
    let files = try TemporaryDirectory()
    try files.write("readable", [1])
    let other = try TemporaryDirectory()
    let isolated = try await IsolatedHost { policy in
      policy.readable = [files.path]
      policy.writable = [files.file("sub")]
    }
    #expect(try isolated.call("read_file", .string("/etc/passwd")) == .integer(Int128(-EACCES)))
    #expect(try isolated.call("read_file", .string(files.file("readable"))) == .integer(0))
    #expect(try isolated.call("write_file", .string(files.file("readable"))) == .integer(Int128(-EACCES)))
    #expect(try isolated.call("write_file", .string(other.file("new"))) == .integer(Int128(-EACCES)))
    #expect(try isolated.call("read_file", .string(isolated.directory.path + "/functions.so")) == .integer(0))
  }

  @Test(
    "The network, programs and other processes are refused with an error number, and the call goes on",
    arguments: ["socket", "fork", "exec", "kill parent", "system", "popen"])
  func calls(how: String) async throws {
    let isolated = try await IsolatedHost()
    #expect(try isolated.call("misbehave", .string(how)) == .integer(Int128(-EPERM)))
    #expect(try isolated.worker.restarts == 0)
  }

  @Test(
    "A system call that only attacks make ends the worker, and is named unless the plugin blocks signals",
    arguments: [("trace", "ptrace"), ("trace with blocked signals", "unknown")])
  func attacks(how: String, name: String) async throws {
    let isolated = try await IsolatedHost()
    #expect(isolated.failure("misbehave", .string(how)) as? WorkerError == .policyViolation(systemCall: name))
    #expect(try works(isolated))
  }

  @Test("Users, groups, hosts and interfaces are asked for and not found, and the system's log gets nothing")
  func questions() async throws {
    let isolated = try await IsolatedHost()
    #expect(try isolated.call("ask_system") == .integer(0))
    #expect(try isolated.worker.restarts == 0)
  }

  @Test("A policy admits single system calls")
  func admittedCalls() async throws {
    let isolated = try await IsolatedHost { $0.systemCalls = ["socket"] }
    #expect(try isolated.call("misbehave", .string("socket")) == .integer(0))
    #expect(try isolated.call("misbehave", .string("fork")) == .integer(Int128(-EPERM)))
  }

  @Test("A policy passes named variables, and none of the loader")
  func variables() async throws {
    setenv("TROUPE_TEST_PASSED", "no", 1)
    setenv("OMP_NUM_THREADS", "3", 1)
    defer { unsetenv("OMP_NUM_THREADS") }
    let isolated = try await IsolatedHost { $0.environment = ["OMP_NUM_THREADS", "NOT_SET_ANYWHERE"] }
    #expect(try isolated.call("variable", .string("OMP_NUM_THREADS")) == .string("3"))
    #expect(try isolated.call("variable", .string("NOT_SET_ANYWHERE")) == .string(nil))
    for name in ["LD_PRELOAD", "LD_AUDIT", "TROUPE_TEST_PASSED", "A=B", ""] {
      let refused = try await IsolatedHost { $0.environment = [name] }
      #expect(refused.host.plugins.first?.state.diagnosis?.code == .usage, "\(name)")
    }
  }

  @Test("A worker has three descriptors, and no variable of the host but for the loader and the language")
  func inheritance() async throws {
    setenv("TROUPE_TEST_SECRET", "secret", 1)
    let file = open("/dev/null", O_RDONLY)
    defer { close(file) }
    let isolated = try await IsolatedHost()
    for name in ["TROUPE_TEST_SECRET", "HOME", "PATH", "USER"] {
      #expect(try isolated.call("variable", .string(name)) == .string(nil))
    }
    #expect(try isolated.call("descriptors") == .integer(3))
  }

  @Test(
    "A missing layer is reported, the others hold, and a required one is not missed", arguments: WorkerPolicy.Layer.allCases)
  func missingLayers(layer: WorkerPolicy.Layer) async throws {
    let others = Set(WorkerPolicy.Layer.allCases).subtracting([layer])
    let isolated = try await IsolatedHost(layers: others)
    #expect(try works(isolated))
    #expect(try !isolated.worker.enforced.contains(layer))
    if layer != .files { #expect(try isolated.call("read_file", .string("/etc/passwd")) == .integer(Int128(-EACCES))) }
    if layer != .calls {
      #expect(try isolated.call("misbehave", .string("socket")) == .integer(Int128(-EPERM)))
    }
    let strict = try await IsolatedHost(layers: others) { $0.required = [layer] }
    #expect(strict.host.plugins.first?.state.diagnosis?.code == .notPermitted)
    #expect(strict.host.registrations.isEmpty)
  }

  // MARK: The channel

  @Test("A worker that writes over the whole channel harms itself only", arguments: [UInt8(0), 0x7F, 0xFF])
  func wildWrites(byte: UInt8) async throws {
    let isolated = try await IsolatedHost { policy in
      policy.deadline = Self.deadline
      policy.concurrentCalls = 2
    }
    let error = isolated.failure("write_to_channel", .integer(0), .integer(Int128(byte)), .integer(4 * 65664))
    #expect(error == nil || error is WorkerError)
    // The worker may end at the next message.
    let next = isolated.failure("area", .double(3), .double(4))
    #expect(next == nil || next is WorkerError)
    #expect(try works(isolated))
  }

  /// Messages in the place of an answer: kinds that are no answers, and wrong contents. Only the first bytes are given; the count is that of
  /// the message.
  static let forgeries: [(kind: UInt32, count: UInt32, bytes: [UInt8])] =
    noAnswers + malformedValues + wildLengths + malformedErrors + foreignCallbacks + largeMessages
  private typealias Forgery = (kind: UInt32, count: UInt32, bytes: [UInt8])
  private static let noAnswers: [Forgery] = [
    (0, 0, []), (4_711, 8, []), (UInt32.max, 0, []), (1, 0, []), (4, 16, []), (104, 4, [255]),
  ]
  private static let malformedValues: [Forgery] = [(100, 0, []), (100, 1, [255]), (100, 5, [9, 255, 255, 255, 255])]
  private static let wildLengths: [Forgery] = [(100, 65_537, []), (100, UInt32.max, [])]
  private static let malformedErrors: [Forgery] = [(101, 1, [77]), (101, 0, [])]
  private static let foreignCallbacks: [Forgery] = [
    (103, 8, [0, 0, 0, 0]), (103, 5, [7, 0, 0, 0, 12]), (103, 5, [255, 255, 255, 255, 12]),
  ]
  private static let largeMessages: [Forgery] = [(0x0100_0000, 20, []), (0x0100_0002, 0, []), (0x0100_0001, 3, [])]

  @Test("A forged answer is refused", arguments: forgeries)
  func forgery(kind: UInt32, count: UInt32, bytes: [UInt8]) async throws {
    let isolated = try await IsolatedHost { $0.concurrentCalls = 1 }
    let error = isolated.failure(
      "forge", .integer(Int128(kind)), .integer(Int128(count)), .bytes(bytes), .bool(false))
    #expect(error as? WorkerError == .badReply, "\(String(describing: error))")
    #expect(try works(isolated))
  }

  @Test("A wild counter of the output of a transform is ignored or refused")
  func wildCounter() async throws {
    let isolated = try await IsolatedHost()
    for _ in 0..<20 {
      let (stage, output) = (try await isolated.transform(), CollectedOutput())
      do { try stage.feed(Array("wild".utf8).span, to: output) } catch { #expect(error is WorkerError) }
      #expect(output.bytes.count <= 192 << 10)
    }
  }

  @Test("A result that claims more than the shared memory is an error")
  func hugeResult() async throws {
    let isolated = try await IsolatedHost { policy in
      policy.concurrentCalls = 1
      policy.deadline = Self.deadline
    }
    var message = RecordWriter()
    message.write(number: UInt32(100))
    message.write(number: UInt64(0))
    message.write(number: UInt64(1) << 60)
    let error = isolated.failure("forge", .integer(0x0100_0001), .integer(20), .bytes(message.bytes), .bool(false))
    #expect(error is WorkerError)
    #expect(try works(isolated))
  }

  @Test("Bytes that another thread changes are validated after they were copied")
  func changingBytes() async throws {
    let isolated = try await IsolatedHost { $0.concurrentCalls = 1 }
    // An array whose number of elements changes: a kind, the count, and no elements.
    for _ in 0..<5 {
      let bytes = [UInt8(12), 0, 0, 0, 0, 0, 0, 0, 0, 0]
      let error = isolated.failure("forge", .integer(100), .integer(64), .bytes(bytes), .bool(true))
      #expect(error is WorkerError)
      if case .circuitOpen? = error as? WorkerError { break }
    }
  }

  @Test("A flood of lines makes the worker wait", arguments: [(999, 30_000), (0, 500_000)])
  func flood(length: Int, lines: Int) async throws {
    let isolated = try await IsolatedHost { $0.deadline = Self.deadline }
    let line = String(repeating: "x", count: length)
    #expect(isolated.failure("print", .string(line), .integer(Int128(Int32.max))) as? WorkerError == .timedOut)
    // At most 4 MiB in a second, where each line counts as 64 bytes more, and a pipe.
    #expect(isolated.log.all.count < lines)
    #expect(try works(isolated))
  }

  @Test("Lines that a plugin logs or prints are in the log with the worker; logged ones before the call returns")
  func log() async throws {
    let isolated = try await IsolatedHost()
    let process = try #require(isolated.worker.process)
    #expect(try isolated.call("write_log", .string("a\nb"), .integer(2)) == .integer(2))
    let line = "warning org.example.functions (worker \(process)): a\nb"
    #expect(isolated.log.all.filter { $0 == line }.count == 2)
    _ = try isolated.call("print", .string("printed"), .integer(1))
    while !isolated.log.all.contains("info org.example.functions (worker \(process)): printed") { await Task.yield() }
  }
}

extension Value {
  fileprivate var integer: Int128? { if case .integer(let integer) = self { integer } else { nil } }
}
