import Foundation
import Synchronization
import TestSupport
import Testing

@testable import TroupeHost

@Suite("Plugins in workers") struct IsolationTests {
  // MARK: Values

  @Test("Arguments and results of every kind are the same as in the process of the host")
  func values() async throws {
    let isolated = try await IsolatedHost()
    #expect(try isolated.call("area", .double(3), .double(4.5)) == .double(13.5))
    #expect(try isolated.call("area", .integer(3), .integer(4)) == .double(12))
    #expect(try isolated.call("joined", .string("ä"), .string("☃")) == .string("ä☃"))
    #expect(try isolated.call("sum", .packedArray(Value.PackedArray([1.0, 2, 3.5]))) == .double(6.5))
    #expect(try isolated.call("sum", .array([.integer(1), .double(2)])) == .double(3))
    #expect(try isolated.call("sum", .null) == .double(0))
    #expect(
      try isolated.call("count_up", .array([.integer(1), .integer(-1)]))["values"] == .array([.integer(2), .integer(0)]))
    #expect(try isolated.call("repeated", .integer(7), .integer(3)) == .bytes([7, 7, 7]))
    let point = Value.structure([.init("x", .double(1)), .init("y", .double(2))])
    #expect(try isolated.call("mirrored", point)["x"] == .double(2))
    let quotient = try isolated.call("divide", .integer(7), .integer(2))
    #expect(quotient["quotient"] == .integer(3) && quotient["rest"] == .integer(1) && quotient["return"] == .integer(0))
  }

  @Test("Large buffers cross in both directions")
  func largeBuffers() async throws {
    let isolated = try await IsolatedHost()
    let ones = Value.packedArray(Value.PackedArray([Double](repeating: 1, count: 1 << 20)))
    #expect(try isolated.call("sum", ones) == .double(1_048_576))
    let bytes = try isolated.call("repeated", .integer(9), .integer(20 << 20))
    #expect(bytes == .bytes([UInt8](repeating: 9, count: 20 << 20)))
  }

  @Test("Memory of the caller is copied, and copied back if the function writes to it", arguments: [1, 3, 100_000])
  func callerMemory(count: Int) async throws {
    let isolated = try await IsolatedHost()
    let numbers = try ForeignMemory(.double, count: count)
    numbers.withUnsafeMutableBytes { bytes in
      for index in 0..<count { bytes.storeBytes(of: 2, toByteOffset: 8 * index, as: Double.self) }
    }
    #expect(try isolated.call("sum", .memory(numbers)) == .double(2 * Double(count)))
    let integers = try ForeignMemory("int32_t", count: count)
    let result = try isolated.call("count_up", .memory(integers))
    #expect(result["values"] == .array([Value](repeating: .integer(1), count: count)))
    #expect(integers.withUnsafeMutableBytes { $0.loadUnaligned(fromByteOffset: 4 * (count - 1), as: Int32.self) } == 1)
    let points = try ForeignMemory("struct point { double x, y; }", count: min(count, 3))
    try points.write(.double(7), to: count == 1 ? "x" : "[0].x")
    _ = try isolated.call("mirror_all", .memory(points))
    #expect(try points.read(count == 1 ? "y" : "[0].y") == .double(7))
    #expect(try points.read(count == 1 ? "x" : "[0].x") == .double(0))
  }

  @Test("A buffer that the host allocated for the function is shared, and of no use after the worker has ended")
  func sharedBuffer() async throws {
    let isolated = try await IsolatedHost()
    let function = try isolated.host.function(#require(isolated.host.functions("sum").first))
    let memory = try function.allocateBuffer(.double, count: 1000)
    #expect(try function.call([.memory(memory)]) == .double(0))
    try memory.write(.array((0..<1000).map { .double(Double($0)) }))
    #expect(try function.call([.memory(memory)]) == .double(499_500))
    let counting = try isolated.host.function(#require(isolated.host.functions("count_up").first))
    let numbers = try counting.allocateBuffer(CType(parsing: "int32_t"), count: 3)
    _ = try counting.call([.memory(numbers)])
    #expect(try numbers.read("[2]") == .integer(1))
    _ = isolated.failure("misbehave", .string("crash"))
    // The memory stays, and is copied to the new process.
    #expect(try memory.read("[999]") == .double(999))
    #expect(try function.call([.memory(memory)]) == .double(499_500))
    #expect { try function.allocateBuffer(.double, count: 1 << 40) } throws: {
      if case .tooLarge? = $0 as? WorkerError { true } else { false }
    }
  }

  @Test("A map crosses in batches, with nulls, errors of rows and repeated values")
  func map() async throws {
    let isolated = try await IsolatedHost()
    let area = try isolated.host.function(#require(isolated.host.functions("area").first))
    let widths = (0..<300_000).map { Double($0) }
    #expect(try area.map(widths, 2.0) as [Double] == widths.map { $0 * 2 })
    #expect(try area.map([1.0, 2], [3.0, 4]) as [Double] == [3, 8])
    let divide = try isolated.host.function(#require(isolated.host.functions("divide").first))
    let (numbers, divisors) = ([Int32](repeating: 7, count: 100), (0..<100).map { Int32($0 % 10) })
    let results = UnsafeMutablePointer<Int32>.allocate(capacity: 300)
    let bitmaps = UnsafeMutablePointer<UInt8>.allocate(capacity: 39)
    results.initialize(repeating: -1, count: 300)
    bitmaps.initialize(repeating: 0, count: 39)
    defer {
      results.deallocate()
      bitmaps.deallocate()
    }
    let failed = Mutex<[Int]>([])
    var options = MapOptions(rowFailure: .isNull) { row, error in
      if error.code == .system(EDOM) { failed.withLock { $0.append(row) } }
    }
    func run() throws -> Int {
      try numbers.withUnsafeBufferPointer { numbers in
        try divisors.withUnsafeBufferPointer { divisors in
          let outputs = (0..<3).map { index in
            OutputColumn(.int32, data: results + 100 * index, stride: 4, validity: bitmaps + 13 * index)
          }
          return try divide.map([Column(numbers), Column(divisors)], rows: 100, into: outputs, options: options)
        }
      }
    }
    #expect(try run() == 10)
    #expect(failed.withLock { $0 } == Array(stride(from: 0, to: 100, by: 10)))
    #expect(results[103] == 2 && results[203] == 1 && bitmaps[0] == 0b1111_1110)
    options = MapOptions()
    #expect { try run() } throws: { ($0 as? CallError)?.row == 0 }
  }

  @Test("Arguments or a result that need more shared memory than there is are an error, and the worker goes on")
  func tooLarge() async throws {
    let isolated = try await IsolatedHost { $0.sharedMemory = 1 << 20 }
    let number = try isolated.worker.process
    let ones = Value.packedArray(Value.PackedArray([Double](repeating: 1, count: 1 << 20)))
    guard case .tooLarge(_, 1 << 20)? = isolated.failure("sum", ones) as? WorkerError else { throw TestError() }
    guard case .tooLarge(_, 1 << 20)? = isolated.failure("repeated", .integer(9), .integer(20 << 20)) as? WorkerError else {
      throw TestError()
    }
    let memory = try ForeignMemory(.double, count: 1 << 20)
    guard case .tooLarge(_, 1 << 20)? = isolated.failure("sum", .memory(memory)) as? WorkerError else { throw TestError() }
    #expect(try isolated.call("area", .double(3), .double(4)) == .double(12))
    #expect(try isolated.worker.process == number)
  }

  @Test("A result whose values need more memory than the shared memory is an error, and the worker goes on")
  func manyValues() async throws {
    let isolated = try await IsolatedHost { $0.sharedMemory = 1 << 20 }
    let process = try isolated.worker.process
    let point = Value.structure([.init("x", .double(1)), .init("y", .double(2))])
    let few = try isolated.call("mirror_all", .array([Value](repeating: point, count: 1000)))
    guard case .array(let points)? = few["points"] else { throw TestError() }
    #expect(points.count == 1000 && points[999]["x"] == .double(2))
    // 330 kB in the message.
    guard
      case .tooLarge(let size, 1 << 20)? =
        isolated.failure("mirror_all", .array([Value](repeating: point, count: 10_000))) as? WorkerError
    else { throw TestError() }
    #expect(size > 1 << 20)
    #expect(try isolated.call("area", .double(3), .double(4)) == .double(12))
    #expect(try isolated.worker.process == process)
  }

  struct TestError: Error {}

  @Test("The errors of a function are the same as in the process of the host")
  func errors() async throws {
    let isolated = try await IsolatedHost()
    #expect((isolated.failure("divide", .integer(1), .integer(0)) as? CallError)?.code == .system(EDOM))
    #expect((isolated.failure("area", .double(1)) as? CallError)?.code == .argumentCount)
    let wrong = try #require(isolated.failure("area", .double(1), .string("x")) as? CallError)
    #expect(wrong.code == .argumentType && wrong.argument == CallError.Argument(index: 1, name: "height"))
    #expect((isolated.failure("divide", .integer(1 << 40), .integer(1)) as? CallError)?.code == .argumentRange)
    #expect(try isolated.worker.failures == 0)
  }

  @Test("A function with a pointer of unknown extent is unavailable, which the host says with the parameter at load")
  func unknownExtent() async throws {
    let isolated = try await IsolatedHost()
    #expect(isolated.host.functions("unknown_extent").isEmpty)
    let plugin = try #require(isolated.host.plugins.first)
    #expect(plugin.state == .active)
    let refusal = try #require(plugin.refusals.first)
    #expect(plugin.refusals.count == 1 && refusal.code == .unavailable)
    #expect(refusal.problem.contains("values") && refusal.subject.contains("unknown_extent"))
    #expect(isolated.log.all.contains { $0.contains("unknown_extent") })
  }

  @Test("A plain pointer to numbers takes elements, a size, text and memory, and gives back what the function wrote")
  func plainPointers() async throws {
    let isolated = try await IsolatedHost()
    let zeros = Value.array([.integer(0), .integer(0)])
    #expect(try isolated.call("fill", zeros, .integer(2), .integer(7)) == .array([.integer(7), .integer(7)]))
    let size = Value.structure([.init("bytes", .integer(12))])
    #expect(
      try isolated.call("fill", size, .integer(1), .integer(7)) == .array([.integer(7), .integer(0), .integer(0)]))
    #expect(try isolated.call("add", .array([.integer(1), .integer(2)]), .integer(2)) == .integer(3))
    #expect(try isolated.call("add", .null, .integer(0)) == .integer(0))
    let shout = try isolated.call("shout", .string("hallo"))
    #expect(shout["result"] == .string("!allo") && shout["text"] == .string("!allo"))
    let memory = try ForeignMemory("int", count: 2)
    #expect(try isolated.call("fill", .memory(memory), .integer(2), .integer(5)) == .void)
    #expect(try memory.read("[1]") == .integer(5))
    #expect((isolated.failure("add", .string("x"), .integer(1)) as? CallError)?.code == .argumentType)
  }

  @Test("A write behind such memory is an error, or a crash whose report names the argument")
  func overrun() async throws {
    let isolated = try await IsolatedHost()
    let text = Value.structure([.init("bytes", .integer(3))])
    #expect(try isolated.call("shout", text)["text"] == .string("!"))
    let failure = isolated.failure("fill", .array([.integer(0)]), .integer(5000), .integer(1)) as? WorkerError
    guard case .crashed(.signal(SIGSEGV), let location?, .unknown, _)? = failure else {
      Issue.record("\(failure as Any)")
      return
    }
    #expect(location.hasSuffix(", which wrote behind the memory of argument 1 \"numbers\" of fill (4 bytes)"), "\(location)")
  }

  // MARK: Lifetimes

  @Test("A lifetime keeps texts and buffers in the worker, also those of numbers")
  func lifetime() async throws {
    let isolated = try await IsolatedHost()
    func call(_ name: String, _ arguments: [Value], _ lifetime: ForeignLifetime) throws -> Value {
      try isolated.host.function(#require(isolated.host.functions(name).first)).call(arguments, keeping: lifetime)
    }
    let lifetime = ForeignLifetime()
    #expect(try call("keep_text", [.string("a text that is kept")], lifetime) == .void)
    #expect(try call("keep_numbers", [.packedArray(Value.PackedArray([Int32](repeating: 7, count: 100)))], lifetime) == .void)
    // Other calls use the memory that calls end with.
    for count in 1...50 {
      _ = try isolated.call("joined", .string(String(repeating: "x", count: count)), .string("y"))
      _ = try isolated.call("add", .array(Array(repeating: .integer(3), count: count)), .integer(Int128(count)))
    }
    #expect(try isolated.call("get_text") == .string("a text that is kept"))
    #expect(try isolated.call("get_number", .integer(99)) == .integer(7))
    withExtendedLifetime(lifetime) {}
  }

  @Test("The memory of a lifetime is released in the worker when the lifetime ends, and no earlier")
  func lifetimeEnd() async throws {
    let isolated = try await IsolatedHost { $0.memory = 1 << 30 }
    let add = try isolated.host.function(#require(isolated.host.functions("add").first))
    let large = Value.structure([.init("bytes", .integer(64 << 20))])
    for _ in 0..<40 { #expect(try add.call([large, .integer(2)], keeping: ForeignLifetime()) == .integer(0)) }
    let lifetime = ForeignLifetime()
    let error = #expect(throws: CallError.self) {
      for _ in 0..<40 { _ = try add.call([large, .integer(2)], keeping: lifetime) }
    }
    #expect(error?.code == .noMemory)
  }

  @Test("A kept argument lives in the worker for as long as the reference that the call returned")
  func kept() async throws {
    let isolated = try await IsolatedHost()
    let holders = try (0..<20).map { try isolated.call("holder_new", .string("the text of holder \($0)")) }
    for (index, holder) in holders.enumerated() {
      #expect(try isolated.call("holder_text", holder) == .string("the text of holder \(index)"))
    }
  }

  @Test("A lifetime outlives the process of its worker")
  func lifetimeAfterRestart() async throws {
    let isolated = try await IsolatedHost()
    let keep = try isolated.host.function(#require(isolated.host.functions("keep_text").first))
    let lifetime = ForeignLifetime()
    _ = try keep.call([.string("first")], keeping: lifetime)
    #expect(isolated.failure("misbehave", .string("crash")) is WorkerError)
    _ = try keep.call([.string("second")], keeping: lifetime)
    #expect(try isolated.call("get_text") == .string("second"))
  }

  // MARK: Callbacks and handles

  static let callbackType = try? Signature(parsing: "int (int value)")

  @Test("Callbacks run in the host, on the thread of the caller")
  func callbacks() async throws {
    let isolated = try await IsolatedHost()
    let calls = Mutex<[pthread_t]>([])
    let callback = try Callback(signature: #require(Self.callbackType)) { arguments in
      calls.withLock { $0.append(pthread_self()) }
      guard case .integer(let value) = arguments[0] else { return .integer(0) }
      return .integer(value * 10)
    }
    #expect(try isolated.call("call_back", .callback(callback), .integer(2)) == .integer(50))
    #expect(calls.withLock { $0.count == 2 && $0.allSatisfy { pthread_equal($0, pthread_self()) != 0 } })
  }

  @Test("The error of a callback is the error of the call")
  func failingCallback() async throws {
    let isolated = try await IsolatedHost()
    struct Refused: Error {}
    let callback = try Callback(signature: #require(Self.callbackType)) { _ in throw Refused() }
    #expect((isolated.failure("call_back", .callback(callback), .integer(2)) as? CallError)?.code == .callback)
    #expect(try isolated.call("area", .double(3), .double(4)) == .double(12))
  }

  @Test("A callback that the worker keeps after the call cannot be called in the host")
  func keptCallback() async throws {
    let isolated = try await IsolatedHost()
    let calls = Atomic(0)
    let callback = try Callback(signature: #require(Self.callbackType)) { _ in
      calls.add(1, ordering: .relaxed)
      return .integer(1)
    }
    let process = try isolated.worker.process
    // On the thread of a call, in one that passes through the fast path, and on a thread of the plugin.
    for function in ["call_kept", "call_kept", "call_kept_on_thread"] {
      _ = try isolated.call("call_back", .callback(callback), .integer(2))
      let error = try #require(isolated.failure(function, .integer(1)) as? CallError)
      #expect(error.code == .callback)
      #expect(error.problem.contains(#"argument 1 "function" of call_back"#) && error.problem.contains("had returned"))
    }
    #expect(calls.load(ordering: .relaxed) == 6)
    #expect(try isolated.call("area", .double(3), .double(4)) == .double(12))
    #expect(try isolated.worker.process == process)
  }

  @Test("A callback that is called on another thread fails the call, which names it", .inProcess)
  func callbackOnOtherThread() async throws {
    let isolated = try await IsolatedHost()
    let calls = Atomic(0)
    let callback = try Callback(signature: #require(Self.callbackType)) { _ in
      calls.add(1, ordering: .relaxed)
      return .integer(42)
    }
    let process = try isolated.worker.process
    let error = try #require(
      isolated.failure("call_back_on_thread", .callback(callback), .integer(1)) as? CallError)
    #expect(error.code == .callback && error.argument == CallError.Argument(index: 0, name: "function"))
    #expect(error.problem == "the callback was called on another thread than that of the call")
    let table = Value.structure([.init("function", .callback(callback)), .init("value", .integer(1))])
    let inMember = try #require(isolated.failure("call_member_on_thread", table) as? CallError)
    #expect(inMember.code == .callback && inMember.argument == CallError.Argument(index: 0, name: "callback.function"))
    #expect(calls.load(ordering: .relaxed) == 0)
    #expect(try isolated.call("call_back", .callback(callback), .integer(1)) == .integer(84))
    #expect(try isolated.worker.process == process)
  }

  @Test("A function that returns a pointer to a function, or whose callback cannot be called, is refused at load with a remedy")
  func functionPointers() async throws {
    let isolated = try await IsolatedHost("isolation/function_pointers.c")
    let plugin = try #require(isolated.host.plugins.first)
    #expect(plugin.state == .active)
    #expect(Set(isolated.host.registrations.map(\.name)) == ["callback", "member"])
    let problems = [
      "result": "the result is a pointer to a function of the plugin (int (*)(int))",
      "output": "made is a pointer to a function of the plugin (int (*)(int))",
      "result_member": "the result.compare is a pointer to a function of the plugin (int (*)(int, int))",
      "nested_output": "made.inner.compare is a pointer to a function of the plugin (int (*)(int, int))",
      "text_callback":
        "name is a callback of type const char *(int index), and the memory that a callback returns would never be released",
      "callback_argument": "each, a callback, of which inner is a pointer to a function of the plugin (int (*)(int))",
    ]
    for (name, problem) in problems {
      let refusal = try #require(plugin.refusals.first { $0.subject.contains(name) }, "\(name)")
      #expect(refusal.code == .unavailable && refusal.problem == "cannot be called in a worker: \(problem)")
      #expect(refusal.remedy == "run the plugin in the process of the host")
    }
    let buffer = try #require(plugin.refusals.first { $0.subject.contains("unknown_extent") })
    #expect(
      buffer.remedy
        == "declare its extent, such as const unsigned char values[16], or run the plugin in the process of the host")
    #expect(plugin.refusals.count == problems.count + 1)
    #expect(
      isolated.log.texts == [
        "warning org.example.function-pointers: 7 of 9 registrations cannot be used in a worker; "
          + "troupe inspect org.example.function-pointers --isolate org.example.function-pointers shows the reasons"
      ])
  }

  @Test("Callbacks that call the worker again without end fail at a limit")
  func recursion() async throws {
    let isolated = try await IsolatedHost { $0.concurrentCalls = 64 }
    let function = try isolated.host.function(#require(isolated.host.functions("call_back").first))
    let type = try #require(Self.callbackType)
    @Sendable func again(_ arguments: [Value]) throws -> Value {
      // The function calls back with 1 and then with 2.
      guard arguments == [.integer(1)] else { return .integer(0) }
      return try function.call([.callback(Callback(signature: type, body: again)), .integer(1)])
    }
    let callback = try Callback(signature: type, body: again)
    #expect((isolated.failure("call_back", .callback(callback), .integer(1)) as? CallError)?.code == .callback)
    #expect(try isolated.call("area", .double(3), .double(4)) == .double(12))
  }

  @Test("A callback is within the deadline of the call")
  func slowCallback() async throws {
    let isolated = try await IsolatedHost { $0.deadline = .milliseconds(200) }
    let callback = try Callback(signature: #require(Self.callbackType)) { _ in
      usleep(300_000)
      return .integer(1)
    }
    #expect(isolated.failure("call_back", .callback(callback), .integer(1)) as? WorkerError == .timedOut)
  }

  @Test("A reference is valid in its worker until it is released, and not after the worker has ended")
  func handles() async throws {
    let isolated = try await IsolatedHost()
    var shelf: Value? = try isolated.call("shelf_open", .integer(3))
    #expect(try isolated.call("shelf_count", #require(shelf)) == .integer(3))
    #expect(shelf?.reference?.type == "struct shelf")
    try #require(shelf?.reference).close()
    #expect((isolated.failure("shelf_count", try #require(shelf)) as? CallError)?.code == .handle)
    shelf = try isolated.call("shelf_open", .integer(4))
    _ = isolated.failure("misbehave", .string("crash"))
    #expect((isolated.failure("shelf_count", try #require(shelf)) as? CallError)?.code == .handle)
    // Its release is of no account to the new worker.
    shelf = nil
    #expect(try isolated.call("open_shelves") == .integer(0))
  }

  @Test("Members are read through a reference into the worker, and a literal comes back as the function left it")
  func references() async throws {
    let isolated = try await IsolatedHost()
    let first = try isolated.call("link_push", .null, .integer(1), .string("one"))
    let list = try #require(try isolated.call("link_push", first, .integer(2), .string("two")).reference)
    #expect(try list.read("value") == .integer(2))
    #expect(try list.read("next.name") == .string("one"))
    #expect(try isolated.call("link_double", first) == .integer(2))
    #expect(try list.read("next.value") == .integer(2))
    let next = try #require(try list.read("next").reference)
    #expect(try isolated.call("link_double", .reference(next)) == .integer(4))
    #expect(first["value"] == .integer(4))
    #expect(try list.read("next.next") == .null)
    let failure = #expect(throws: CallError.self) { try list.read("next.next.value") }
    #expect(failure?.code == .argumentType)
    let unknown = #expect(throws: CallError.self) { try list.read("previous") }
    #expect(unknown?.code == .argumentType)
    let literal = Value.structure([.init("value", .integer(21)), .init("name", .string("own")), .init("next", .null)])
    let doubled = try isolated.call("link_double", literal)
    #expect(doubled["result"] == .integer(42))
    #expect(doubled["link"]?["value"] == .integer(42) && doubled["link"]?["name"] == .string("own"))
  }

  @Test("The error of a callback is the same as in the process of the host, and so are the bitmaps of a map that fails")
  func sameErrors() async throws {
    let isolated = try await IsolatedHost()
    var options = isolated.directory.options()
    options.isolation = .inProcess
    let local = PluginHost(options)
    await local.start()
    struct Refused: Error {}
    let callback = try Callback(signature: #require(Self.callbackType)) { _ in throw Refused() }
    func outcome(_ host: PluginHost) throws -> (error: CallError, bits: [UInt8]) {
      let function = try host.function(#require(host.functions("call_back").first))
      let result = Result { try function.call([.callback(callback), .integer(2)]) }
      guard case .failure(let error as CallError) = result else { throw TestError() }
      let divide = try host.function(#require(host.functions("divide").first))
      let bitmap = UnsafeMutablePointer<UInt8>.allocate(capacity: 9)
      let results = UnsafeMutablePointer<Int32>.allocate(capacity: 192)
      bitmap.initialize(repeating: 0, count: 9)
      results.initialize(repeating: 0, count: 192)
      defer {
        bitmap.deallocate()
        results.deallocate()
      }
      let (numbers, divisors) = ([Int32](repeating: 7, count: 64), (0..<64).map { Int32(20 - $0) })
      numbers.withUnsafeBufferPointer { numbers in
        divisors.withUnsafeBufferPointer { divisors in
          let outputs = (0..<3).map {
            OutputColumn(.int32, data: results + 64 * $0, stride: 4, validity: $0 == 0 ? bitmap : nil)
          }
          #expect { try divide.map([Column(numbers), Column(divisors)], rows: 64, into: outputs) } throws: {
            ($0 as? CallError)?.row == 20
          }
        }
      }
      return (error, (0..<9).map { bitmap[$0] })
    }
    let (there, here) = (try outcome(isolated.host), try outcome(local))
    #expect(there.error == here.error && there.bits == here.bits)
  }

  @Test("A reference that a function takes over is released, here and in the worker")
  func consumedHandles() async throws {
    let isolated = try await IsolatedHost()
    for _ in 0..<100 {
      let shelf = try isolated.call("shelf_open", .integer(1))
      #expect(try isolated.call("shelf_close", shelf) == .void)
      #expect(shelf.reference?.isReleased == true)
      #expect((isolated.failure("shelf_count", shelf) as? CallError)?.code == .handle)
    }
  }

  @Test("The cancellation of a call that waits for its turn leaves the others alone")
  func cancelledWait() async throws {
    let isolated = try await IsolatedHost { $0.concurrentCalls = 1 }
    let function = try isolated.host.function(#require(isolated.host.functions("call_back").first))
    let area = try isolated.host.function(#require(isolated.host.functions("area").first))
    let waiting = Mutex<Task<Value, any Error>?>(nil)
    let callback = try Callback(signature: #require(Self.callbackType)) { _ in
      // The only slot is taken by the call of this callback.
      let task = Task { try await area.callInBackground([.double(1), .double(2)]) }
      waiting.withLock { $0 = task }
      task.cancel()
      return .integer(1)
    }
    #expect(try function.call([.callback(callback), .integer(1)]) == .integer(2))
    let result = await waiting.withLock(\.self)?.result
    #expect(throws: WorkerError.cancelled) { try result?.get() }
    #expect(try isolated.worker.restarts == 0)
  }

  @Test("The error of another worker in the output of a transform does not repeat its input")
  func nestedFailure() async throws {
    let (first, second) = (try await IsolatedHost(), try await IsolatedHost())
    let lost = try await second.transform()
    try lost.feed(Array("some".utf8).span, to: CollectedOutput())
    _ = second.failure("misbehave", .string("crash"))
    final class Forward: TransformOutput {
      let next: any Transform
      private(set) var writes = 0
      init(_ next: any Transform) { self.next = next }
      func write(_ bytes: Span<UInt8>) throws {
        writes += 1
        try next.feed(bytes, to: CollectedOutput())
      }
    }
    let forward = Forward(lost)
    let stage = try await first.transform()
    #expect(throws: WorkerError.instanceLost) { try stage.feed(Array("text".utf8).span, to: forward) }
    #expect(forward.writes == 1)
  }

  @Test("A reference of another worker, and one of this process, is refused")
  func foreignHandles() async throws {
    let (first, second) = (try await IsolatedHost(), try await IsolatedHost())
    let shelf = try first.call("shelf_open", .integer(3))
    #expect((second.failure("shelf_count", shelf) as? CallError)?.code == .handle)
    let place = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    defer { place.deallocate() }
    let local = Value.reference(ForeignReference(type: "struct shelf", address: place))
    #expect((first.failure("shelf_count", local) as? CallError)?.code == .handle)
    let inProcess = PluginHost(first.directory.options())
    await inProcess.start()
    #expect {
      try inProcess.function(#require(inProcess.functions("shelf_count").first)).call([shelf])
    } throws: {
      ($0 as? CallError)?.code == .handle
    }
  }

  // MARK: Transforms

  @Test("A transform streams through the worker")
  func transform() async throws {
    let isolated = try await IsolatedHost()
    let (stage, output) = (try await isolated.transform(), CollectedOutput())
    let input = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    for start in stride(from: 0, to: input.count, by: 77_777) {
      try stage.feed(Array(input[start..<min(start + 77_777, input.count)]).span, to: output)
    }
    try stage.finish(to: output)
    #expect(output.bytes == input + [UInt8(ascii: ".")])
    let much = CollectedOutput()
    try await isolated.transform().feed(Array("much".utf8).span, to: much)
    #expect(much.bytes.count == 1_000_004)
  }

  @Test("The failures of a transform, of its factory and of its output are those of the process of the host")
  func transformErrors() async throws {
    let isolated = try await IsolatedHost()
    let stage = try await isolated.transform()
    #expect { try stage.feed(Array("fail".utf8).span, to: CollectedOutput()) } throws: {
      ($0 as? TransformError)?.description == "the input says so"
    }
    let full = CollectedOutput()
    full.limit = 1
    let other = try await isolated.transform()
    #expect(throws: CollectedOutput.Full.self) { try other.feed(Array("much".utf8).span, to: full) }
    await #expect { try await isolated.transform(2) } throws: { "\($0)".contains("two is too many") }
    #expect(try isolated.worker.failures == 0)
  }

  @Test("A crash in a stream with output outstanding ends the stream, and a new one works")
  func crashInStream() async throws {
    let isolated = try await IsolatedHost()
    let (stage, output) = (try await isolated.transform(), CollectedOutput())
    try stage.feed(Array("some".utf8).span, to: output)
    let error = #expect(throws: WorkerError.self) { try stage.feed(Array("crash".utf8).span, to: output) }
    guard case .crashed(.signal(SIGSEGV), let location?, .unknown, _)? = error else { throw TestError() }
    #expect(location.contains("functions.so"))
    #expect(throws: WorkerError.instanceLost) {
      try stage.feed(Array("some".utf8).span, to: output)
    }
    let new = try await isolated.transform()
    try new.finish(to: output)
    #expect(output.text == "some.")
  }

  @Test("A transform that has had no input moves to a new process of its worker")
  func freshTransform() async throws {
    let isolated = try await IsolatedHost()
    let (stage, output) = (try await isolated.transform(), CollectedOutput())
    _ = isolated.failure("misbehave", .string("crash"))
    try stage.finish(to: output)
    #expect(output.text == ".")
  }

  @Test("A crash in the destructor of an instance is survived")
  func crashInDestroy() async throws {
    let isolated = try await IsolatedHost()
    var stage: (any Transform)? = try await isolated.transform(1)
    withExtendedLifetime(stage) {}
    stage = nil
    #expect(try isolated.call("area", .double(3), .double(4)) == .double(12))
    #expect(try isolated.worker.restarts == 1)
  }

  // MARK: Loading

  @Test(
    "A plugin that crashes when it is loaded is rejected, and the host lives",
    arguments: ["CRASH_IN_CONSTRUCTOR", "CRASH_IN_ENTRY"])
  func crashAtLoad(_ where: String) async throws {
    let isolated = try await IsolatedHost("isolation/functions.c", [`where`: "1"])
    #expect(isolated.host.plugins.first?.state.diagnosis?.code == .crashed)
    #expect(isolated.host.registrations.isEmpty)
  }

  @Test("A crash in a destructor of the library is of no account")
  func crashInDestructor() async throws {
    let isolated = try await IsolatedHost("isolation/functions.c", ["CRASH_IN_DESTRUCTOR": "1"])
    #expect(try isolated.call("area", .double(3), .double(4)) == .double(12))
    isolated.host.shutdown()
    #expect(isolated.host.plugins.first?.state == .retired)
  }

  @Test("A later start makes pending registrations of what the worker reported, and starts no worker before the first resolve")
  func lazy() async throws {
    let directory = try PluginDirectory()
    try directory.add("isolation/functions.c")
    let cache = try TemporaryDirectory()
    func host() async -> PluginHost {
      var options = directory.options()
      (options.loading, options.probing, options.cacheDirectory) = (.lazy, .newContent, cache.path)
      options.isolation = .worker(WorkerPolicy())
      options.probeExecutable = Repo.products + "/troupe-probe"
      let host = PluginHost(options)
      await host.start()
      return host
    }
    let first = await host()
    #expect(first.workers.count == 1)
    let names = first.registrations.map(\.name)
    first.shutdown()
    let second = await host()
    #expect(second.registrations.map(\.name) == names)
    #expect(second.workers.isEmpty)
    #expect(try second.function(#require(second.functions("area").first)).call([.double(3), .double(4)]) == .double(12))
    #expect(second.workers.count == 1)
    second.shutdown()
  }

  @Test("The plugins of a group have one worker, and others have their own", .inProcess)
  func groups() async throws {
    let directory = try PluginDirectory()
    for name in ["a", "b", "c"] { try directory.add("isolation/functions.c", as: name, ["ID": "org.example.\(name)".quoted]) }
    var options = directory.options()
    options.probeExecutable = Repo.products + "/troupe-probe"
    var policy = WorkerPolicy()
    policy.group = "pair"
    options.isolations = ["org.example.a": .worker(policy), "org.example.c": .worker(policy)]
    let host = PluginHost(options)
    await host.start()
    #expect(host.workers.map(\.name) == ["pair"])
    #expect(host.workers.first?.plugins == ["org.example.a", "org.example.c"])
    host.shutdown()
    #expect(host.workers.isEmpty)
  }
}
