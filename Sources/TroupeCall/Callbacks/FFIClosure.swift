internal import CCallbacks
internal import CFFI
internal import Synchronization

/// The libffi closure of a callback: the machine code that C calls, and the closure of Swift that it runs.
///
/// The code must not be freed while a thread executes it. So the callback retires its closure, and a sweep frees the retired closures that no
/// thread is in; `callbacks.c` says how it knows.
final class FFIClosure: Sendable {
  nonisolated(unsafe) let code: UnsafeRawPointer
  // These are safe to share since they are constant, and libffi only reads their targets.
  private nonisolated(unsafe) let memory: UnsafeMutableRawPointer
  private nonisolated(unsafe) let callback: UnsafeMutablePointer<troupe_closure>
  private let interface: CallInterface
  private let body: Callback.MemoryBody

  /// Throws as `Callback.init` does.
  init(_ signature: Signature, _ body: @escaping Callback.MemoryBody) throws(CallError) {
    if let problem = signature.callbackProblem { throw .unsupported(signature, problem: problem) }
    do {
      interface = try CallInterface(result: signature.result, parameters: signature.parameters.map(\.typeInC), fixedCount: nil)
    } catch {
      throw .unsupported(signature, problem: error.problem)
    }
    var code: UnsafeMutableRawPointer?
    guard let memory = ffi_closure_alloc(MemoryLayout<ffi_closure>.size, &code), let code else { throw .noExecutableMemory }
    (self.body, self.memory, self.code) = (body, memory, UnsafeRawPointer(code))
    callback = .allocate(capacity: 1)
    callback.initialize(
      to: troupe_closure(
        body: { context, arguments, result in
          Unmanaged<FFIClosure>.fromOpaque(context)._withUnsafeGuaranteedRef {
            $0.body(Callback.Arguments(arguments), result)
          }
        }, context: Unmanaged.passUnretained(self).toOpaque()))
    let status = ffi_prep_closure_loc(
      memory.assumingMemoryBound(to: ffi_closure.self), interface.interface, troupe_callback_run, callback, code)
    guard status == FFI_OK else { throw .unsupported(signature, problem: "status \(status.rawValue)") }
  }

  deinit {
    ffi_closure_free(memory)
    callback.deallocate()
  }

  /// Frees the code as soon as no thread is in it.
  func retire() {
    troupe_callback_retire { FFIClosure.sweep(adding: nil) }
    Self.sweep(adding: self)
  }

  /// The closures to free once no thread is in them.
  private static let retired = Mutex<[FFIClosure]>([])

  /// Frees the retired closures that no thread is in.
  private static func sweep(adding closure: FFIClosure?) {
    let free = retired.withLock { retired -> [FFIClosure] in
      if let closure { retired.append(closure) }
      // Once for all of them: each fence costs a call of the system, and there may be many that have to wait.
      guard troupe_callbacks_can_be_told() != 0 else { return [] }
      let running = retired.filter(\.isRunning)
      let free = retired.filter { closure in !running.contains { $0 === closure } }
      retired = running
      troupe_callbacks_freed(free.count)
      return free
    }
    // What the closures have captured ends outside the lock.
    withExtendedLifetime(free) {}
  }

  private var isRunning: Bool { troupe_callback_is_running(callback) != 0 }
}

extension Signature {
  /// The reason that no ``Callback`` can have this type; nil if one can.
  package var callbackProblem: String? {
    let takesValues = parameters.allSatisfy { $0.type != .resolver && ($0.passing == .value || $0.isBuffer) }
    guard takesValues else { return "a callback takes values and buffers" }
    return hasPlainResult && (result.isHandle || !result.followsPointer) ? nil : "the memory that a callback returns would never be released"
  }

  /// All parameters are passed by value and may be NULL, and the result needs no release.
  var isPlain: Bool {
    hasPlainResult && parameters.allSatisfy { $0.passing == .value && $0.type != .resolver && !$0.isNonnull }
  }

  /// A call needs only its arguments, and the result needs no release.
  var hasPlainResult: Bool {
    fixedCount == nil && failureRule == nil && resultOwnership == Ownership() && result.isPlain
      && parameters.allSatisfy { $0.ownership == Ownership() }
  }
}

extension CType {
  /// A value has no target that a callback would allocate and nobody free. A reference is the address of an object that exists.
  fileprivate var isPlain: Bool {
    switch self {
    case .record(let record): record.members.allSatisfy { ($0.type.isHandle || !$0.type.followsPointer) && $0.type.isPlain }
    case .array(let element, _): (element.isHandle || !element.followsPointer) && element.isPlain
    case .sequence: false
    default: true
    }
  }
}
