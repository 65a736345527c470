import Glibc
import Synchronization
import Testing
import TroupeCall

@Suite("Register plans")
struct RegisterPlanTests {
  private static let library = Result {
    try CLibrary(fixture: "registers.c")
  }

  private func call(_ name: String, _ signature: String) throws -> PreparedCall {
    try PreparedCall(signature: Signature(parsing: signature), function: Self.library.get().function(name))
  }

  @Test("A struct in the last integer register of a variadic call leaves the other registers unchanged")
  func lastIntegerRegister() throws {
    let spread = try call(
      "spread", "struct s { long i; double d; }; double (double x, long a, long b, long c, long d, long e, ..., struct s s)")
    let outcome = try spread.call([.double(1000)] + (1...5).map { .integer($0) } + [.array([.integer(6), .double(7.5)])])
    #expect(outcome == .double(1000 + 15 + 6 + 7.5))
  }

  @Test("Structs fill the stack up to the limit of a signature")
  func largeStructs() throws {
    let last = try call(
      "last",
      "struct large { uint8_t bytes[64000]; }; "
        + "uint64_t (uint8_t, struct large, struct large, struct large, struct large)")
    func large(_ index: Int) -> Value {
      var bytes = [UInt8](repeating: 0, count: 64000)
      bytes[index] = 1
      return .structure([Value.Field("bytes", .bytes(bytes))])
    }
    #expect(try last.call([.integer(100), large(0), large(1), large(2), large(63999)]) == .integer(110))
  }

  @Test("A call fails on a thread with a stack that is too small for the arguments", arguments: [(256, true), (1024, false)])
  func smallStack(kilobytes: Int, isTooSmall: Bool) throws {
    let last = try call(
      "last",
      "struct large { uint8_t bytes[64000]; }; "
        + "uint64_t (uint8_t, struct large, struct large, struct large, struct large)")
    let large = Value.structure([Value.Field("bytes", .bytes([UInt8](repeating: 1, count: 64000)))])
    switch try ThreadCall(last, [.integer(0), large, large, large, large]).outcome(stackSize: kilobytes << 10) {
    case .success(let value): #expect(!isTooSmall && value == .integer(10))
    case .failure(let error): #expect(isTooSmall && error.code == .smallStack)
    }
  }

  #if arch(x86_64)
    @Test("Calls and callbacks with a long double in a struct leave the x87 stack empty")
    func x87Stack() throws {
      let wrap = try call("wrap", "struct wrapped { long double v; }; struct wrapped (long double v)")
      let same = try call("same", "long double (long double v)")
      let sum = try call(
        "sum", "struct wrapped { long double v; }; long double (struct wrapped (*callback)(int), int count)")
      let number = try Value.longDouble(#require(LongDouble("0.1")))
      let callback = try Callback(
        signature: Signature(parsing: "struct wrapped { long double v; }; struct wrapped (int)")
      ) { (arguments: [Value]) in .array(arguments) }
      // The x87 stack has eight registers.
      for _ in 0..<20 { #expect(try wrap.call([number])["v"] == number) }
      #expect(try sum.call([.callback(callback), .integer(20)]) == .longDouble(LongDouble(190 as Double)))
      #expect(try same.call([number]) == number)
    }

    @Test("A union in memory stays in memory as a member of another union")
    func nestedUnions() throws {
      let outer = "union inner { long double a; int c; }; union outer { union inner m; long y[2]; }; "
      let digits = try call("digits", outer + "long (union outer u, long last)")
      let words = Value.array([.integer(1), .integer(2)])
      #expect(try digits.call([.structure([Value.Field("y", words)]), .integer(3)]) == .integer(123))
      #expect(try call("pair", outer + "union outer (void)").call([])["y"] == words)
    }
  #endif
}

/// A call on a separate thread.
private final class ThreadCall: Sendable {
  private let call: PreparedCall
  private let arguments: [Value]
  private let result = Mutex<Result<Value, CallError>?>(nil)

  init(_ call: PreparedCall, _ arguments: [Value]) { (self.call, self.arguments) = (call, arguments) }

  /// Makes the call on a thread with a given stack size and its own stack memory. For a size alone, the C library may reuse the stack of
  /// an ended thread that is up to four times as large.
  func outcome(stackSize: Int) throws -> Result<Value, CallError> {
    let stack = UnsafeMutableRawBufferPointer.allocate(byteCount: stackSize, alignment: Int(getpagesize()))
    defer { stack.deallocate() }
    let start = try #require(stack.baseAddress)
    // Which module declares the initializer of the struct depends on the order of the files.
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    pthread_attr_init(attributes)
    defer {
      pthread_attr_destroy(attributes)
      attributes.deallocate()
    }
    try #require(pthread_attr_setstack(attributes, start, stackSize) == 0)
    var thread = pthread_t()
    let code = pthread_create(
      &thread, attributes,
      {
        if let call = $0 { Unmanaged<ThreadCall>.fromOpaque(call).takeUnretainedValue().run() }
        return nil
      }, Unmanaged.passUnretained(self).toOpaque())
    try #require(code == 0)
    pthread_join(thread, nil)
    let outcome = result.withLock { $0 }
    return try #require(outcome)
  }

  private func run() {
    let outcome = Result { () throws(CallError) in try call.call(arguments) }
    result.withLock { $0 = outcome }
  }
}
