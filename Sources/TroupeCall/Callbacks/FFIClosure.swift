internal import CCallbacks
internal import CFFI
internal import CLinux
internal import Glibc
internal import Synchronization
internal import TroupeBase

/// The libffi closure of a callback: the machine code that C calls, and the closure of Swift that it runs.
///
///     live ──► retired ──► tombstone ──► freed
///              its owner   no thread     1,024 younger tombstones
///              has ended   is in it      of the same function
///
/// The code must not be freed while a thread executes it. So the callback retires its closure, and a sweep finds the retired closures that no
/// thread is in; `callbacks.c` says how it knows.
///
/// C may have kept the pointer, and may call it at any later time. So the code of a closure that C was given becomes a **tombstone**: it
/// returns zero, and reports once the function that it was given to. What Swift's closure captured ends before. A tombstone has some 200
/// bytes, and each function to which callbacks were given has at most 1,024 of them; the oldest is freed.
final class FFIClosure: Sendable {
  nonisolated(unsafe) let code: UnsafeRawPointer
  // These are safe to share since they are constant, and libffi only reads their targets.
  private nonisolated(unsafe) let memory: UnsafeMutableRawPointer
  private nonisolated(unsafe) let callback: OpaquePointer
  private let interface: CallInterface
  private let resultSize: Int
  // A sweep changes it, once, when no thread is in the closure and no call can begin to read it. Unmanaged, since to count a reference takes
  // as long as the call.
  private nonisolated(unsafe) var body: Unmanaged<Body>?
  /// Holds what the code runs, so that a call through an unmanaged reference counts nothing.
  private final class Body: Sendable {
    let run: Callback.MemoryBody
    let unhandled: (@Sendable (any Error) -> Void)?
    let signature: Signature

    init(_ run: @escaping Callback.MemoryBody, _ unhandled: (@Sendable (any Error) -> Void)?, _ signature: Signature) {
      (self.run, self.unhandled, self.signature) = (run, unhandled, signature)
    }
  }

  /// The number of callbacks whose owners have not ended, which can throw.
  static let liveCount = Atomic(0)
  /// The address of the function that the callback was given to last; 0 for none.
  private let function = Atomic<UInt>(0)
  private let isReported = Atomic<Bool>(false)
  /// True once the log has an error that no call could throw.
  private let hasFailed = Atomic<Bool>(false)

  /// Throws as `Callback.init` does.
  init(
    _ signature: Signature, _ unhandled: (@Sendable (any Error) -> Void)?, _ body: @escaping Callback.MemoryBody
  ) throws(CallError) {
    if let problem = signature.callbackProblem { throw .unsupported(signature, problem: problem) }
    do {
      interface = try CallInterface(result: signature.result, parameters: signature.parameters.map(\.typeInC), fixedCount: nil)
    } catch {
      throw .unsupported(signature, problem: error.problem)
    }
    var code: UnsafeMutableRawPointer?
    guard let memory = ffi_closure_alloc(MemoryLayout<ffi_closure>.size, &code), let code else { throw .noExecutableMemory }
    (self.memory, self.code) = (memory, UnsafeRawPointer(code))
    // A record is in memory of its size, anything else in a register.
    resultSize =
      if case .record(let record) = signature.result { record.size } else {
        signature.result == .void ? 0 : max(8, signature.result.size)
      }
    let callback = troupe_closure_new(
      { context, arguments, result in
        Unmanaged<FFIClosure>.fromOpaque(context)._withUnsafeGuaranteedRef { closure in
          closure.body?._withUnsafeGuaranteedRef { body in
            do { try body.run(Callback.Arguments(arguments), result) } catch { closure.fail(body, error) }
          }
        }
      },
      { context, _, result in
        Unmanaged<FFIClosure>.fromOpaque(context)._withUnsafeGuaranteedRef { closure in
          if closure.resultSize > 0 { memset(result, 0, closure.resultSize) }
          closure.body?._withUnsafeGuaranteedRef { closure.fail($0, CallError.deepRecursion) }
        }
      })
    guard let callback else { throw .noExecutableMemory }
    self.callback = callback
    troupe_closure_set_context(callback, Unmanaged.passUnretained(self).toOpaque())
    let status = ffi_prep_closure_loc(
      memory.assumingMemoryBound(to: ffi_closure.self), interface.interface, troupe_callback_run,
      UnsafeMutableRawPointer(callback),
      code)
    guard status == FFI_OK else { throw .unsupported(signature, problem: "status \(status.rawValue)") }
    self.body = .passRetained(Body(body, unhandled, signature))
    Self.liveCount.add(1, ordering: .relaxed)
  }

  deinit {
    body?.release()
    ffi_closure_free(memory)
    troupe_closure_free(callback)
  }

  /// Notes the function that C's pointer is given to.
  func pass(to function: UnsafeRawPointer) { self.function.store(UInt(bitPattern: function), ordering: .relaxed) }

  /// Passes an error on to the call on this thread; without one to the owner of the callback, or to the log.
  private func fail(_ body: Body, _ error: any Error) {
    if CallbackErrors.report(error) { return }
    if let unhandled = body.unhandled { return unhandled(error) }
    guard !hasFailed.exchange(true, ordering: .relaxed) else { return }
    CallReports.write(
      """
      the callback \(body.signature.description.quoted()) that \(givenTo) was given failed and returned zero, and no call \
      throws the error: \(error); handle it in the callback
      """)
  }

  /// The name of the function that the callback was given to last.
  private var givenTo: String {
    UnsafeRawPointer(bitPattern: function.load(ordering: .relaxed))?.functionName ?? "a function"
  }

  // MARK: The end

  private struct Retirement {
    /// The closures that wait until no thread is in them.
    var pending: [FFIClosure] = []
    /// By the address of the function, the oldest first.
    var tombstones: [UInt: [FFIClosure]] = [:]
  }

  private static let retirement = Mutex(Retirement())
  private static var maximumTombstones: Int { 1024 }

  /// Ends the closure as soon as no thread is in it.
  func retire() {
    Self.liveCount.subtract(1, ordering: .relaxed)
    // Before the fence of the sweep: a thread that still reads the old body is then known to be in the closure.
    if function.load(ordering: .relaxed) != 0 { troupe_closure_set_body(callback, Self.tombstone) }
    troupe_callback_retire { FFIClosure.sweep(adding: nil) }
    Self.sweep(adding: self)
  }

  /// Ends the retired closures that no thread is in.
  private static func sweep(adding closure: FFIClosure?) {
    let (ended, bodies) = retirement.withLock { state -> ([FFIClosure], [Body?]) in
      if let closure { state.pending.append(closure) }
      // Once for all of them: each fence costs a call of the system, and there may be many that have to wait.
      guard troupe_callbacks_can_be_told() != 0 else { return ([], []) }
      let running = state.pending.filter(\.isRunning)
      let left = state.pending.filter { closure in !running.contains { $0 === closure } }
      state.pending = running
      troupe_callbacks_freed(left.count)
      let bodies = left.map { $0.body?.takeRetainedValue() }
      for closure in left { closure.body = nil }
      return (left.compactMap { $0.bury(&state) }, bodies)
    }
    // What the closures have captured ends outside the lock.
    withExtendedLifetime((ended, bodies)) {}
  }

  /// Makes the closure a tombstone. Returns a closure to free: itself if C was never given it, or the oldest tombstone.
  private func bury(_ state: inout Retirement) -> FFIClosure? {
    let function = function.load(ordering: .relaxed)
    guard function != 0 else { return self }
    state.tombstones[function, default: []].append(self)
    guard let tombstones = state.tombstones[function], tombstones.count > Self.maximumTombstones else { return nil }
    // A thread may be in it, and then it is freed later.
    guard let oldest = tombstones.firstIndex(where: { !$0.isRunning }) else { return nil }
    return state.tombstones[function]?.remove(at: oldest)
  }

  private var isRunning: Bool { troupe_callback_is_running(callback) != 0 }

  /// The body of a tombstone.
  private static let tombstone:
    @convention(c) (UnsafeRawPointer, UnsafeMutablePointer<UnsafeMutableRawPointer?>, UnsafeMutableRawPointer) ->
      Void = { context, _, result in
        Unmanaged<FFIClosure>.fromOpaque(context)._withUnsafeGuaranteedRef { closure in
          if closure.resultSize > 0 { memset(result, 0, closure.resultSize) }
          guard !closure.isReported.exchange(true, ordering: .relaxed) else { return }
          CallReports.write(
            "the callback that \(closure.givenTo) was given was called after its owner had ended, and returned zero; keep the callback"
          )
        }
      }
}

/// Reports of what no caller can be told: a callback that nobody waits for, a call that waits for ever.
package enum CallReports {
  private static let handler = Mutex<(@Sendable (String) -> Void)?>(nil)

  /// Sets what gets the reports of all threads; standard error by default.
  package static func send(to handler: @escaping @Sendable (String) -> Void) { self.handler.withLock { $0 = handler } }

  /// Writes one line.
  @Sendable
  package static func write(_ text: String) {
    guard let handler = handler.withLock({ $0 }) else {
      return Array("\(text)\n".utf8).withUnsafeBytes { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
    handler(text)
  }
}

extension UnsafeRawPointer {
  /// The name of the exported function at the address; nil if there is none.
  var functionName: String? { linux_symbol_name(self).map { String(cString: $0) } }
}

extension Signature {
  /// The reason that no ``Callback`` can have this type; nil if one can.
  package var callbackProblem: String? {
    let takesValues = parameters.allSatisfy { $0.type != .resolver && ($0.passing == .value || $0.isBuffer) }
    guard takesValues else { return "a callback takes values and buffers" }
    return hasPlainResult && (result.isReference || !result.followsPointer)
      ? nil : "the memory that a callback returns would never be released"
  }

  /// All parameters are passed by value, and the result needs no release.
  var isPlain: Bool {
    hasPlainResult && parameters.allSatisfy { $0.passing == .value && $0.type != .resolver }
  }

  /// A call needs only its arguments, and the result needs no release.
  var hasPlainResult: Bool {
    fixedCount == nil && failureRule == nil && resultOwnership == Ownership() && result.isPlain
      && parameters.allSatisfy { $0.ownership == Ownership() }
  }
}

extension CType {
  /// A callback can return a value of the type without memory of its own, which nobody would free. A reference is the address of an object
  /// that exists already.
  fileprivate var isPlain: Bool {
    switch self {
    case .record(let record): record.members.allSatisfy { ($0.type.isReference || !$0.type.followsPointer) && $0.type.isPlain }
    case .array(let element, _): (element.isReference || !element.followsPointer) && element.isPlain
    case .sequence: false
    default: true
    }
  }
}
