internal import CFFI
internal import Synchronization

/// What libffi calls for a callback. It lives until its owner has gone and no thread is in it.
final class ForeignClosure: Sendable {
  /// The function's address.
  nonisolated(unsafe) let code: UnsafeRawPointer
  // Both are safe to share since they are constant; libffi only reads what is behind them.
  private nonisolated(unsafe) let memory: UnsafeMutableRawPointer
  private let interface: CallInterface
  private let body: Callback.MemoryBody
  private let entrance = CallbackThread.Entrance()
  // Safe to share: it is atomic. Kept here because a global constant is asked for its value through a function.
  private nonisolated(unsafe) let retiredCount = ForeignClosure.retiredCount

  /// Makes the code. Throws a `CallError`, see `Callback.init`.
  init(_ signature: Signature, _ body: @escaping Callback.MemoryBody) throws(CallError) {
    guard signature.isPlain else { throw .unsupported(signature, problem: "a callback takes and gives plain values") }
    if signature.result == .string || !signature.result.isPlain {
      throw .unsupported(signature, problem: "nobody would free a callback's string")
    }
    do {
      interface = try CallInterface(result: signature.result, parameters: signature.parameters.map(\.type), fixedCount: nil)
    } catch {
      throw .unsupported(signature, problem: error.problem)
    }
    var code: UnsafeMutableRawPointer?
    guard let memory = ffi_closure_alloc(MemoryLayout<ffi_closure>.size, &code), let code else { throw .noExecutableMemory }
    (self.body, self.memory, self.code) = (body, memory, UnsafeRawPointer(code))
    let status = ffi_prep_closure_loc(
      memory.assumingMemoryBound(to: ffi_closure.self), interface.interface,
      { _, result, arguments, context in
        // libffi gives all of them.
        guard let context, let arguments, let result else { return }
        let retiredCount = Unmanaged<ForeignClosure>.fromOpaque(context)._withUnsafeGuaranteedRef { closure in
          let retiredCount = closure.retiredCount
          closure.entrance.within(context) { closure.body(arguments, result) }
          return retiredCount
        }
        // From here on it may be gone.
        if retiredCount.pointee.load(ordering: .relaxed) > 0 { ForeignClosure.sweep(left: context) }
      }, Unmanaged.passUnretained(self).toOpaque(), code)
    guard status == FFI_OK else { throw .unsupported(signature, problem: "status \(status.rawValue)") }
  }

  deinit { ffi_closure_free(memory) }

  /// Frees the code as soon as no thread is in it. The owner says so when it goes.
  func retire() {
    Self.retiredCount.pointee.add(1, ordering: .sequentiallyConsistent)
    Self.sweep { $0.append(self) }
  }

  /// What has been retired while a thread was in it.
  private static let retired = Mutex<[ForeignClosure]>([])
  /// How many there are, for threads that leave a callback; one of those may have been the last in its closure. Whoever retires a
  /// closure counts it, has the system order a fence, and looks for threads in it; whoever leaves clears its record and looks
  /// here. So one of the two sees the other.
  // Safe to share: it is atomic.
  private nonisolated(unsafe) static let retiredCount: UnsafeMutablePointer<Atomic<Int>> = {
    let count = UnsafeMutablePointer<Atomic<Int>>.allocate(capacity: 1)
    count.initialize(to: Atomic(0))
    return count
  }()

  /// Looks whether the closure that the calling thread has left was retired meanwhile.
  private static func sweep(left context: UnsafeMutableRawPointer) {
    let isRetired = retired.withLock { $0.contains { $0.identity == UInt(bitPattern: context) } }
    if isRetired { sweep { _ in } }
  }

  /// Lets go of what no thread is in any more.
  private static func sweep(_ change: (inout [ForeignClosure]) -> Void) {
    let free = retired.withLock { retired -> [ForeignClosure] in
      change(&retired)
      let running = CallbackThread.running(Set(retired.map(\.identity)))
      let free = retired.filter { !running.contains($0.identity) }
      retired.removeAll { !running.contains($0.identity) }
      retiredCount.pointee.subtract(free.count, ordering: .sequentiallyConsistent)
      return free
    }
    // What the closures have captured ends outside the lock.
    withExtendedLifetime(free) {}
  }

  private var identity: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }
}

extension Signature {
  /// Whether it is all plain values, as a callback's is.
  var isPlain: Bool {
    fixedCount == nil && errorRule == nil && resultLength == nil && resultOwner == nil && result.isPlain
      && parameters.allSatisfy { $0.passing == .value && $0.type != .resolver }
  }
}

extension CType {
  /// Whether there is no string in it, for which nobody would answer once the callback has returned.
  fileprivate var isPlain: Bool {
    switch self {
    case .record(let record): record.members.allSatisfy { $0.type != .string && $0.type.isPlain }
    case .array(let element, _): element != .string && element.isPlain
    default: true
    }
  }
}
