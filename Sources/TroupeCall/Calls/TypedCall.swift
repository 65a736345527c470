/// A C function that is called with Swift's own types, close to a direct call.
///
///     let call = try PreparedCall(
///       signature: Signature(parsing: "double (double x, int32_t count)"), function: function)
///     let scale = try call.typed(as: ((Double, Int32) -> Double).self)
///     let result = scale(1.5, 2)
///
/// The types are compared once, when it is made. A call then checks and allocates nothing and cannot fail; compiled with
/// optimization, only the moves into the registers remain; it does not look for NULL where the declaration has `_Nonnull`. It may be used on any thread, also on several at once, if
/// the C function may. Calls of an adopted library take turns unless its file says `"threads": "any"`. A call of a plugin's function keeps
/// the plugin open; any other does not keep the library of the
/// function loaded.
@frozen
public struct TypedCall<Function>: @unchecked Sendable {
  // Sendable because the pointer to the function is constant and the library is Sendable.
  @usableFromInline let function: UnsafeRawPointer
  /// Keeps the function's library loaded.
  @usableFromInline let library: (any AnyObject & Sendable)?
  /// The lock of the function's library; nil if several threads may run the function at once.
  @usableFromInline let lock: CallLock?

  fileprivate init(_ call: PreparedCall) { (function, library, lock) = (call.function, call.library, call.lock) }

  /// Calls the function, and keeps its library until it has returned.
  @inlinable @inline(__always)
  func result<Result: CScalar>(_ registers: ArgumentRegisters) -> Result {
    lock?.lock(for: function)
    defer {
      lock?.unlock()
      withExtendedLifetime(library) {}
    }
    return registers.call(function)
  }

  /// Calls a function that returns nothing.
  @inlinable @inline(__always)
  func run(_ registers: ArgumentRegisters) {
    lock?.lock(for: function)
    defer {
      lock?.unlock()
      withExtendedLifetime(library) {}
    }
    _ = registers.word(function)
  }
}

extension PreparedCall {
  /// The same call with Swift's own types.
  ///
  /// - Parameter type: A Swift function type of at most eight parameters: a Swift integer for a C integer or enumeration that is as
  ///   wide and signed alike, `Bool`, `Float`, `Double`, `Value.Pointer` for a pointer.
  /// - Throws: A `CallError` with the code `argumentType` that names the first that differs, `argumentCount`, or
  ///   `unsupportedSignature` for a signature that takes more than such values: outputs, buffers, a resolver, further
  ///   arguments, `errno`.
  public func typed<Result: CScalar, each Argument: CScalar>(
    as type: ((repeat each Argument) -> Result).Type
  ) throws(CallError) -> TypedCall<(repeat each Argument) -> Result> {
    try check(Self.list(repeat (each Argument).self))
    guard Result._is(signature.result) else { throw .wrongSwiftResult(Result.self, signature.result) }
    return TypedCall(self)
  }

  /// The same call with Swift's own types, of a function that returns nothing.
  public func typed<each Argument: CScalar>(
    as type: ((repeat each Argument) -> Void).Type
  ) throws(CallError) -> TypedCall<(repeat each Argument) -> Void> {
    try check(Self.list(repeat (each Argument).self))
    guard signature.result == .void else { throw .wrongSwiftResult(Void.self, signature.result) }
    return TypedCall(self)
  }

  private static func list<each Argument: CScalar>(_ type: repeat (each Argument).Type) -> [any CScalar.Type] {
    var types: [any CScalar.Type] = []
    for type in repeat each type { types.append(type) }
    return types
  }

  private func check(_ types: [any CScalar.Type]) throws(CallError) {
    #if !(arch(x86_64) || arch(arm64))
      throw .unsupported(signature, problem: "this machine's registers are known to libffi only")
    #endif
    guard signature.isPlain, signature.parameters.count <= 8 else {
      throw .unsupported(
        signature, problem: "a typed call of numbers and pointers has at most 8 of them, and no buffer, output or failure rule",
        remedy: "name a Swift type for each buffer, such as [Double], or call it with values")
    }
    guard types.count == signature.parameters.count else { throw .wrongCount(types.count, signature) }
    for (index, parameter) in signature.parameters.enumerated() where !types[index]._is(parameter.type) {
      throw CallError.wrongSwiftType(types[index], parameter.type).about(argument: index, name: parameter.name)
    }
  }
}
