public import FoundationEssentials
public import TroupeCall
internal import TroupeFiles
internal import TroupeSandbox

/// A plain C function that a plugin registered, callable from Swift. It keeps its plugin open.
///
/// ```swift
/// let area: ForeignFunction = try host.container.resolve(
///   tags: UUID(uuidString: "0d6f6f0e-52c5-4a3c-9a1b-3f6f0b0c9a11")!, "geometry")
/// let square = try area(3.0, 3.0)  // Value.double(9)
/// ```
///
/// It may be called from any thread, also from several at once. Calls of a function that is not ``isCallableFromAnyThread`` wait for each
/// other, and for calls of the other such functions of its library.
public final class ForeignFunction: Sendable, CustomStringConvertible {
  /// The factory's UUID.
  public let uuid: UUID
  let registration: RegistrationDescription
  private let implementation: any FunctionImplementation

  init(_ registration: RegistrationDescription, _ implementation: any FunctionImplementation) {
    guard let uuid = registration.uuid else { preconditionFailure("\(registration.name) is a C function without a UUID") }
    (self.uuid, self.registration, self.implementation) = (uuid, registration, implementation)
  }

  /// The name, for the user.
  public var name: String { registration.name }
  /// The parameters and the result.
  public var signature: Signature { implementation.signature }
  /// Whether calls on several threads run at once: those of a plugin's own functions, and those of an adopted library whose file has
  /// `"threads": "any"`. Other calls take turns.
  public var isCallableFromAnyThread: Bool { registration.isCallableFromAnyThread }

  /// Returns a function of the same type that only returns zeros. It takes the time that a call takes beside its function.
  package func withEmptyFunction() throws -> ForeignFunction {
    ForeignFunction(registration, try local("call of an empty function").withEmptyFunction())
  }

  /// The call of the function in this process; nil for one in a worker.
  package var prepared: PreparedCall? { implementation.local?.prepared }

  /// The loop over rows, valid for as long as this object; nil if the function has none.
  package var loop: ColumnLoop? { implementation.local?.loop }

  /// Calls the function once for each row of some columns; see `PreparedCall.map(_:rows:into:options:)`. If the plugin registered a
  /// vectorized body, calls that for all rows instead.
  ///
  /// ```swift
  /// try function.map([Column(widths), Column(heights)], rows: widths.count, into: [OutputColumn(areas)])
  /// ```
  ///
  /// - Parameters:
  ///   - columns: One column for each of `signature.callerParameters`.
  ///   - rows: The number of rows.
  ///   - outputs: One column for the result, unless it is `void`, and one for each of `signature.outputs`.
  ///   - options: More than one thread requires ``isCallableFromAnyThread``.
  /// - Returns: The number of null rows.
  /// - Throws: A `CallError`, which has the index of the row if a call failed; a `Diagnosis` with the code `invalidArgument` for threads
  ///   that the function does not allow. If the task is cancelled, a `CallError` with the code `cancelled` within some 50 ms and a row, or
  ///   `WorkerError.cancelled` for a function in a worker, between two batches.
  @discardableResult
  public func map(
    _ columns: [Column], rows: Int, into outputs: [OutputColumn], options: MapOptions = MapOptions()
  ) throws -> Int {
    guard options.threads <= 1 || isCallableFromAnyThread else {
      throw Diagnosis(
        .invalidArgument, name, problem: "is not declared callable on any thread, and \(options.threads) threads are requested",
        remedy: "use one thread, or, if the library's documentation allows more, add \"threads\": \"any\" to the adopting file")
    }
    return try implementation.map(columns, rows: rows, into: outputs, options: options)
  }

  /// Calls the function once for each row of some columns and returns the results.
  ///
  /// ```swift
  /// let areas: [Double] = try function.map(widths, heights)
  /// let doubled: [Double] = try function.map(widths, 2.0)
  /// ```
  ///
  /// Arrays of one element and numbers are repeated for all rows; the array of a buffer parameter goes to all rows as a whole.
  ///
  /// - Throws: Errors as `map(_:rows:into:options:)` does, and a `CallError` with the code `argumentRange` if the arrays differ in length.
  public func map<Result: CScalar, each Argument: ColumnArgument>(
    _ argument: repeat each Argument, as result: Result.Type = Result.self, options: MapOptions = MapOptions()
  ) throws -> [Result] {
    try ColumnArguments(repeat each argument).results(for: signature) { columns, rows, output in
      try map(columns, rows: rows, into: [output], options: options)
    }
  }

  // The error type is not declared: the optimizer of Swift 6.3.1 crashes in an asynchronous function that calls this function in the
  // closure of a `map`, after a call that throws any error.
  /// Calls the function.
  ///
  /// - Parameter arguments: One value for each of `signature.callerParameters`.
  /// - Returns: The result; for a signature with outputs a structure of the result, as `return`, and of each output under its name.
  /// - Throws: A `CallError`. The function is not called if the arguments do not fit. Other codes report a failure of the call, such as a
  ///   result that signals an error in `errno`.
  public func call(_ arguments: [Value]) throws -> Value { try implementation.call(arguments, keeping: nil, token: nil).value }

  /// Calls the function, and keeps what it has been given.
  ///
  /// - Parameters:
  ///   - arguments: As for `call(_:)`.
  ///   - lifetime: Keeps the strings, arrays, structs and callbacks among the arguments, so that the function may keep pointers to them.
  /// - Throws: As `call(_:)` does.
  public func call(_ arguments: [Value], keeping lifetime: ForeignLifetime) throws -> Value {
    try outcome(of: arguments, keeping: lifetime).value
  }

  /// Calls the function, and returns also the memory that the call allocated for arguments.
  package func outcome(of arguments: [Value], keeping lifetime: ForeignLifetime) throws -> CallOutcome {
    try implementation.call(arguments, keeping: lifetime, token: nil)
  }

  /// Calls the function on a thread of its own, and suspends the caller until it returns. The cancellation of the task ends the call of a
  /// function in a worker, with the worker; the call throws `WorkerError.cancelled`. It has no effect on a function in this process.
  ///
  /// ```swift
  /// let area = try await function.callInBackground([.double(3), .double(4)])
  /// ```
  ///
  /// - Throws: As `call(_:)` does.
  public func callInBackground(_ arguments: [Value]) async throws -> Value {
    let token = CallToken()
    let call = SingleUseClosure { try self.implementation.call(arguments, keeping: nil, token: token).value }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        BackgroundThread.run { continuation.resume(with: call()) }
      }
    } onCancel: {
      token.cancel()
    }
  }

  /// Returns the same function with Swift's own types: numbers, `Bool` and pointers.
  ///
  /// ```swift
  /// let area = try function.typed(as: ((Double, Double) -> Double).self)
  /// let square = area(3, 3)  // 9.0
  /// ```
  ///
  /// The types are compared once. A call costs as much as a direct call, plus the lock of a library that is not thread-safe, and cannot
  /// fail. It keeps the plugin open.
  ///
  /// - Parameter type: A Swift function type of at most eight parameters; see `TypedCall`.
  /// - Throws: A `CallError`: `argumentType` for the first type that differs, `argumentCount`, or `unsupportedSignature` for a signature
  ///   with other kinds of values.
  public func typed<Result: CScalar, each Argument: CScalar>(
    as type: ((repeat each Argument) -> Result).Type
  ) throws -> TypedCall<(repeat each Argument) -> Result> {
    try local("typed call").prepared.typed(as: type)
  }

  /// Returns the same function with Swift's own types, if it has no result.
  public func typed<each Argument: CScalar>(
    as type: ((repeat each Argument) -> Void).Type
  ) throws -> TypedCall<(repeat each Argument) -> Void> {
    try local("typed call").prepared.typed(as: type)
  }

  /// Returns the same function with Swift's own types, among them structs, strings and buffers.
  ///
  /// ```swift
  /// let crc32 = try function.typed(as: ((UInt, [UInt8]) -> UInt).self)
  /// let sum = try crc32(0, bytes)
  /// ```
  ///
  /// The types are compared once. The function gets the memory of strings and buffers itself, without a copy. A call keeps the
  /// plugin open.
  ///
  /// - Parameter type: A Swift function type of at most six parameters; see `BufferCall`, which lists the types.
  /// - Throws: A `CallError`, as for numbers.
  public func typed<Result, each Argument>(
    as type: ((repeat each Argument) -> Result).Type
  ) throws -> BufferCall<(repeat each Argument) -> Result> {
    let local = try local("typed call")
    return try local.prepared.buffers(as: type, resolver: local.resolverPointer)
  }

  /// Allocates memory for a buffer argument, which a call passes as `Value.memory`. A function in a worker gets it without a copy: it is
  /// shared with the worker, which may change it at any time. After the end of the worker a call copies it, as other memory.
  ///
  /// ```swift
  /// let memory = try function.allocateBuffer(.double, count: 1 << 20)
  /// let sum = try function.call([.memory(memory)])
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type of the elements: a number.
  ///   - count: The number of elements, at least 1.
  /// - Throws: A `CallError` with the code `noMemory`, or a `WorkerError`.
  public func allocateBuffer(_ type: CType, count: Int) throws -> ForeignMemory {
    try implementation.allocateBuffer(type, count: count)
  }

  /// The address of the function, valid for as long as this object; nil for a function in a worker, and for one whose calls take a lock.
  package var address: Value.Pointer? { prepared.flatMap { $0.lock == nil ? Value.Pointer($0.function) : nil } }

  /// As `address`, for calls by the library itself, which take no lock.
  package var addressInLibrary: Value.Pointer? { prepared.map { Value.Pointer($0.function) } }

  /// Whether it runs in a worker.
  public var isIsolated: Bool { implementation.local == nil }

  /// Returns the function in this process. Throws a `CallError` for a function in a worker.
  private func local(_ use: String) throws(CallError) -> LocalFunction {
    if let local = implementation.local { return local }
    throw CallError(
      .unsupportedSignature, problem: "\(name) runs in a worker, where a \(use) is not possible", remedy: "use `call`",
      argument: nil,
      row: nil)
  }

  /// Calls the function with arguments in any form. They cannot name functions for callbacks; see ``PluginHost/call(_:_:)``.
  ///
  /// - Throws: A `CallError`, as `call(_:)` does with values.
  public func call(_ arguments: FactoryArguments) throws -> Value {
    try call(arguments.values(for: signature))
  }

  /// Calls the function with Swift values: numbers, booleans, strings and pointers, or a `Value` for anything else.
  ///
  /// - Throws: A `Diagnosis` for an argument whose type C lacks; the function is then not called. A `CallError`, as `call(_:)` does.
  public func callAsFunction(_ arguments: Any...) throws -> Value {
    try call(FactoryArguments.values(of: arguments))
  }

  /// The entries of the function in the container: the function itself, and its result for the arguments of a resolve.
  func entries() -> [Entry] {
    let tags = TagList(registration.tags, uuid)
    return [
      .plain(ForeignFunction.self, tags: tags, lifetime: .transient) { _ in self },
      .dynamic(Value.self, tags: tags, lifetime: .transient) { _, arguments in
        try self.call(FactoryArguments.values(of: arguments))
      },
    ]
  }

  /// The name and the signature.
  public var description: String { "\(name): \(signature)" }
}
