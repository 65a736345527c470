internal import CCallbacks
internal import Glibc

/// A C function together with its signature, ready to be called any number of times.
///
///     let add: @convention(c) (Double, Int32) -> Double = { $0 + Double($1) }
///     let call = try PreparedCall(
///       signature: Signature(parsing: "double (double x, int32_t count)"),
///       function: unsafeBitCast(add, to: UnsafeRawPointer.self))
///     print(try call.call([.double(0.5), .integer(2)]))  // 2.5
///
/// On x86-64 the call loads the registers and the stack itself. On other machines libffi makes some or all of the calls.
///
/// It may be used on any thread, also on several at once, if the C function may. It does not keep the library loaded that
/// the function is in; the caller does. Calls of an adopted library take turns unless its file says `"threads": "any"`.
public final class PreparedCall: @unchecked Sendable {
  // Sendable because everything is constant; the pointers are to code.

  /// Finds a function by its name, for example with `dlsym`; nil if there is none.
  public typealias SymbolLookup = (_ name: String) -> UnsafeRawPointer?

  /// The code that loads the registers and the stack.
  package enum Backend: Sendable {
    /// Troupe's own where it knows the calling convention, else libffi.
    case automatic
    case libffi
  }

  /// The type of the function.
  public let signature: Signature
  /// The address of the function.
  package let function: UnsafeRawPointer
  /// The largest size in bytes of a buffer that the function gets or returns, and of the texts and the values of the elements of a result.
  /// Typed calls have no limit.
  public let maximumBufferSize: Int
  /// How the function is called; for an open-ended signature, if there are no further arguments.
  let plan: CallPlan
  /// The functions that release something, by the name in the signature.
  let functions: [String: ForeignReference.Deallocator]
  /// The function that returns the text of a failure.
  let textCall: PreparedCall?
  /// The library that the function is in, if the caller gave one.
  let library: (any AnyObject & Sendable)?
  let backend: Backend
  /// The lock of the function's library; nil if several threads may run the function at once.
  package let lock: CallLock?
  /// A call takes at most four numbers and no lock.
  let isSmall: Bool
  /// The number of arguments of a small call with `double`s only; 0 for any other call.
  let doubleCount: Int

  /// Prepares calls of a function. The cost grows with the number of parameters; a call afterwards allocates little but the
  /// memory for its arguments and copies of its results.
  ///
  /// - Parameters:
  ///   - signature: What the function takes and gives back. If that is not the function's real type, a call has undefined
  ///     behavior, as it has in C.
  ///   - function: The address of the function, which must stay valid for every call.
  ///   - symbols: Finds the functions that the signature names to free something; asked for each of them, once. By default it
  ///     finds what the program itself and its libraries export, `free` for example.
  ///   - maximumBufferSize: See the property.
  /// - Throws: A `CallError` with the code `unsupportedSignature` if libffi cannot make such a call on this machine, or
  ///   `missingFunction` if one is not found.
  public convenience init(
    signature: Signature, function: UnsafeRawPointer, symbols: SymbolLookup = PreparedCall.global,
    maximumBufferSize: Int = PreparedCall.defaultMaximumBufferSize
  ) throws(CallError) {
    try self.init(
      signature: signature, function: function, symbols: symbols, maximumBufferSize: maximumBufferSize, backend: .automatic)
  }

  package convenience init(
    signature: Signature, function: UnsafeRawPointer, symbols: SymbolLookup = PreparedCall.global,
    maximumBufferSize: Int = PreparedCall.defaultMaximumBufferSize, backend: Backend
  ) throws(CallError) {
    try self.init(signature, function, symbols, maximumBufferSize, backend, try CallPlan(signature, backend))
  }

  /// Prepares calls of a function whose type is known, which is much cheaper if another one of that type has been prepared.
  /// Throws as the other initializers do.
  ///
  /// - Parameters:
  ///   - library: An object that keeps the function's library loaded; the call and the typed calls made from it keep it.
  ///   - lock: The lock of the library; nil if several threads may run the function at once.
  package convenience init(
    type: FunctionType, function: UnsafeRawPointer, symbols: SymbolLookup = PreparedCall.global,
    maximumBufferSize: Int = PreparedCall.defaultMaximumBufferSize, library: (any AnyObject & Sendable)? = nil,
    lock: CallLock? = nil
  ) throws(CallError) {
    try self.init(
      type.signature, function, symbols, maximumBufferSize, .automatic, try CallPlan.shared(type), library: library, lock: lock)
  }

  private init(
    _ signature: Signature, _ function: UnsafeRawPointer, _ symbols: SymbolLookup, _ maximumBufferSize: Int, _ backend: Backend,
    _ plan: CallPlan, library: (any AnyObject & Sendable)? = nil, lock: CallLock? = nil
  ) throws(CallError) {
    var functions: [String: ForeignReference.Deallocator] = [:]
    for name in [signature.resultOwnership.deallocator] + signature.parameters.map(\.ownership.deallocator) {
      guard let name else { continue }
      guard let function = symbols(name) else { throw .missingFunction(name, signature) }
      functions[name] = ForeignReference.Deallocator(function, lock)
    }
    textCall = try Self.textCall(signature, symbols)
    (self.signature, self.function, self.functions, self.backend) = (signature, function, functions, backend)
    self.maximumBufferSize = maximumBufferSize
    (self.library, self.lock) = (library, lock)
    self.plan = plan
    isSmall = plan.isSmall && lock == nil
    doubleCount = isSmall && plan.takesOnlyDoubles ? plan.argumentCount : 0
  }

  /// The largest size in bytes of a buffer unless a program sets another: 1 GiB.
  public static var defaultMaximumBufferSize: Int { 1 << 30 }

  /// Finds what the program and the libraries that it is linked with export.
  public static func global(_ name: String) -> UnsafeRawPointer? { UnsafeRawPointer(dlsym(nil, name)) }

  /// Calls the function.
  ///
  /// - Parameters:
  ///   - arguments: One value for each of the signature's `Signature.callerParameters`, which is converted as
  ///     ``Value/converted(to:)`` says. Strings and buffers are lent to the function until it returns, so that it must not keep
  ///     them, and a pointer into one is worth nothing afterwards. An open-ended signature takes more, each passed as what it
  ///     is: an integer as `int`, `long` or `unsigned long`, a floating-point number as `double`, text, and a pointer, callback,
  ///     reference or memory by its address.
  ///   - resolver: The argument of a `resolver` parameter; not needed if there is none.
  /// - Returns: What the function gave back, bit for bit. A string is copied, and the original left alone or, if it is owned,
  ///   freed. If the signature has `Signature.outputs`, a structure: the result as `return`, unless it is `void`, and each
  ///   output under its name.
  /// - Throws: A `CallError`. Before the call: `argumentCount`, `argumentType`, `argumentRange`, `missingResolver`,
  ///   `smallStack`, `bufferSize`; the function has then not run. After the call: `system`, `callback`, `resultText`,
  ///   `resultLength`. Before or after it: `noMemory`.
  public func call(_ arguments: [Value] = [], resolver: UnsafeRawPointer? = nil) throws(CallError) -> Value {
    try call(arguments, resolver, nil) { _ in }.value
  }

  /// Calls the function, and keeps what it has been given.
  ///
  /// - Parameters:
  ///   - arguments: As for ``call(_:resolver:)``.
  ///   - lifetime: Keeps the strings, buffers, structs and callbacks among the arguments for as long as it exists, so that the function may
  ///     keep pointers to them.
  /// - Throws: As ``call(_:resolver:)`` does. The lifetime keeps the arguments of a failed call, too.
  public func call(
    _ arguments: [Value], resolver: UnsafeRawPointer? = nil, keeping lifetime: ForeignLifetime
  ) throws(CallError) -> Value {
    try call(arguments, resolver, lifetime) { _ in }.value
  }

  /// Calls the function as `call(_:resolver:keeping:)` does, and returns also the memory that it allocated for arguments.
  package func outcome(
    of arguments: [Value], resolver: UnsafeRawPointer?, keeping lifetime: ForeignLifetime?
  ) throws(CallError) -> CallOutcome {
    try call(arguments, resolver, lifetime) { _ in }
  }

  /// Calls a function that makes something and gives a pointer to it; gives the address, 0 for NULL.
  ///
  /// - Parameter discard: Gets the address, which is not 0, if the call fails although the function has made something.
  /// - Throws: A `CallError`, as ``call(_:resolver:)`` does.
  package func make(
    _ arguments: [Value], resolver: UnsafeRawPointer?, discard: (UInt) -> Void
  ) throws(CallError) -> UInt {
    let outcome = try call(arguments, resolver, nil) { if $0 != 0 { discard($0) } }.value
    switch signature.outputs.isEmpty ? outcome : outcome["return"] {
    case .pointer(let pointer): return pointer.address
    case .reference(let reference): return reference.address.address
    default: return 0
    }
  }

  /// Calls the function.
  ///
  /// - Parameter discard: Gets the first word of the result if the call fails after the function has run.
  private func call(
    _ arguments: [Value], _ resolver: UnsafeRawPointer?, _ lifetime: ForeignLifetime?, discard: (UInt) -> Void
  ) throws(CallError) -> CallOutcome {
    if let kind = plan.wordResult, arguments.count == plan.argumentCount,
      let word = try callWords(discard: discard, { index, word in arguments[index].word(word.kind) })
    {
      return CallOutcome(Value(word: word, kind))
    }
    lock?.lock(for: function)
    defer { lock?.unlock() }
    guard arguments.count != plan.argumentCount else {
      return try call(arguments, resolver, plan, lifetime, variadicTypes: [], discard: discard)
    }
    try signature.checkCount(arguments.count)
    var types: [CType] = []
    for (index, argument) in arguments.enumerated().dropFirst(plan.argumentCount) {
      guard let type = argument.variadicType else {
        throw CallError.wrongVariadic(argument.shown).about(argument: index, name: nil)
      }
      types.append(type)
    }
    let plan = try CallPlan(signature, backend, variadicTypes: types)
    return try call(arguments, resolver, plan, lifetime, variadicTypes: types, discard: discard)
  }

  /// The memory of a small call besides its frame, so that few calls allocate any.
  private static var spareBytes: Int { 512 }

  private func call(
    _ values: [Value], _ resolver: UnsafeRawPointer?, _ plan: CallPlan, _ lifetime: ForeignLifetime?, variadicTypes: [CType],
    discard: (UInt) -> Void
  ) throws(CallError) -> CallOutcome {
    try plan.checkStack()
    let size = plan.layout.size
    return try withUnsafeTemporaryAllocation(
      byteCount: size + Self.spareBytes, alignment: 16
    ) { (memory: UnsafeMutableRawBufferPointer) throws(CallError) in
      let frame = CallFrame(memory)
      memset(frame.memory, 0, size)
      let spare = UnsafeMutableRawBufferPointer(rebasing: memory[size...])
      var arguments = ValueArguments(self, plan, values, spare, lifetime: lifetime)
      try arguments.fill(frame, resolver: resolver, variadicTypes: variadicTypes)
      let (result, failure) = run(frame, plan)
      if failure == nil { arguments.succeed() }
      let outcome: Result<Value, CallError>
      do throws(CallError) {
        // Also of a failed call, whose references are released like this.
        outcome = .success(try arguments.outcome(frame))
      } catch {
        outcome = .failure(error)
      }
      // A failed call may also have handed something over.
      arguments.free(frame)
      let memory = arguments.memoryOfArguments
      arguments.keep(failure == nil ? try? outcome.get() : nil)
      switch (failure, outcome) {
      case (nil, .success(let value)): return CallOutcome(value, memory: memory)
      case (let error?, _), (nil, .failure(let error)):
        discard(result.load(as: UInt.self))
        throw error
      }
    }
  }
}

// MARK: Benchmarks

extension PreparedCall {
  /// Returns the same call of a function that only returns zeros. It takes the time that a call takes beside its function.
  ///
  /// The call recognizes no failures, because a zero may be one. It takes no `long double`, for which x86-64 has other registers. Throws a
  /// `CallError` as the initializers do.
  package func withEmptyFunction() throws(CallError) -> PreparedCall {
    let function: @convention(c) () -> troupe_zeros = troupe_return_zeros
    let result: CType = [.longDouble, .complex(.longDouble)].contains(signature.result) ? .void : signature.result
    return try PreparedCall(
      signature: Signature(
        result: result, resultOwnership: signature.resultOwnership, parameters: signature.parameters,
        fixedCount: signature.fixedCount),
      function: unsafeBitCast(function, to: UnsafeRawPointer.self),
      symbols: { [functions] in functions[$0]?.address },
      maximumBufferSize: maximumBufferSize, backend: backend)
  }
}

// MARK: Variable arguments

extension Value {
  /// The type that the value is passed as behind `...`; nil if it is of no type that C has there.
  var variadicType: CType? {
    switch self {
    case .bool: .integer(.int)
    case .integer(let integer):
      [CType.Integer.int, .long, .unsignedLong].first { $0.range.contains(integer) }.map(CType.integer)
    case .float, .double: .double
    case .longDouble: .longDouble
    case .string: .string
    case .pointer, .memory: .pointer(.toVoid)
    case .callback(let callback): .function(callback.signature)
    case .reference(let reference): .reference(CType.Reference(name: reference.type))
    case .void, .bytes, .array, .packedArray, .structure: nil
    }
  }
}
