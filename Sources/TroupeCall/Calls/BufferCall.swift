internal import Glibc

/// A C function that is called with Swift strings, arrays and structs, whose memory it gets without a copy.
///
///     let signature = try Signature(parsing: "unsigned long (unsigned long crc, const void bytes[count], unsigned count)")
///     let call = try PreparedCall(signature: signature, function: function)
///     let crc32 = try call.typed(as: ((UInt, [UInt8]) -> UInt).self)
///     let sum = try crc32(0, bytes)
///
/// | parameter in C | Swift type |
/// |---|---|
/// | a number, `bool`, an enumeration | the Swift number that is as wide, `Bool` |
/// | a `struct` or `union`, a complex number | an imported C struct, or a Swift struct with the same members in the same order |
/// | `string` | `String`, `String?` |
/// | `const T values[count]` | `[T]`, `UnsafeBufferPointer<T>`, or an optional of these; `Span<T>` |
/// | `T values[count]`, `out T values[count]` | `UnsafeMutableBufferPointer<T>`, or an optional of it |
/// | `out T *value`, `inout T *value` | `UnsafeMutablePointer<T>` |
/// | any other pointer | `Value.Pointer`, `UnsafePointer`, `UnsafeMutablePointer` |
///
/// Omit the length of a buffer, unless the function writes it: the call passes the buffer's own count. The result is a number, a
/// struct, a `Value.Pointer`, `String?` for a string, which is copied, or `Void`.
///
/// The types are compared once, when the call is made; the members of a struct are the caller's responsibility. A call allocates
/// nothing but the copy of a string. It may be used on any thread, also on several at once, if the C function may.
public struct BufferCall<Function>: Sendable {
  private let call: LentCall
  /// A bit for each argument that is lent.
  @usableFromInline let lent: UInt8

  fileprivate init(_ call: LentCall) { (self.call, lent) = (call, call.kinds.lent) }

  /// Calls a closure with an argument's memory: the memory that it lends, or its own.
  @inlinable @inline(__always)
  func lend<Argument, Result>(
    _ argument: Argument, _ index: UInt8, _ body: (BorrowedMemory) throws -> Result
  ) rethrows -> Result {
    if lent & (1 << index) != 0, let argument = argument as? any CArgument {
      return try argument._withMemory(body)
    }
    return try withUnsafeBytes(of: argument) { try body(BorrowedMemory($0.baseAddress, count: $0.count)) }
  }

  /// Calls the function with the memory of its arguments, of which there may be fewer than six.
  @inlinable @inline(__always)
  func result<Result>(
    _ a: BorrowedMemory = .null, _ b: BorrowedMemory = .null, _ c: BorrowedMemory = .null, _ d: BorrowedMemory = .null,
    _ e: BorrowedMemory = .null, _ f: BorrowedMemory = .null
  ) throws(CallError) -> Result {
    let arguments: InlineArray<6, BorrowedMemory> = [a, b, c, d, e, f]
    return try withUnsafeTemporaryAllocation(of: Result.self, capacity: 1) { result throws(CallError) in
      // The stride of every type is at least 1, so the buffer has bytes and an address.
      let place = result.baseAddress.unsafelyUnwrapped
      try withUnsafePointer(to: arguments) { arguments throws(CallError) in
        if Result.self == String?.self {
          let text = try text(arguments)
          UnsafeMutableRawPointer(place).initializeMemory(as: String?.self, to: text)
        } else {
          try run(arguments, UnsafeMutableRawPointer(place))
        }
      }
      return place.move()
    }
  }

  @usableFromInline
  func run(_ arguments: UnsafePointer<InlineArray<6, BorrowedMemory>>, _ result: UnsafeMutableRawPointer) throws(CallError) {
    try call.run(arguments, to: result)
  }

  /// Calls a function that returns text.
  @usableFromInline
  func text(_ arguments: UnsafePointer<InlineArray<6, BorrowedMemory>>) throws(CallError) -> String? {
    try call.text(arguments)
  }
}

/// The call behind a `BufferCall`, whose types it does not depend on.
private struct LentCall: Sendable {
  let call: PreparedCall
  let plan: CallPlan
  /// The steps of the call, which takes other arguments than one with values.
  let steps: [CallPlan.Step]
  let kinds: LentArguments.Kinds
  let resolver: UInt

  init(_ call: PreparedCall, _ types: [ArgumentType], _ result: Any.Type, _ resolver: UnsafeRawPointer?) throws(CallError) {
    (steps, kinds) = try call.lentSteps(types, result, resolver)
    (self.call, plan, self.resolver) = (call, call.plan, UInt(bitPattern: resolver))
  }

  /// Calls the function, which may write a result that it returns in memory to its destination.
  func run(_ arguments: UnsafePointer<InlineArray<6, BorrowedMemory>>, to destination: UnsafeMutableRawPointer)
    throws(CallError)
  {
    let source = LentArguments(kinds, arguments)
    try call.run(plan, steps, source, UnsafeRawPointer(bitPattern: resolver), destination) { result, plan in
      if result != destination { destination.copyMemory(from: result, byteCount: plan.layout.resultSize) }
    }
  }

  func text(_ arguments: UnsafePointer<InlineArray<6, BorrowedMemory>>) throws(CallError) -> String? {
    var text: String?
    let source = LentArguments(kinds, arguments)
    try call.run(plan, steps, source, UnsafeRawPointer(bitPattern: resolver), nil) { (result, _) throws(CallError) in
      if case .string(let string) = try Value.read(.string, at: result) { text = string }
    }
    return text
  }
}

extension PreparedCall {
  /// Calls the function with arguments in memory, and a closure with the address of the result.
  ///
  /// - Parameter destination: Where the function may write a result that it returns in memory.
  fileprivate func run(
    _ plan: CallPlan, _ steps: [CallPlan.Step], _ arguments: LentArguments, _ resolver: UnsafeRawPointer?,
    _ destination: UnsafeMutableRawPointer?, _ body: (UnsafeRawPointer, CallPlan) throws(CallError) -> Void
  ) throws(CallError) {
    lock?.lock(for: function)
    defer { lock?.unlock() }
    try plan.checkStack()
    try withUnsafeTemporaryAllocation(byteCount: plan.layout.size, alignment: 16) { memory throws(CallError) in
      let frame = CallFrame(memory)
      var arguments = arguments
      try fill(frame, plan, steps, from: &arguments, resolver: resolver)
      let (result, failure) = run(frame, plan, destination: destination)
      defer { if plan.ownsResult { freeResult(at: result) } }
      if let failure { throw failure }
      try body(result, plan)
    }
  }

  /// Frees what the result points to.
  fileprivate func freeResult(at place: UnsafeRawPointer) {
    guard let deallocator = signature.resultOwnership.deallocator, let pointer = place.load(as: UnsafeMutableRawPointer?.self)
    else {
      return
    }
    functions[deallocator]?(pointer)
  }
}

/// The memory that a caller lends for each argument.
struct LentArguments: ArgumentSource, BitwiseCopyable {
  /// What the caller's Swift types say of the arguments: sets of bits, one for each.
  struct Kinds: Sendable, BitwiseCopyable {
    /// The memory is passed, and not a copy.
    var lent: UInt8 = 0
    /// Text, whose bytes must contain no NUL.
    var texts: UInt8 = 0
  }

  private let kinds: Kinds
  /// The caller's, since to copy them takes as long as the call.
  private let arguments: UnsafePointer<InlineArray<6, BorrowedMemory>>

  init(_ kinds: Kinds, _ arguments: UnsafePointer<InlineArray<6, BorrowedMemory>>) {
    (self.kinds, self.arguments) = (kinds, arguments)
  }

  @inline(__always)
  func write(_ step: CallPlan.Step, to frame: CallFrame) throws(CallError) {
    let (argument, bit) = (arguments.pointee[step.argument], UInt8(1) << UInt8(step.argument))
    guard kinds.lent & bit != 0 else {
      if let address = argument.address {
        step.slot.copy(address, to: frame.memory, limit: argument.count)
      }
      return
    }
    frame.point(step, to: argument.address)
    guard kinds.texts & bit != 0, let address = argument.address else { return }
    guard strlen(address.assumingMemoryBound(to: CChar.self)) == argument.count else { throw .embeddedNUL("the text") }
  }

  @inline(__always)
  func buffer(_ step: CallPlan.Step) throws(CallError) -> (address: UnsafeRawPointer?, count: Int) {
    (arguments.pointee[step.argument].address, arguments.pointee[step.argument].count)
  }

  func newBuffer(_ step: CallPlan.Step, count: Int128) throws(CallError) -> UnsafeRawPointer {
    fatalError("the caller gives each buffer")
  }
}

extension PreparedCall {
  /// The same call with Swift's own types, among them strings, arrays and structs; see ``BufferCall``.
  ///
  /// - Parameter type: A Swift function type of at most six parameters.
  /// - Throws: A `CallError` with the code `argumentType` that names the first type that differs, `argumentCount`, or
  ///   `unsupportedSignature` for a signature with variable arguments, a buffer as its result or an output that it owns.
  public func typed<Result, each Argument>(
    as type: ((repeat each Argument) -> Result).Type
  ) throws(CallError) -> BufferCall<(repeat each Argument) -> Result> {
    try buffers(as: type, resolver: nil)
  }

  /// As ``typed(as:)``, and passes a resolver.
  package func buffers<Result, each Argument>(
    as type: ((repeat each Argument) -> Result).Type, resolver: UnsafeRawPointer?
  ) throws(CallError) -> BufferCall<(repeat each Argument) -> Result> {
    var types: [ArgumentType] = []
    for argument in repeat (each Argument).self { types.append(ArgumentType(argument)) }
    return BufferCall(try LentCall(self, types, Result.self, resolver))
  }

  /// A call with the types of spans.
  func call<Function>(_ types: [ArgumentType], _ result: Any.Type) throws(CallError) -> BufferCall<Function> {
    BufferCall(try LentCall(self, types, result, nil))
  }

  /// The steps of a call with Swift types, which it compares with C's.
  fileprivate func lentSteps(
    _ types: [ArgumentType], _ result: Any.Type, _ resolver: UnsafeRawPointer?
  ) throws(CallError) -> ([CallPlan.Step], LentArguments.Kinds) {
    guard signature.isTyped else {
      throw .unsupported(
        signature, problem: "a typed call takes no variable arguments, owns no reference and computes no length")
    }
    let parameters = signature.parameters
    let omitted = signature.omittedLengths
    let takesArgument = parameters.indices.map { !omitted.contains($0) && parameters[$0].type != .resolver }
    guard resolver != nil || !parameters.contains(where: { $0.type == .resolver }) else { throw .missingResolver(signature) }
    let expected = parameters.indices.filter { takesArgument[$0] }
    var kinds = LentArguments.Kinds()
    for (position, (index, type)) in zip(expected, types).enumerated() {
      guard type.fits(parameters[index]) else {
        throw CallError.wrongSwiftType(type.name, parameters[index], of: signature)
          .about(argument: position, name: parameters[index].name)
      }
      guard type.isLent, position < 6 else { continue }
      kinds.lent |= 1 << UInt8(position)
      if parameters[index].passing == .value, parameters[index].type == .string { kinds.texts |= 1 << UInt8(position) }
    }
    guard types.count == expected.count, types.count <= 6 else {
      throw .wrongTypedCount(types.count, expected.count, signature)
    }
    let isSame =
      signature.result == .string && result == String?.self || signature.result == .void && result == Void.self
      || signature.result.hasLayout(of: result)
    guard isSame else { throw .wrongSwiftResult(result, signature.result) }
    return (CallPlan.steps(signature, plan.layout, takesArgument: takesArgument), kinds)
  }
}

/// A Swift type of an argument.
struct ArgumentType {
  let name: String
  /// Whether its memory is lent, and not copied.
  let isLent: Bool
  let fits: (Signature.Parameter) -> Bool

  init<T>(_ type: T.Type) {
    if let lent = type as? any CArgument.Type {
      self = ArgumentType(lent: lent)
    } else {
      (name, isLent) = ("\(type)", false)
      fits = { $0.passing == .value && $0.type.hasLayout(of: type) }
    }
  }

  init<T: CArgument & ~Escapable>(lent type: T.Type) {
    (name, isLent, fits) = (T._name, T._isPassedByAddress, T._fits)
  }
}

extension Signature {
  /// Whether there are Swift types for all of C's.
  fileprivate var isTyped: Bool {
    fixedCount == nil && (result == .string || result.isReference && resultOwnership == Ownership() || !result.followsPointer)
      && parameters.allSatisfy { parameter in
        let isTypedBuffer =
          if case .buffer(_, let length, let used) = parameter.passing {
            used == nil && (length.constant != nil || length.parameter != nil && !length.isInBytes)
          } else {
            true
          }
        return isTypedBuffer && parameter.ownership == Ownership()
      }
  }

  /// The parameters that are lengths of buffers and passed by value, which the call sets itself.
  fileprivate var omittedLengths: Set<Int> {
    Set(
      parameters.compactMap { parameter in
        guard case .buffer(_, let length, _) = parameter.passing, let index = length.parameter else { return nil }
        return parameters[index].passing == .value ? index : nil
      })
  }
}
