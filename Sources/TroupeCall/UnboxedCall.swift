internal import CCallbacks
internal import Glibc

/// A call of a function that gives a pointer, with arguments that are taken where they lie: nothing is boxed, and nothing
/// allocated. For functions that make objects, which take numbers for the most part.
package struct UnboxedCall: Sendable {
  /// The identity of the type that an argument was given with, and its address.
  package typealias Argument = (type: ObjectIdentifier, address: UnsafeRawPointer)

  /// What a parameter is, and what its argument may therefore be.
  private enum Kind: UInt8 {
    case int8, int16, int32, int64, uint8, uint16, uint32, uint64, bool, float, double, resolver

    init?(_ type: CType) {
      switch type {
      case .bool: self = .bool
      case .float: self = .float
      case .double: self = .double
      case .resolver: self = .resolver
      case .integer(let integer):
        switch (integer.width, integer.isSigned) {
        case (8, true): self = .int8
        case (16, true): self = .int16
        case (32, true): self = .int32
        case (64, true): self = .int64
        case (8, false): self = .uint8
        case (16, false): self = .uint16
        case (32, false): self = .uint32
        case (64, false): self = .uint64
        default: return nil
        }
      default: return nil
      }
    }
  }

  /// What a parameter is, and which word of the registers its argument goes to.
  private struct Parameter {
    var kind = Kind.resolver
    var register: UInt8 = 0
  }

  private let function: UInt
  /// No array, whose references would have to be counted at each call.
  private var parameters = InlineArray<16, Parameter>(repeating: Parameter())
  private let parameterCount: Int
  private let resultOffset: Int
  /// How many arguments the caller gives.
  private let count: Int

  /// Nil if the function gives no pointer, or takes anything but numbers and a resolver, or more than there are registers for.
  package init?(_ call: PreparedCall) {
    let signature = call.signature
    guard case .registers(let plan) = call.layout.path, plan.stackWords == 0, let result = plan.result,
      case .pointer = signature.result, signature.fixedCount == nil, signature.errorRule == nil, signature.resultLength == nil,
      signature.resultOwner == nil,
      signature.parameters.allSatisfy({ $0.passing == .value })
    else { return nil }
    for (index, parameter) in signature.parameters.enumerated() {
      guard let kind = Kind(parameter.type) else { return nil }
      parameters[index] = Parameter(kind: kind, register: UInt8(plan.offsets[index] / 8))
    }
    function = UInt(bitPattern: call.function)
    parameterCount = signature.parameters.count
    resultOffset = result
    count = signature.callerParameters.count
  }

  /// Calls the function, which must still be there.
  ///
  /// - Parameter discard: Gets the address, which is not 0, if the call fails although the function has made something.
  /// - Returns: The address that it gave, 0 for NULL. Nil, and it has not run, if the arguments are not as many as the
  ///   parameters or not of their types; an `Int` is taken for any integer that it fits into.
  /// - Throws: A `CallError` with the code `callback`.
  package func callAsFunction(
    _ arguments: UnsafeBufferPointer<Argument>, resolver: UInt, discard: (UInt) -> Void
  ) throws(CallError) -> UInt? {
    guard arguments.count == count else { return nil }
    let (result, failure) = CallbackFailure.collecting { call(arguments, resolver) }
    if let failure {
      if let result, result != 0 { discard(result) }
      throw .callbackFailed(failure)
    }
    return result
  }

  private func call(_ arguments: UnsafeBufferPointer<Argument>, _ resolver: UInt) -> UInt? {
    withUnsafeTemporaryAllocation(byteCount: Int(TROUPE_STACK), alignment: 16) { registers in
      guard let memory = registers.baseAddress else { return nil }
      memset(memory, 0, Int(TROUPE_RESULTS))
      var next = 0
      for index in 0..<parameterCount {
        let parameter = parameters[index]
        let word: UInt64
        if case .resolver = parameter.kind {
          word = UInt64(resolver)
        } else {
          guard let given = Self.word(arguments[next], parameter.kind) else { return nil }
          word = given
          next += 1
        }
        memory.storeBytes(of: word, toByteOffset: 8 * Int(parameter.register), as: UInt64.self)
      }
      troupe_call(UnsafeRawPointer(bitPattern: function), memory.assumingMemoryBound(to: troupe_registers.self), 0)
      return (memory + resultOffset).load(as: UInt.self)
    }
  }

  /// What a register holds for an argument; nil if it is not of the parameter's type, or does not fit.
  @inline(__always)
  private static func word(_ argument: Argument, _ kind: Kind) -> UInt64? {
    switch kind {
    case .int8: integer(Int8.self, argument)
    case .int16: integer(Int16.self, argument)
    case .int32: integer(Int32.self, argument)
    case .int64: integer(Int64.self, argument)
    case .uint8: integer(UInt8.self, argument)
    case .uint16: integer(UInt16.self, argument)
    case .uint32: integer(UInt32.self, argument)
    case .uint64: integer(UInt64.self, argument) ?? scalar(UInt.self, argument)
    case .bool: scalar(Bool.self, argument)
    case .float: scalar(Float.self, argument)
    case .double: scalar(Double.self, argument)
    case .resolver: nil
    }
  }

  @inline(__always)
  private static func scalar<Scalar: CScalar>(_ type: Scalar.Type, _ argument: Argument) -> UInt64? {
    argument.type == ObjectIdentifier(type) ? argument.address.load(as: type)._word : nil
  }

  @inline(__always)
  private static func integer<Integer: CScalar & FixedWidthInteger>(_ type: Integer.Type, _ argument: Argument) -> UInt64? {
    if let word = scalar(type, argument) { return word }
    guard argument.type == ObjectIdentifier(Int.self) else { return nil }
    return Integer(exactly: argument.address.load(as: Int.self))?._word
  }
}
