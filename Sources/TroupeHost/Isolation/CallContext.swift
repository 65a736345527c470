internal import Glibc
internal import Synchronization
internal import TroupeCall
internal import TroupeFiles
internal import TroupeSandbox

/// The callbacks of one call in a worker. A callback sends its arguments to the host and waits for the result:
///
///     host thread       call ────────────┐            ┌─ answers ─┐            ┌─ receives the result
///     worker thread                      └─ function ─┘ callback   └─ function ─┘
///
/// That works on the thread of the call only, and only until the call returns: nobody else listens in the host. A C function
/// cannot pass on the error of a callback that it calls on another thread or later. It would compute with the 0 that such a
/// callback returns. So the context records the error, and the call fails with it whatever the function returns; a call that
/// has ended leaves it to the next one.
final class CallContext: @unchecked Sendable {
  // Sendable because only the thread of the call uses `end` and `callbacks`, and all else is constant or has a lock.
  private let end: WorkerEndpoint
  private let objects: WorkerObjects
  private let ended: EndedCallbacks
  private let function: String
  /// The lock that the call holds.
  private let lock: CallLock?
  private let thread = pthread_self()
  var callbacks: [Callback] = []
  private let state = Mutex(State())

  private struct State {
    /// The arguments that are or contain the callbacks, by the index in `callbacks`.
    var arguments: [Int: CallError.Argument] = [:]
    var failure: CallError?
    var isOver = false
  }

  private enum Moment { case inTime, onOtherThread, tooLate }

  init(_ end: WorkerEndpoint, _ objects: WorkerObjects, _ ended: EndedCallbacks, function: String, lock: CallLock?) {
    (self.end, self.objects, self.ended, self.function, self.lock) = (end, objects, ended, function, lock)
  }

  /// Records in which argument each callback is, for the messages of errors.
  func name(_ arguments: [Value], of parameters: [Signature.Parameter]) {
    guard !callbacks.isEmpty else { return }
    for (index, argument) in arguments.enumerated() {
      argument.forEachCallback(in: index < parameters.count ? parameters[index].name : nil) { callback, name in
        guard let number = callbacks.firstIndex(of: callback) else { return }
        state.withLock { $0.arguments[number] = CallError.Argument(index: index, name: name) }
      }
    }
  }

  func call(_ number: Int, _ arguments: [Value]) throws -> Value {
    let moment = state.withLock { state -> Moment in
      if state.isOver {
        ended.fail(.calledTooLate(state.arguments[number], of: function))
        return .tooLate
      }
      guard pthread_equal(thread, pthread_self()) != 0 else {
        state.failure = state.failure ?? .calledOnOtherThread(state.arguments[number])
        return .onOtherThread
      }
      return .inTime
    }
    guard moment == .inTime else { throw IsolatedPluginError("a callback can be called only on the thread of its call") }
    var record = RecordWriter()
    record.write(number: UInt32(number))
    var writer = ValueEncoder(record, reference: { [objects] in objects.id(of: $0) })
    // The host's process cannot read through a reference while this one waits, so it gets the members.
    let read = try arguments.map { argument in
      if case .reference(let reference) = argument, reference.record != nil { try reference.read() } else { argument }
    }
    try writer.write(.array(read))
    let bytes = writer.record.bytes
    func exchange() throws -> (kind: UInt32, bytes: [UInt8]) {
      try end.send(kind: .callback, bytes)
      return try end.receive()
    }
    let (kind, content) = try lock?.whileUnlocked(exchange) ?? exchange()
    var reader = RecordReader(content)
    guard kind == MessageKind.proceed.rawValue else { throw IsolatedPluginError(try String(from: &reader)) }
    var values = ValueDecoder(reader, reference: { [objects] number, _ in try objects.reference(number) })
    return try values.value()
  }

  /// Marks the call as ended. Returns the error of a callback that was called on another thread.
  func finish() -> CallError? {
    guard !callbacks.isEmpty else { return nil }
    let failure = state.withLock { state in
      state.isOver = true
      return state.failure
    }
    ended.keep(self)
    return failure
  }
}

/// Keeps the callbacks of the last 256 ended calls alive, of all threads. A plugin that keeps a callback and calls it too late
/// thus runs valid code, and the next call to end fails with an error that names the callback. A callback of an older call may
/// crash the worker.
final class EndedCallbacks: Sendable {
  private struct State {
    var contexts: [CallContext] = []
    /// The index of the oldest context, which the next one replaces once the array is full.
    var oldest = 0
    var failure: CallError?
  }

  private let state = Mutex(State())
  private let isFailed = Atomic(false)

  private static let maximumCount = 256

  fileprivate func keep(_ context: CallContext) {
    let replaced = state.withLock { state -> CallContext? in
      guard state.contexts.count == Self.maximumCount else {
        state.contexts.append(context)
        return nil
      }
      let replaced = state.contexts[state.oldest]
      state.contexts[state.oldest] = context
      state.oldest = (state.oldest + 1) % Self.maximumCount
      return replaced
    }
    // The callbacks of the replaced context are released outside the lock.
    withExtendedLifetime(replaced) {}
  }

  fileprivate func fail(_ error: CallError) {
    state.withLock { $0.failure = $0.failure ?? error }
    isFailed.store(true, ordering: .releasing)
  }

  /// Whether a callback was called too late. Costs no lock.
  var hasFailure: Bool { isFailed.load(ordering: .acquiring) }

  /// Returns the error for the next call that ends, once.
  func takeFailure() -> CallError? {
    guard hasFailure else { return nil }
    return state.withLock { state in
      isFailed.store(false, ordering: .relaxed)
      defer { state.failure = nil }
      return state.failure
    }
  }
}

extension CallError {
  private static let remedy =
    "call it on the thread of the call and before the call returns, or run the plugin in the process of the host"

  fileprivate static func calledOnOtherThread(_ argument: Argument?) -> CallError {
    CallError(
      .callback, problem: "the callback was called on another thread than that of the call", remedy: remedy, argument: argument,
      row: nil)
  }

  fileprivate static func calledTooLate(_ argument: Argument?, of function: String) -> CallError {
    let name = argument.map { "\($0) of \(function)" } ?? "a callback of \(function)"
    return CallError(
      .callback, problem: "\(name) was called after the call that it was given to had returned", remedy: remedy, argument: nil,
      row: nil)
  }
}

extension Value {
  /// Calls a function with each callback within the value, and with its path, such as `table.compare`.
  fileprivate func forEachCallback(in name: String?, _ body: (Callback, String?) -> Void) {
    switch self {
    case .callback(let callback): body(callback, name)
    case .array(let elements):
      for (index, element) in elements.enumerated() { element.forEachCallback(in: name.map { "\($0)[\(index)]" }, body) }
    case .structure(let fields):
      for field in fields { field.value.forEachCallback(in: name.map { "\($0).\(field.name)" } ?? field.name, body) }
    default: break
    }
  }
}
