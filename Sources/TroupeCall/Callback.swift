internal import CFFI
internal import Synchronization

/// A Swift closure that C can call through a pointer.
///
///     let compare = try Callback(signature: Signature(parsing: "int (const int32_t *a, const int32_t *b)")) { arguments in
///       guard case .pointer(let left) = arguments[0], case .pointer(let right) = arguments[1],
///         let a = left.rawPointer?.load(as: Int32.self), let b = right.rawPointer?.load(as: Int32.self)
///       else { return .integer(0) }
///       return .integer(a < b ? -1 : a > b ? 1 : 0)
///     }
///
/// C may call it on any thread, also on several at once, and inside itself. The pointer is valid for as long as the callback
/// lives, so whoever lets C keep the pointer keeps the callback. If the last reference goes while C is in the closure, the closure
/// still comes to its end; C must not begin another call.
///
/// An error that the closure throws is thrown by the `PreparedCall` that called the C function on the same thread; C gets a result
/// that is all zero meanwhile.
public final class Callback: @unchecked Sendable {
  // Sendable because all members are constant, and the state has a lock where it changes.
  public typealias Body = @Sendable (_ arguments: [Value]) throws -> Value

  /// The type of the function that C sees.
  public let signature: Signature
  /// The function's address.
  public let address: UnsafeRawPointer
  private let closure: Closure

  /// Makes a function.
  ///
  /// - Parameters:
  ///   - signature: What C passes and gets: plain values. A string that comes in is copied; one that goes out cannot be, since
  ///     nobody would free it, so such a signature is refused.
  ///   - unhandled: Gets an error that the closure throws on a thread where no `PreparedCall` waits for it. By default it is
  ///     dropped.
  ///   - body: Called for each call, with a value for each parameter. What it returns is converted as
  ///     ``Value/converted(to:)`` says.
  /// - Throws: A `CallError`: `unsupportedSignature` if there can be no such function, `noExecutableMemory` if the system refuses
  ///   memory for its code.
  public init(
    signature: Signature, unhandled: @escaping @Sendable (any Error) -> Void = { _ in }, body: @escaping Body
  ) throws(CallError) {
    let closure = try Closure(signature, unhandled, body)
    self.signature = signature
    self.closure = closure
    address = closure.code
  }

  deinit { closure.retire() }
}

extension Callback: Equatable {
  /// Whether both are the same function.
  public static func == (left: Callback, right: Callback) -> Bool { left === right }
}

/// What libffi calls. It lives until nobody owns it and no thread is in it.
private final class Closure: @unchecked Sendable {
  // Sendable because all members are constant but the count of calls, which is atomic.
  let code: UnsafeRawPointer
  private let signature: Signature
  private let interface: CallInterface
  private let unhandled: @Sendable (any Error) -> Void
  private let body: Callback.Body
  private let memory: UnsafeMutableRawPointer

  init(
    _ signature: Signature, _ unhandled: @escaping @Sendable (any Error) -> Void, _ body: @escaping Callback.Body
  ) throws(CallError) {
    guard signature.isPlain else { throw .unsupported(signature, problem: "a callback takes and gives plain values") }
    if signature.result == .string { throw .unsupported(signature, problem: "nobody would free a callback's string") }
    do {
      interface = try CallInterface(result: signature.result, parameters: signature.parameters.map(\.type), fixedCount: nil)
    } catch {
      throw .unsupported(signature, problem: error.problem)
    }
    var code: UnsafeMutableRawPointer?
    guard let memory = ffi_closure_alloc(MemoryLayout<ffi_closure>.size, &code), let code else { throw .noExecutableMemory }
    (self.signature, self.unhandled, self.body, self.memory) = (signature, unhandled, body, memory)
    self.code = UnsafeRawPointer(code)
    let status = ffi_prep_closure_loc(
      memory.assumingMemoryBound(to: ffi_closure.self), interface.interface,
      { _, result, arguments, context in
        guard let context else { return }
        // A reference of its own, in case the owner lets go meanwhile.
        let closure = Unmanaged<Closure>.fromOpaque(context).takeUnretainedValue()
        closure.run(arguments, result)
      }, Unmanaged.passRetained(self).toOpaque(), code)
    guard status == FFI_OK else {
      Unmanaged.passUnretained(self).release()
      throw .unsupported(signature, problem: "status \(status.rawValue)")
    }
  }

  deinit { ffi_closure_free(memory) }

  /// Gives back the reference that the code holds.
  func retire() { Unmanaged.passUnretained(self).release() }

  private func run(_ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ result: UnsafeMutableRawPointer?) {
    // libffi wants a whole word even for a narrow integer.
    let size = max(MemoryLayout<ffi_arg>.size, signature.result.size)
    if signature.result != .void { result?.initializeMemory(as: UInt8.self, repeating: 0, count: size) }
    do {
      var values: [Value] = []
      values.reserveCapacity(signature.parameters.count)
      for (index, parameter) in signature.parameters.enumerated() {
        guard let place = arguments?[index] else { return }
        values.append(try Value.read(parameter.type, at: place))
      }
      let value = try body(values)
      if let result, signature.result != .void { try store(value, result) }
    } catch {
      if !CallbackFailure.report(error) { unhandled(error) }
    }
  }

  private func store(_ value: Value, _ result: UnsafeMutableRawPointer) throws(CallError) {
    if let integer = signature.result.integer, integer.width < 64 {
      guard case .integer(let value) = try value.converted(to: signature.result) else { return }
      result.storeBytes(of: UInt64(truncatingIfNeeded: value), as: UInt64.self)
    } else {
      var arena = CallArena(UnsafeMutableRawBufferPointer(start: nil, count: 0))
      try value.write(as: signature.result, to: result, &arena)
    }
  }
}

extension Signature {
  /// Whether it is all plain values, as a callback's is.
  fileprivate var isPlain: Bool {
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
