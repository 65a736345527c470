import Glibc
import Synchronization
import TestSupport
import Testing

@testable import TroupeHost

@Suite("Functions of libraries that are not thread-safe", .timeLimit(.minutes(60)))
struct CallLockTests {
  /// The text of an adoption file of the library.
  private static func text(_ digit: Int = 0, threads: String = "one") -> String {
    let functions = [
      ("same", "int64_t (int64_t number)"),
      ("text", "const char *(const char *text)"),
      ("call", "int64_t (int64_t (*callback)(int64_t number), int64_t number)"),
      ("make", "struct racy; owned(racy_free) struct racy *(int64_t number)"),
      ("fail", "int64_t (int64_t number) error(negative: racy_reason())"),
      ("overlaps", "int64_t (void)"),
    ].enumerated().map { index, function in
      """
      {"uuid": "ad0b0000-0000-4000-8000-0000000000\(digit)\(index)", "name": "\(function.0)\(digit == 0 ? "" : "\(digit)")",
       "symbol": "racy_\(function.0)", "signature": "\(function.1)"}
      """
    }
    return """
      {"id": "org.example.racy\(digit)", "name": "Racy", "version": "1.0.0", "library": "./libracy.so", "threads": "\(threads)",
       "functions": [\(functions.joined(separator: ","))]}
      """
  }

  private static func directory(files: Int = 1, threads: String = "one") throws -> PluginDirectory {
    let directory = try PluginDirectory()
    try directory.add("healthy/racy-library.c", as: "libracy")
    for digit in 0..<files { try directory.write("racy\(digit).troupe.json", text(digit, threads: threads).utf8) }
    return directory
  }

  /// Starts a host whose plugins run in workers.
  private static func startIsolated(_ directory: PluginDirectory, deadline: Duration) async throws -> PluginHost {
    var options = directory.options()
    var policy = WorkerPolicy()
    policy.deadline = deadline
    options.isolation = .worker(policy)
    options.probeExecutable = Repo.products + "/troupe-probe"
    let host = PluginHost(options)
    await host.start()
    return host
  }

  private static func start(_ directory: PluginDirectory) async throws -> PluginHost {
    let host = directory.host()
    await host.start()
    try #require(host.plugins.allSatisfy { $0.state == .active }, "\(host.plugins)")
    return host
  }

  private static func function(_ name: String, of host: PluginHost) throws -> ForeignFunction {
    try host.function(#require(host.functions(name).first, "no function \(name)"))
  }

  /// Runs a closure on four threads at once, with numbers that differ. Requires that it throws on none.
  private static func race(count: Int = 50, _ body: @escaping @Sendable (Int64) throws -> Bool) {
    let failures = Mutex<[String]>([])
    let wrong = Counter()
    let threads = (0..<4).map { (thread: Int64) in
      JoinableThread {
        do {
          for number in 0..<Int64(count) where try !body(1000 * thread + number) { wrong.add() }
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(failures.withLock(\.self) == [])
    #expect(wrong.value == 0)
  }

  /// A way to call the library.
  enum Way: CaseIterable { case call, values, text, typed, texts, map, rows, loop, reference, failure }

  private static func body(_ way: Way, _ host: PluginHost) throws -> @Sendable (Int64) throws -> Bool {
    let (same, text) = (try function("same", of: host), try function("text", of: host))
    switch way {
    case .call: return { try same.call([.integer(Int128($0))]) == .integer(Int128($0)) }
    case .values:
      let registration = try #require(host.functions("same").first)
      return { number in try host.call(registration, .json("[\(number)]")) == .integer(Int128(number)) }
    case .text: return { try text.call([.string("\($0)")]) == .string("\($0)") }
    case .typed:
      let typed = try same.typed(as: ((Int64) -> Int64).self)
      return { typed($0) == $0 }
    case .texts:
      let typed = try text.typed(as: ((String) -> String?).self)
      return { try typed("\($0)") == "\($0)" }
    case .map: return { try same.map([$0, $0 + 1], as: Int64.self) == [$0, $0 + 1] }
    case .rows:
      // A rule for failures has no loop.
      let fail = try function("fail", of: host)
      return { number in
        let failures = Mutex<[String]>([])
        let options = MapOptions(rowFailure: .isNull) { _, error in failures.withLock { $0.append(error.problem) } }
        var (result, validity): (Int64, UInt8) = (0, 0)
        var argument = number
        try withUnsafeMutableBytes(of: &argument) { argument in
          try withUnsafeMutableBytes(of: &result) { result in
            try withUnsafeMutableBytes(of: &validity) { validity in
              _ = try fail.map(
                [Column(.int64, data: argument.baseAddress, stride: 8)], rows: 1,
                into: [
                  OutputColumn(
                    .int64, data: result.baseAddress, stride: 8,
                    validity: validity.baseAddress?.assumingMemoryBound(to: UInt8.self))
                ], options: options)
            }
          }
        }
        return failures.withLock(\.self).first?.hasSuffix("failure \(number)") == true
      }
    case .loop:
      let loop = try #require(same.loop)
      typealias Loop =
        @convention(c) (
          UnsafeMutablePointer<UnsafeMutablePointer<CChar>>, UnsafePointer<Int>, UnsafePointer<Int>, UnsafeMutableRawPointer?
        ) -> Void
      let run = unsafeBitCast(UnsafeRawPointer(bitPattern: loop.function), to: Loop.self)
      return { number in
        var (argument, result) = (number, Int64(0))
        withUnsafeMutableBytes(of: &argument) { argument in
          withUnsafeMutableBytes(of: &result) { result in
            var addresses = [argument, result].compactMap { $0.baseAddress?.assumingMemoryBound(to: CChar.self) }
            var rows = 1
            run(&addresses, &rows, [8, 8], UnsafeMutableRawPointer(bitPattern: loop.data))
          }
        }
        return result == number
      }
    case .reference:
      let make = try function("make", of: host)
      return { number in
        guard case .reference(let reference) = try make.call([.integer(Int128(number))]) else { return false }
        if number.isMultiple(of: 2) { try reference.close() }
        return true
      }
    case .failure:
      let fail = try function("fail", of: host)
      return { number in
        do {
          _ = try fail.call([.integer(Int128(number))])
          return false
        } catch let error as CallError {
          return error.problem.hasSuffix("failure \(number)")
        }
      }
    }
  }

  @Test("One thread at a time runs them, whatever the way of the call", .inProcess, arguments: Way.allCases)
  func ways(_ way: Way) async throws {
    let host = try await Self.start(Self.directory())
    Self.race(try Self.body(way, host))
    #expect(try host.call("overlaps") == .integer(0))
  }

  @Test("With \"threads\": \"any\" several threads run them at once", .inProcess)
  func anyThread() async throws {
    let host = try await Self.start(Self.directory(threads: "any"))
    let same = try Self.function("same", of: host)
    #expect(same.isCallableFromAnyThread && same.address != nil)
    // Ends as soon as two threads meet.
    while try host.call("overlaps") == .integer(0) {
      Self.race(count: 10) { try same.call([.integer(Int128($0))]) == .integer(Int128($0)) }
    }
  }

  @Test("Two files that adopt one library, and two hosts, take turns", .inProcess, arguments: [true, false])
  func shared(hasTwoHosts: Bool) async throws {
    let directory = try Self.directory(files: 2)
    let host = try await Self.start(directory)
    let other = hasTwoHosts ? try await Self.start(directory) : host
    let functions = [try Self.function("same", of: host), try Self.function("same1", of: other)]
    Self.race { try functions[Int($0 / 1000) % 2].call([.integer(Int128($0))]) == .integer(Int128($0)) }
    #expect(try host.call("overlaps") == .integer(0))
  }

  @Test("A callback may call the library again, also a function of the library that an argument names")
  func callbacks() async throws {
    let host = try await Self.start(Self.directory())
    let (call, same) = (try Self.function("call", of: host), try Self.function("same", of: host))
    let registration = try #require(host.functions("call").first)
    Self.race(count: 10) { number in
      let callback = try Callback(signature: try Signature(parsing: "int64_t (int64_t number)")) { try same.call($0) }
      return try call.call([.callback(callback), .integer(Int128(number))]) == .integer(Int128(number))
        && host.call(registration, .json("[\"same\", \(number)]")) == .integer(Int128(number))
    }
    #expect(try host.call("overlaps") == .integer(0))
  }

  @Test("Tasks that call them in the background take turns", .inProcess)
  func background() async throws {
    let host = try await Self.start(Self.directory())
    let same = try Self.function("same", of: host)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<50 {
        group.addTask { try await same.callInBackground([.integer(Int128(number))]) == .integer(Int128(number)) }
      }
      for try await isRight in group { #expect(isRight) }
    }
    #expect(try host.call("overlaps") == .integer(0))
  }

  @Test("They have no address, which calls without the lock")
  func address() async throws {
    let host = try await Self.start(Self.directory())
    #expect(try Self.function("same", of: host).address == nil)
  }

  @Test(
    "In a worker one thread at a time runs them",
    arguments: [Way.call, .text, .map, .rows, .reference, .failure])
  func isolated(_ way: Way) async throws {
    let directory = try Self.directory()
    let host = try await Self.startIsolated(directory, deadline: .seconds(120))
    Self.race(count: 20, try Self.body(way, host))
    #expect(try host.call("overlaps") == .integer(0))
  }

  @Test("The deadline of a call begins when the calls before it have ended")
  func deadline() async throws {
    let directory = try Self.directory()
    let host = try await Self.startIsolated(directory, deadline: .seconds(20))
    let (call, same) = (try Self.function("call", of: host), try Self.function("same", of: host))
    let signature = try Signature(parsing: "int64_t (int64_t number)")
    let begun = Mutex(0)
    // Each call takes 12 seconds of its 20, and the second one waits for the first.
    let results = Mutex<[Value]>([])
    let threads = (0..<2).map { number in
      JoinableThread {
        let callback = try? Callback(signature: signature) { arguments in
          begun.withLock { $0 += 1 }
          usleep(12_000_000)
          return try same.call(arguments)
        }
        guard let callback, let result = try? call.call([.callback(callback), .integer(Int128(number))]) else { return }
        results.withLock { $0.append(result) }
      }
    }
    for thread in threads { thread.join() }
    #expect(results.withLock(\.count) == 2 && begun.withLock(\.self) == 2)
  }
}
