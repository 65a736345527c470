internal import CCallbacks
internal import TroupeBase

/// A Swift closure that C can call through a pointer.
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
/// C may call it on any thread, also on several at once, and inside itself. The pointer is valid for as long as the callback
/// lives, so a caller that lets C keep the pointer keeps the callback. If the last reference goes while C is in the closure, the closure
/// still comes to its end; C must not begin another call.
///
/// An error that the closure throws is thrown by the `PreparedCall` that called the C function on the same thread; C gets a result
/// that is all zero meanwhile.
public final class Callback: Sendable {
  /// A closure that takes and gives values of any kind.
  public typealias Body = @Sendable (_ arguments: [Value]) throws -> Value

  /// The type of the function that C sees.
  public let signature: Signature
  private let closure: FFIClosure

  /// The function's address.
  public var address: UnsafeRawPointer { closure.code }

  /// Makes a function.
  ///
  /// - Parameters:
  ///   - signature: What C passes and gets: plain values. A string that comes in is copied; one that goes out cannot be, since
  ///     it would never be freed, so such a signature is refused.
  ///   - unhandled: Gets an error that the closure throws on a thread where no `PreparedCall` waits for it. By default it is
  ///     dropped.
  ///   - body: Called for each call, with a value for each parameter. The result is converted as
  ///     ``Value/converted(to:)`` says.
  /// - Throws: A `CallError`: `unsupportedSignature` if there can be no such function, `noExecutableMemory` if the system refuses
  ///   memory for its code.
  public convenience init(
    signature: Signature, unhandled: @escaping @Sendable (any Error) -> Void = { _ in }, body: @escaping Body
  ) throws(CallError) {
    try self.init(
      signature: signature,
      memory: { arguments, result in
        do {
          try signature.run(body, arguments.addresses, result)
        } catch {
          if !CallbackErrors.report(error) { unhandled(error) }
        }
      })
  }

  /// Makes a function of a closure that reads its arguments from memory and writes its result there, each in a word of its own
  /// if it is narrower.
  init(signature: Signature, memory body: @escaping MemoryBody) throws(CallError) {
    self.signature = signature
    closure = try FFIClosure(signature, body)
  }

  /// A closure in terms of memory: the address of each argument, and where the result goes.
  @usableFromInline
  typealias MemoryBody =
    @Sendable (_ arguments: Arguments, _ result: UnsafeMutableRawPointer) -> Void

  deinit { closure.retire() }
}

extension Callback: Equatable {
  /// Whether both are the same function.
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
  }
}

// MARK: Errors

/// What callbacks throw while a function runs that calls them. C cannot pass an error on, so it waits here until the function
/// has returned.
enum CallbackErrors {
  /// Runs a closure, and gives the first error that a callback threw meanwhile on this thread.
  static func collecting<Result>(_ body: () -> Result) -> (Result, (any Error)?) {
    var error: (any Error)?
    let result = withUnsafeMutablePointer(to: &error) { error in
      let outer = troupe_callback_set_failure(error)
      defer { _ = troupe_callback_set_failure(outer) }
      return body()
    }
    return (result, error)
  }

  /// Keeps an error for the caller of the function that called back. Returns false if there is none on this thread.
  static func report(_ error: any Error) -> Bool {
    guard let pointer = troupe_callback_get_failure() else { return false }
    let first = pointer.assumingMemoryBound(to: (any Error)?.self)
    first.pointee = first.pointee ?? error
    return true
  }
}

extension CallError {
  static func callbackFailed(_ error: any Error) -> CallError {
    CallError(.callback, "a callback failed: \(error)", remedy: "correct it, or handle the error in the callback")
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
