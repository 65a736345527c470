internal import CCallbacks
internal import TroupeBase

/// A Swift closure that C calls through a pointer to a function.
///
/// libffi makes a piece of machine code for each callback. C jumps there, and the code runs the closure with the addresses of the arguments.
///
///     let add = try Callback(signature: Signature(parsing: "int (int a, int b)")) { (a: Int32, b: Int32) in a + b }
///     let function = unsafeBitCast(add.address, to: (@convention(c) (Int32, Int32) -> Int32).self)
///     print(function(1, 2))  // 3
///
/// A closure of Swift's own types, as above, costs least: integers, `Bool`, `Float`, `Double` and, for a pointer,
/// ``Value/Pointer``. Where C passes strings or structs, the closure takes and gives ``Value``s.
///
///     let type = try Signature(parsing: "int (const void *a, const void *b)")
///     let compare = try Callback(signature: type) { (a: Value.Pointer, b: Value.Pointer) -> Int32 in
///       guard let a = a.rawPointer?.load(as: Int32.self), let b = b.rawPointer?.load(as: Int32.self) else { return 0 }
///       return a < b ? -1 : a > b ? 1 : 0
///     }
///
/// C may call it on any thread, also on several at once, and from within itself. The pointer is valid for as long as the callback lives, so
/// retain the callback, or a ``ForeignLifetime`` that keeps it, while C has the pointer. If the last reference ends during a call, that call
/// completes. If C calls it later, it gets a zero, and the log names the function that the callback was given to.
///
/// If the closure throws, C gets a result that is all zero, and the `PreparedCall` that called the C function on the same thread throws the
/// error when the function returns. Callbacks within callbacks throw such an error before they use up the stack.
public final class Callback: Sendable {
  /// A closure that takes and gives values of any kind.
  public typealias Body = @Sendable (_ arguments: [Value]) throws -> Value

  /// The type of the function for C.
  public let signature: Signature
  private let closure: FFIClosure

  /// The address of the function for C.
  public var address: UnsafeRawPointer { closure.code }

  /// Creates a function for C.
  ///
  /// - Parameters:
  ///   - signature: Parameters and a result that are plain values. Strings that come in are copied. A string cannot be the result, since
  ///     nobody would free it.
  ///   - unhandled: Gets an error that the closure throws on a thread without a `PreparedCall`. By default the log gets the first one.
  ///   - body: Gets a value for each parameter. Its result is converted as ``Value/converted(to:)`` says.
  /// - Throws: A `CallError`: `unsupportedSignature` if no callback can have the type, `noExecutableMemory` if the system refuses memory for
  ///   code.
  public convenience init(
    signature: Signature, unhandled: (@Sendable (any Error) -> Void)? = nil, body: @escaping Body
  ) throws(CallError) {
    try self.init(signature: signature, unhandled: unhandled) { arguments, result in
      try signature.run(body, arguments.addresses, result)
    }
  }

  /// Creates a function of a closure that reads its arguments from memory and writes its result there. A narrow number has a whole word.
  init(
    signature: Signature, unhandled: (@Sendable (any Error) -> Void)? = nil, memory body: @escaping MemoryBody
  ) throws(CallError) {
    self.signature = signature
    closure = try FFIClosure(signature, unhandled, body)
  }

  /// A closure that gets the addresses of the arguments and of the memory for the result.
  @usableFromInline
  typealias MemoryBody =
    @Sendable (_ arguments: Arguments, _ result: UnsafeMutableRawPointer) throws -> Void

  /// Notes a function that C's pointer is given to.
  func pass(to function: UnsafeRawPointer) { closure.pass(to: function) }

  deinit { closure.retire() }
}

extension Callback: Equatable {
  /// Compares identities.
  public static func == (left: Callback, right: Callback) -> Bool { left === right }
}

extension Signature {
  /// Runs a closure with values read from memory, and writes its result.
  fileprivate func run(
    _ body: Callback.Body, _ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ place: UnsafeMutableRawPointer
  ) throws {
    // libffi wants a whole word even for a narrow integer. A record may have to be written to the caller's memory, which is not larger.
    let isRecord = if case .record = result { true } else { false }
    if result != .void {
      place.initializeMemory(as: UInt8.self, repeating: 0, count: isRecord ? result.size : max(8, result.size))
    }
    var values: [Value] = []
    values.reserveCapacity(parameters.count)
    for (index, parameter) in parameters.enumerated() {
      guard let argument = arguments[index] else { return }
      guard case .buffer(_, let length, _) = parameter.passing else {
        let end = UnsafeRawPointer(argument) + parameter.type.size
        values.append(try Value.read(parameter.type, at: argument, end: end))
        continue
      }
      values.append(
        try Value.read(.sequence(parameter.type, length), at: argument) { factor in
          guard case .parameter(let index) = factor, let place = arguments[index] else { return nil }
          return parameters[index].type.integer.map { Value.integer($0, at: place) }
        })
    }
    let value = try body(values)
    if result == .void { return }
    if let word = try value.narrowWord(as: result) { return place.storeBytes(of: word, as: UInt64.self) }
    var arena = CallArena()
    try value.write(as: result, to: place, &arena)
    // The target of a pointer ends with the arena.
    if arena.hasAllocated { throw CallError.wrongType(value.shown, result) }
  }
}

// MARK: Errors

/// The errors of callbacks on their way to the call of the C function.
///
/// An error cannot unwind the stack of C. So a call puts a place for one error into a variable of the thread, a callback stores its error
/// there, and the call throws it when the function has returned. Calls may be nested: each restores the place of the outer one.
enum CallbackErrors {
  /// Runs a closure. Returns the first error that a callback throws meanwhile on this thread.
  static func collecting<Result>(_ body: () -> Result) -> (Result, (any Error)?) {
    var error: (any Error)?
    let result = withUnsafeMutablePointer(to: &error) { error in
      let outer = troupe_callback_set_failure(error)
      defer { _ = troupe_callback_set_failure(outer) }
      return body()
    }
    return (result, error)
  }

  /// Stores an error for the call on this thread. Returns false if there is none.
  static func report(_ error: any Error) -> Bool {
    guard let pointer = troupe_callback_get_failure() else { return false }
    let first = pointer.assumingMemoryBound(to: (any Error)?.self)
    first.pointee = first.pointee ?? error
    return true
  }
}

extension CallError {
  static func callbackFailed(_ error: any Error) -> CallError {
    // Callbacks within callbacks pass on the error of the innermost.
    if let error = error as? CallError, error.code == .callback { return error }
    return CallError(.callback, "a callback failed: \(error)", remedy: "correct it, or handle the error in the callback")
  }

  static var deepRecursion: CallError {
    CallError(
      .callback, "callbacks are nested so deeply that the thread's stack is nearly used up",
      remedy: "end the recursion of the callbacks, or call on a thread with a larger stack")
  }

  static var noExecutableMemory: CallError {
    CallError(
      .noExecutableMemory, "the system gives no memory for code that is made at run time, which a callback is",
      remedy: "allow it for this process, or use a function in C")
  }

  /// No function has the name that a person wrote for a callback.
  package static func unknownFunction(_ name: String, _ type: Signature, known: [String]) -> CallError {
    let list = known.prefix(10).joined(separator: ", ") + (known.count > 10 ? " and \(known.count - 10) more" : "")
    return CallError(
      .argumentType, "there is no function \(name.quoted()) for a callback of type \(type.description.quoted())",
      remedy: known.isEmpty ? "none is known of that type; add a plugin with one" : "those of that type are \(list)")
  }

  /// The function that a person named for a callback is of another type.
  package static func wrongFunction(_ name: String, _ signature: Signature, _ type: Signature) -> CallError {
    CallError(
      .argumentType,
      "the function \(name.quoted()) is of type \(signature.description.quoted()) and the callback of type \(type.description.quoted())",
      remedy: "name a function of the callback's type")
  }

  /// Several functions have the name that a person wrote for a callback.
  package static func ambiguousFunction(_ name: String, _ list: String) -> CallError {
    CallError(
      .argumentType, "several functions are named \(name.quoted())", remedy: "give the UUID of one: \(list)")
  }
}
