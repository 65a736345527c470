internal import CCallbacks

/// A call whose arguments and result are numbers and pointers, as most are: each is one word, and the call needs no memory but the
/// registers and a few words of the stack.
struct ScalarCall: Sendable {
  /// The type of a word.
  enum Kind: UInt8 {
    case void, bool, float, double, pointer, int8, int16, int32, int64, uint8, uint16, uint32, uint64

    init?(_ type: CType) {
      switch type {
      case .void: self = .void
      case .bool: self = .bool
      case .float: self = .float
      case .double: self = .double
      case .pointer(let pointer) where pointer.pointee == nil: self = .pointer
      case .integer(let integer):
        switch (integer.width, integer.isSigned) {
        case (8, true): self = .int8
        case (16, true): self = .int16
        case (32, true): self = .int32
        case (_, true): self = .int64
        case (8, false): self = .uint8
        case (16, false): self = .uint16
        case (32, false): self = .uint32
        case (_, false): self = .uint64
        }
      default: return nil
      }
    }
  }

  private struct Parameter {
    var kind = Kind.void
    var offset: UInt16 = 0
  }

  /// No array, whose references would have to be counted at each call.
  private var parameters = InlineArray<16, Parameter>(repeating: Parameter())
  /// The number of arguments.
  let count: Int
  /// The type of the result.
  let result: Kind
  private let resultOffset: Int
  private let stackWords: Int

  /// The memory for the registers and the stack words of such a call.
  private static var size: Int { Int(TROUPE_STACK) + 128 }

  /// Nil if the signature has anything else or more than 16 parameters, or libffi makes its calls.
  init?(_ signature: Signature, _ layout: CallLayout) {
    guard case .registers(let plan) = layout.path, plan.size <= Self.size, signature.isPlain, signature.parameters.count <= 16,
      let result = Kind(signature.result), let resultOffset = plan.result
    else { return nil }
    (count, self.result, self.resultOffset, stackWords) = (signature.parameters.count, result, resultOffset, plan.stackWords)
    for (index, parameter) in signature.parameters.enumerated() {
      guard let kind = Kind(parameter.type) else { return nil }
      parameters[index] = Parameter(kind: kind, offset: UInt16(plan.offsets[index]))
    }
  }

  /// Calls a function.
  ///
  /// - Parameter word: Returns the word for a parameter of a kind; nil if the argument needs a conversion or does not fit.
  /// - Returns: The word of the result, whose upper bits may be anything. Nil, and the function has not run, if a word is nil.
  @inline(__always)
  func call(_ function: UnsafeRawPointer, _ word: (_ index: Int, Kind) -> UInt64?) -> UInt64? {
    withUnsafeTemporaryAllocation(byteCount: Self.size, alignment: 16) { memory in
      guard let start = memory.baseAddress else { return nil }
      for index in 0..<count {
        guard let word = word(index, parameters[index].kind) else { return nil }
        start.storeBytes(of: word, toByteOffset: Int(parameters[index].offset), as: UInt64.self)
      }
      let registers = start.assumingMemoryBound(to: troupe_registers.self)
      registers.pointee.result_parameter = 0
      troupe_call(function, registers, stackWords)
      return (start + resultOffset).load(as: UInt64.self)
    }
  }
}

extension Value {
  /// The word of a scalar; nil if the value has to be converted first, or does not fit.
  @inline(__always)
  func word(_ kind: ScalarKind) -> UInt64? {
    switch (self, kind) {
    case (.integer(let integer), .int8): Self.word(integer, Int8.self)
    case (.integer(let integer), .int16): Self.word(integer, Int16.self)
    case (.integer(let integer), .int32): Self.word(integer, Int32.self)
    case (.integer(let integer), .int64): Self.word(integer, Int64.self)
    case (.integer(let integer), .uint8): Self.word(integer, UInt8.self)
    case (.integer(let integer), .uint16): Self.word(integer, UInt16.self)
    case (.integer(let integer), .uint32): Self.word(integer, UInt32.self)
    case (.integer(let integer), .uint64): Self.word(integer, UInt64.self)
    case (.double(let number), .double): number._word
    case (.float(let number), .float): number._word
    case (.bool(let bool), .bool): bool._word
    case (.pointer(let pointer), .pointer): pointer._word
    default: nil
    }
  }

  @inline(__always)
  private static func word<Integer: CScalar & FixedWidthInteger>(_ integer: Int128, _ type: Integer.Type) -> UInt64? {
    let narrow = Integer(truncatingIfNeeded: integer)
    return Int128(narrow) == integer ? narrow._word : nil
  }

  /// The scalar that a word holds.
  init(word: UInt64, _ kind: ScalarKind) {
    self =
      switch kind {
      case .void: .void
      case .bool: .bool(Bool(_word: word))
      case .float: .float(Float(_word: word))
      case .double: .double(Double(_word: word))
      case .pointer: .pointer(Pointer(_word: word))
      case .int8: .integer(Int128(Int8(_word: word)))
      case .int16: .integer(Int128(Int16(_word: word)))
      case .int32: .integer(Int128(Int32(_word: word)))
      case .int64: .integer(Int128(Int64(_word: word)))
      case .uint8: .integer(Int128(UInt8(_word: word)))
      case .uint16: .integer(Int128(UInt16(_word: word)))
      case .uint32: .integer(Int128(UInt32(_word: word)))
      case .uint64: .integer(Int128(word))
      }
  }
}
