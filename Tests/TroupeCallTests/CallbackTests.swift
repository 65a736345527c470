import Synchronization
import TestSupport
import Testing

@testable import TroupeCall

@Suite("Callbacks", .timeLimit(.minutes(60)))
struct CallbackTests {
  private static let library = Result {
    try CLibrary(fixture: "callbacks.c")
  }

  /// State that a callback shares with its test.
  private final class Shared: Sendable {
    let address = Atomic<UInt>(0)
    let count = Atomic<Int>(0)
    let callback = Mutex<Callback?>(nil)
    let errors = Mutex<[String]>([])
  }

  private func call(_ name: String, _ signature: String) throws -> PreparedCall {
    try PreparedCall(signature: Signature(parsing: signature), function: Self.library.get().function(name))
  }

  @Test("qsort sorts with a callback")
  func sorting() throws {
    let sort = try Fixture.systemCall(
      "qsort", "void (int32_t numbers[count], size_t count, size_t size, int (*compare)(const int32_t *, const int32_t *))")
    let signature = try Signature(parsing: "int (const int32_t *, const int32_t *)")
    let compare = try Callback(signature: signature) { (arguments: [Value]) in
      guard case .pointer(let left) = arguments[0], case .pointer(let right) = arguments[1],
        let a = left.rawPointer?.load(as: Int32.self), let b = right.rawPointer?.load(as: Int32.self)
      else { throw CLibrary.TestError("no numbers") }
      return .integer(a < b ? -1 : a > b ? 1 : 0)
    }
    var generator = SplitMix64(seed: 1)
    let numbers = (0..<500).map { _ in Int32(truncatingIfNeeded: generator.next()) }
    let outcome = try sort.call([.array(numbers.map { .integer(Int128($0)) }), .integer(4), .callback(compare)])
    let sorted = numbers.sorted().map { Value.integer(Int128($0)) }
    #expect(outcome["numbers"] == .array(sorted))
  }

  #if arch(x86_64)
    @Test("A small struct that goes to the caller's memory fills no more than that")
    func smallResult() throws {
      // Misaligned members keep it out of the registers; the caller passes the address in front of the arguments.
      let signature = try Signature(parsing: "struct { char a; short b; } packed (void)")
      let callback = try Callback(signature: signature) { (_: [Value]) in .array([.integer(1), .integer(0x0302)]) }
      let function = unsafeBitCast(
        callback.address, to: (@convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer).self)
      var memory = [UInt8](repeating: 0xff, count: 8)
      memory.withUnsafeMutableBytes { _ = $0.baseAddress.map(function) }
      #expect(memory == [1, 2, 3, 0xff, 0xff, 0xff, 0xff, 0xff])
    }
  #endif

  @Test("Callbacks can recurse through C more deeply than a thread's record of callbacks")
  func recursion() throws {
    let apply = try call("apply", "int (int (*callback)(int), int x)")
    // The callback calls its own address, which exists only after its creation.
    let shared = Shared()
    let callback = try Callback(signature: Signature(parsing: "int (int)")) { (arguments: [Value]) in
      guard case .integer(let x) = arguments[0], x > 0 else { return .integer(0) }
      let own = Value.Pointer(address: shared.address.load(ordering: .relaxed))
      guard case .integer(let sum) = try apply.call([.pointer(own), .integer(x - 1)]) else { return .void }
      return .integer(sum + x)
    }
    shared.address.store(UInt(bitPattern: callback.address), ordering: .relaxed)
    #expect(try apply.call([.callback(callback), .integer(40)]) == .integer(820))
  }

  @Test("An error thrown by a callback is thrown by the call, also through nested calls, and the next call works")
  func thrown() throws {
    let apply = try call("apply", "int (int (*callback)(int), int x)")
    let type = try Signature(parsing: "int (int)")
    let inner = try Callback(signature: type) { (arguments: [Value]) in
      if arguments == [.integer(0)] { throw CLibrary.TestError("zero is refused") }
      return arguments[0]
    }
    let outer = try Callback(signature: type) { (arguments: [Value]) in
      try apply.call([.callback(inner)] + arguments)
    }
    for callback in [inner, outer] {
      let error = #expect(throws: CallError.self) { try apply.call([.callback(callback), .integer(0)]) }
      #expect(error?.code == .callback)
      #expect(error.map { "\($0)" }?.contains("zero is refused") == true)
      #expect(try apply.call([.callback(callback), .integer(7)]) == .integer(7))
    }
  }

  @Test("A result of a wrong type or range is an error, and C gets zero")
  func wrongResult() throws {
    let apply = try call("apply", "int (int (*callback)(int), int x)")
    for result in [Value.integer(1 << 40), .string("text"), .void] {
      let callback = try Callback(signature: Signature(parsing: "int (int)")) { (_: [Value]) in result }
      let error = #expect(throws: CallError.self) { try apply.call([.callback(callback), .integer(0)]) }
      #expect(error?.code == .callback)
      let function = unsafeBitCast(callback.address, to: (@convention(c) (Int32) -> Int32).self)
      #expect(function(1) == 0)
    }
  }

  @Test("A callback runs on threads that Swift did not create, and its errors there are passed to `unhandled`")
  func foreignThreads() throws {
    let shared = Shared()
    let callback = try Callback(
      signature: Signature(parsing: "void (void)"),
      unhandled: { error in shared.errors.withLock { $0.append("\(error)") } },
      body: { (_: [Value]) in
        shared.count.add(1, ordering: .relaxed)
        throw CLibrary.TestError("no caller waits")
      })
    let threads = try call("on_threads", "int (void (*callback)(void), int count)")
    #expect(try threads.call([.callback(callback), .integer(16)]) == .integer(16))
    #expect(shared.count.load(ordering: .relaxed) == 16)
    #expect(shared.errors.withLock { $0 } == Array(repeating: "no caller waits", count: 16))
  }

  @Test("The log gets the first error of a callback on another thread, with the function that the callback was given to")
  func unhandled() throws {
    let reports = Reports.collect()
    let callback = try Callback(signature: Signature(parsing: "void (void)")) { (_: [Value]) in
      throw CLibrary.TestError("nobody waits for it")
    }
    let threads = try call("on_threads", "int (void (*callback)(void), int count)")
    #expect(try threads.call([.callback(callback), .integer(4)]) == .integer(4))
    #expect(
      reports.lines(containing: "nobody waits for it") == [
        """
        the callback "void (void)" that on_threads was given failed and returned zero, and no call throws the error: \
        nobody waits for it; handle it in the callback
        """
      ])
  }

  @Test("A recursion of callbacks without an end is an error before it overflows the stack")
  func endlessRecursion() throws {
    let apply = try call("apply", "int (int (*callback)(int), int x)")
    let shared = Shared()
    let callback = try Callback(signature: Signature(parsing: "int (int)")) { (arguments: [Value]) in
      shared.count.add(1, ordering: .relaxed)
      return try apply.call([.pointer(Value.Pointer(address: shared.address.load(ordering: .relaxed)))] + arguments)
    }
    shared.address.store(UInt(bitPattern: callback.address), ordering: .relaxed)
    let error = #expect(throws: CallError.self) { try apply.call([.callback(callback), .integer(1)]) }
    #expect(error?.code == .callback)
    #expect(error?.problem == "callbacks are nested so deeply that the thread's stack is nearly used up")
    #expect(shared.count.load(ordering: .relaxed) > 16)
    // The thread has its stack again.
    #expect(throws: CallError.self) { try apply.call([.callback(callback), .integer(1)]) }
  }

  /// Counts its deinitialization.
  private final class Witness: Sendable {
    let shared: Shared
    init(_ shared: Shared) { self.shared = shared }
    deinit { shared.count.add(1, ordering: .relaxed) }
  }

  /// Waits until so many witnesses are deinitialized. The last thread that leaves its callbacks frees them; it may be a thread
  /// of another test.
  private func expect(ends: Int, of shared: Shared) async {
    while shared.count.load(ordering: .relaxed) < ends, !Task.isCancelled { await Task.yield() }
    #expect(shared.count.load(ordering: .relaxed) == ends)
  }

  @Test(
    "A callback whose last reference is released while it runs completes, and is then freed",
    arguments: [1, 20])
  func lastReference(depth: Int) async throws {
    let shared = Shared()
    let once = try call("once", "void (void (*callback)(void))")
    func make(_ witness: Witness) throws {
      let callback = try Callback(signature: Signature(parsing: "void (void)")) { (_: [Value]) in
        let depth = shared.address.subtract(1, ordering: .relaxed).newValue
        if depth > 0 {
          guard let own = shared.callback.withLock({ $0?.address }) else { throw CLibrary.TestError("it has gone too early") }
          _ = try once.call([.pointer(Value.Pointer(own))])
        } else {
          let last = shared.callback.withLock { callback in
            defer { callback = nil }
            return callback
          }
          withExtendedLifetime(last) {}
        }
        // The captured object is still alive.
        if witness.shared.count.load(ordering: .relaxed) > 0 { throw CLibrary.TestError("it was freed while it ran") }
        return .void
      }
      shared.callback.withLock { $0 = callback }
    }
    shared.address.store(UInt(depth), ordering: .relaxed)
    try make(Witness(shared))
    let address = try #require(shared.callback.withLock { $0?.address })
    _ = try once.call([.pointer(Value.Pointer(address))])
    #expect(shared.callback.withLock { $0 == nil })
    await expect(ends: 1, of: shared)
  }

  @Test("Callbacks released while a thread is in nested callbacks are all freed", arguments: [2, 20])
  func manyGoDeepInside(depth: Int128) async throws {
    let shared = Shared()
    let apply = try call("apply", "int (int (*callback)(int), int x)")
    let type = try Signature(parsing: "int (int)")
    let count = 20_000
    let callback = try Callback(signature: type) { (arguments: [Value]) in
      guard case .integer(let rest) = arguments[0], let own = shared.callback.withLock({ $0 }) else { return .void }
      guard rest == 0 else { return try apply.call([.callback(own), .integer(rest - 1)]) }
      for _ in 0..<count {
        let witness = Witness(shared)
        let callback = try Callback(signature: type) { (_: [Value]) in
          withExtendedLifetime(witness) { .integer(0) }
        }
        withExtendedLifetime(callback) {}
      }
      return .integer(1)
    }
    shared.callback.withLock { $0 = callback }
    #expect(try apply.call([.callback(callback), .integer(depth)]) == .integer(1))
    shared.callback.withLock { $0 = nil }
    await expect(ends: count, of: shared)
  }

  @Test("Callbacks are created, called and freed on many threads at once")
  func manyThreads() async throws {
    let apply = try call("apply", "int (int (*callback)(int), int x)")
    let type = try Signature(parsing: "int (int)")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for round in 0..<200 {
            let callback = try Callback(signature: type) { (arguments: [Value]) in
              guard case .integer(let x) = arguments[0] else { return .void }
              return .integer(x + Int128(task))
            }
            let result = try apply.call([.callback(callback), .integer(Int128(round))])
            #expect(result == .integer(Int128(round + task)))
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test(
    "Signatures with results that no caller would free, or with parameters that callbacks cannot have, are refused",
    arguments: ["string (int)", "int (out int *x)", "int (resolver)"])
  func refused(text: String) throws {
    let signature = try Signature(parsing: text)
    let error = #expect(throws: CallError.self) { try Callback(signature: signature) { (_: [Value]) in .void } }
    #expect(error?.code == .unsupportedSignature)
  }
}
