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
  private let call: PreparedCall
  private let plan: BufferPlan
  /// A bit for each argument that is lent.
  @usableFromInline let lent: UInt8

  init(_ call: PreparedCall, _ plan: BufferPlan) {
    (self.call, self.plan) = (call, plan)
    lent = plan.lent
  }

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
      if Result.self == String?.self {
        let text = try text(arguments)
        UnsafeMutableRawPointer(place).initializeMemory(as: String?.self, to: text)
      } else {
        try run(arguments, UnsafeMutableRawPointer(place))
      }
      return place.move()
    }
  }

  @usableFromInline
  func run(_ arguments: InlineArray<6, BorrowedMemory>, _ result: UnsafeMutableRawPointer)
    throws(CallError)
  {
    try call.run(plan, arguments, result) { place in
      if place != result { result.copyMemory(from: place, byteCount: call.layout.resultSize) }
    }
  }

  /// Calls a function that returns text.
  @usableFromInline
  func text(_ arguments: InlineArray<6, BorrowedMemory>) throws(CallError) -> String? {
    try call.run(plan, arguments, nil) { place throws(CallError) in
      guard case .string(let text) = try Value.read(.string, at: place) else { return nil }
      return text
    }
  }
}

/// The plan by which a call writes each Swift argument to its memory.
final class BufferPlan: Sendable {
  enum PassingMode {
    /// A copy.
    case value
    /// The address of text.
    case text
    /// Another address.
    case pointer
    /// The address of a fixed number of elements.
    case array(count: Int)
    /// The address of a buffer. The first buffer of a length writes that parameter, at most this number; the others have to be as
    /// long.
    case buffer(length: Int, isFirst: Bool, maximum: Int)
  }

  /// The index of the parameter for each argument, and how the argument is passed.
  let arguments: [(parameter: Int, mode: PassingMode)]
  /// The parameters that get the resolver.
  let resolvers: [Int]
  let resolver: UInt

  init(_ arguments: [(parameter: Int, mode: PassingMode)], resolvers: [Int], _ resolver: UInt) {
    (self.arguments, self.resolvers, self.resolver) = (arguments, resolvers, resolver)
  }

  /// A bit for each argument that is lent.
  var lent: UInt8 {
    var bits: UInt8 = 0
    for (index, argument) in arguments.enumerated() {
      if case .value = argument.mode { continue }
      bits |= 1 << UInt8(index)
    }
    return bits
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
    return BufferCall(self, try plan(types, Result.self, resolver))
  }

  /// The plan of a call with Swift types, which it compares with C's.
  func plan(
    _ types: [ArgumentType], _ result: Any.Type, _ resolver: UnsafeRawPointer?
  ) throws(CallError) -> BufferPlan {
    guard signature.isTyped else {
      throw .unsupported(
        signature, problem: "a typed call takes no variable arguments, owns no reference and computes no length")
    }
    let lengths = signature.omittedLengths
    let expected = signature.parameters.indices.filter { lengths[$0] == nil && signature.parameters[$0].type != .resolver }
    let resolvers = signature.parameters.indices.filter { signature.parameters[$0].type == .resolver }
    guard resolver != nil || resolvers.isEmpty else { throw .missingResolver(signature) }
    var arguments: [(parameter: Int, mode: BufferPlan.PassingMode)] = []
    var written: Set<Int> = []
    for (position, (index, type)) in zip(expected, types).enumerated() {
      let parameter = signature.parameters[index]
      guard type.fits(parameter) else {
        throw CallError.wrongSwiftType(type.name, parameter, of: signature).about(argument: position, name: parameter.name)
      }
      arguments.append((index, type.isLent ? parameter.lentWay(lengths, &written) : .value))
    }
    guard types.count == expected.count, types.count <= 6 else {
      throw .wrongTypedCount(types.count, expected.count, signature)
    }
    let isSame =
      signature.result == .string && result == String?.self || signature.result == .void && result == Void.self
      || signature.result.hasLayout(of: result)
    guard isSame else { throw .wrongSwiftResult(result, signature.result) }
    return BufferPlan(arguments, resolvers: resolvers, UInt(bitPattern: resolver))
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

  /// The lengths of buffers that the function only reads, which the call passes itself: the index of each parameter and its greatest
  /// value.
  fileprivate var omittedLengths: [Int: Int] {
    var lengths: [Int: Int] = [:]
    for parameter in parameters {
      if case .buffer(_, let buffer, _) = parameter.passing, let length = buffer.parameter,
        parameters[length].passing == .value
      {
        lengths[length] = parameters[length].type.integer.map {
          Int(min($0.range.upperBound, Int128(Int.max)))
        }
      }
    }
    return lengths
  }
}

extension Signature.Parameter {
  /// Returns the method that writes a lent argument.
  ///
  /// - Parameter written: The lengths that arguments before this one write.
  fileprivate func lentWay(_ lengths: [Int: Int], _ written: inout Set<Int>) -> BufferPlan.PassingMode {
    switch passing {
    case .buffer(_, let length, _):
      if let index = length.parameter, let maximum = lengths[index] {
        .buffer(length: index, isFirst: written.insert(index).inserted, maximum: maximum)
      } else {
        length.constant.map { .array(count: $0) } ?? .pointer
      }
    case .value where type == .string: .text
    case .value, .pointer: .pointer
    }
  }
}

extension PreparedCall {
  /// Calls the function with arguments in memory, and a closure with the address of the result.
  ///
  /// - Parameter destination: Where the function may write a result that it returns in memory.
  fileprivate func run<Result>(
    _ plan: BufferPlan, _ arguments: InlineArray<6, BorrowedMemory>, _ destination: UnsafeMutableRawPointer?,
    _ body: (UnsafeRawPointer) throws(CallError) -> Result
  ) throws(CallError) -> Result {
    lock?.lock()
    defer { lock?.unlock() }
    try Self.checkStack(for: layout)
    return try withUnsafeTemporaryAllocation(byteCount: layout.size, alignment: 16) {
      (memory: UnsafeMutableRawBufferPointer) throws(CallError) in
      guard let start = memory.baseAddress else {
        fatalError("only an empty block has no address, and this one is not")
      }
      for (index, argument) in plan.arguments.enumerated() {
        do throws(CallError) {
          try pass(arguments[index], argument.parameter, argument.mode, to: start)
        } catch {
          throw error.about(argument: index, name: signature.parameters[argument.parameter].name)
        }
      }
      for index in plan.resolvers {
        (start + layout.arguments[index]).storeBytes(of: plan.resolver, as: UInt.self)
      }
      return try finish(start, destination, body)
    }
  }

  /// Writes an argument, and the length of a buffer.
  private func pass(
    _ argument: BorrowedMemory, _ index: Int, _ mode: BufferPlan.PassingMode, to memory: UnsafeMutableRawPointer
  ) throws(CallError) {
    if case .value = mode {
      if let address = argument.address { layout.slots[index].copy(address, to: memory, limit: argument.count) }
      return
    }
    (memory + layout.arguments[index]).storeBytes(of: argument.address, as: UnsafeRawPointer?.self)
    switch mode {
    case .text:
      guard let address = argument.address else { return }
      guard strlen(address.assumingMemoryBound(to: CChar.self)) == argument.count else {
        throw .embeddedNUL("the text")
      }
    case .array(let count):
      guard argument.count == count else {
        throw .wrongElementCount(
          argument.count, .array(signature.parameters[index].type, count: count))
      }
    case .buffer(let length, let isFirst, let maximum):
      let place = memory + layout.arguments[length]
      if isFirst {
        guard argument.count <= maximum else {
          throw .tooLong(argument.count, signature.parameters[length])
        }
        return place.storeBytes(of: argument.count, as: Int.self)
      }
      let other = place.load(as: Int.self)
      guard other == argument.count else {
        throw .unequalLengths(argument.count, other, signature.parameters[length].name ?? "")
      }
    case .value, .pointer: break
    }
  }

  /// Makes the call, and reports its failure or its result.
  private func finish<Result>(
    _ memory: UnsafeMutableRawPointer, _ destination: UnsafeMutableRawPointer?,
    _ body: (UnsafeRawPointer) throws(CallError) -> Result
  ) throws(CallError) -> Result {
    let hasFailureRule = signature.failureRule != nil
    let (result, failure) = CallbackErrors.collecting {
      if hasFailureRule { errno = 0 }
      return invoke(layout, memory, destination)
    }
    defer {
      if let deallocator = signature.resultOwnership.deallocator, let pointer = result.load(as: UnsafeMutableRawPointer?.self) {
        functions[deallocator]?(pointer)
      }
    }
    if let failure { throw .callbackFailed(failure) }
    if hasFailureRule {
      let failed = self.failure(errno: errno, result: result) { index in
        let place = UnsafeRawPointer(memory + layout.arguments[index])
        return signature.parameters[index].isPointerInC ? place.load(as: UnsafeRawPointer.self) : place
      }
      if let failed { throw failed }
    }
    return try body(result)
  }
}
