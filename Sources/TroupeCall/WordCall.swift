/// A number, boolean or pointer in the memory of a program in C, laid out as `troupe_call_value`.
package struct CallWord {
  /// One of the constants below; another number for any other value.
  package var kind: Int32
  package var reserved: Int32
  /// The number or address; a narrow integer is extended, a floating-point number is a `double`.
  package var bits: UInt64
  package var count: Int
  package var name: UInt

  // The constants TROUPE_VALUE_… of the C header.
  static let bool: Int32 = 0
  static let int64: Int32 = 1
  static let uint64: Int32 = 2
  static let double: Int32 = 3
  static let pointer: Int32 = 5
  static let void: Int32 = 6
}

/// A call with at most eight numbers and pointers, which it reads where a program in C has them. It allocates nothing and counts no
/// references.
package struct WordCall: ~Copyable, Sendable {
  private struct Parameter {
    var kind = ScalarCall.Kind.void
    /// The kind of an argument that needs no conversion.
    var plain: Int32 = -1
    /// The index of its word: that of an integer register, or 8 more than that of a floating-point register.
    var index = 0
  }

  private var parameters = InlineArray<8, Parameter>(repeating: Parameter())
  /// The number of arguments; -1 if the function needs more than such a call.
  private var count = -1
  private var result = ScalarCall.Kind.void
  private var integerCount = 0
  /// Whether the function may call back.
  private var hasPointers = false
  private let function: UInt

  package init(_ call: PreparedCall) {
    function = UInt(bitPattern: call.function)
    #if arch(x86_64) || arch(arm64)
      let signature = call.signature
      guard signature.isPlain, signature.parameters.count <= 8, let result = ScalarCall.Kind(number: signature.result) else {
        return
      }
      var (integers, floats) = (0, 0)
      for (index, parameter) in signature.parameters.enumerated() {
        guard let kind = ScalarCall.Kind(number: parameter.type) else { return }
        parameters[index] = Parameter(kind: kind, plain: kind.plainArgument, index: kind.isFloating ? 8 + floats : integers)
        if kind.isFloating { floats += 1 } else { integers += 1 }
        if kind == .pointer { hasPointers = true }
      }
      (count, self.result, integerCount) = (signature.parameters.count, result, integers)
    #endif
  }

  /// Calls the function, which must still be loaded.
  ///
  /// - Returns: Whether the call was made. Otherwise the arguments are of another number, need a conversion or do not fit, and the
  ///   function has not run.
  /// - Throws: A `CallError` with the code `callback`.
  @inline(__always)
  package func callAsFunction(
    _ arguments: UnsafePointer<CallWord>?, _ argumentCount: Int, _ outcome: UnsafeMutablePointer<CallWord>
  ) throws(CallError) -> Bool {
    guard argumentCount == count, let function = UnsafeRawPointer(bitPattern: function) else { return false }
    var words = InlineArray<16, UInt64>(repeating: 0)
    if let arguments {
      for index in 0..<argumentCount {
        let parameter = parameters[index & 7]
        if arguments[index].kind == parameter.plain {
          words[parameter.index & 15] = arguments[index].bits
        } else if let word = parameter.kind.word(arguments[index]) {
          words[parameter.index & 15] = word
        } else {
          return false
        }
      }
    } else if argumentCount > 0 {
      return false
    }
    if hasPointers {
      let (word, failure) = CallbackFailure.collecting { call(function, words) }
      if let failure { throw .callbackFailed(failure) }
      result.store(word, outcome)
    } else {
      result.store(call(function, words), outcome)
    }
    return true
  }

  @inline(__always)
  private func call(_ function: UnsafeRawPointer, _ words: InlineArray<16, UInt64>) -> UInt64 {
    func number(_ index: Int) -> Double { Double(bitPattern: words[8 + index]) }
    var registers = ArgumentRegisters()
    registers.integers = (words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7])
    registers.floats = (number(0), number(1), number(2), number(3), number(4), number(5), number(6), number(7))
    (registers.integerCount, registers.floatCount) = (integerCount, count - integerCount)
    return result.isFloating ? registers.number(function) : registers.word(function)
  }
}

extension ScalarCall.Kind {
  /// The kind of a number, boolean or pointer, or of an enumeration's integer.
  fileprivate init?(number type: CType) {
    guard case .enumeration(let enumeration) = type else {
      self.init(type)
      return
    }
    self.init(.integer(enumeration.underlying))
  }

  @inline(__always)
  fileprivate var isFloating: Bool { self == .double || self == .float }

  /// The kind of an argument whose bits are those of the register.
  fileprivate var plainArgument: Int32 {
    switch self {
    case .double: CallWord.double
    case .int64: CallWord.int64
    case .uint64: CallWord.uint64
    case .pointer: CallWord.pointer
    default: -1
    }
  }

  /// Returns the word for an argument; nil if it is no number or does not fit. Conversions are those of `Value.converted(to:)`.
  fileprivate func word(_ argument: CallWord) -> UInt64? {
    let value: Value
    switch argument.kind {
    case CallWord.bool: value = .bool(argument.bits != 0)
    case CallWord.int64:
      let integer = Int64(bitPattern: argument.bits)
      switch self {
      case .int32: return Int32(exactly: integer)?._word
      case .uint32: return UInt32(exactly: integer)?._word
      default: value = .integer(Int128(integer))
      }
    case CallWord.uint64: value = .integer(Int128(argument.bits))
    case CallWord.double: value = .double(Double(bitPattern: argument.bits))
    default: return nil
    }
    return type.flatMap { try? value.converted(to: $0) }?.word(self)
  }

  /// A C type of the kind; nil for those whose arguments need no conversion.
  private var type: CType? {
    switch self {
    case .void, .pointer: nil
    case .bool: .bool
    case .float: .float
    case .double: .double
    case .int8: CType.named["int8_t"]
    case .int16: CType.named["int16_t"]
    case .int32: CType.named["int32_t"]
    case .int64: CType.named["int64_t"]
    case .uint8: CType.named["uint8_t"]
    case .uint16: CType.named["uint16_t"]
    case .uint32: CType.named["uint32_t"]
    case .uint64: CType.named["uint64_t"]
    }
  }

  /// Stores the result that a register holds.
  @inline(__always)
  fileprivate func store(_ word: UInt64, _ place: UnsafeMutablePointer<CallWord>) {
    let (kind, bits): (Int32, UInt64) =
      switch self {
      case .double: (CallWord.double, word)
      case .float: (CallWord.double, Double(Float(_word: word)).bitPattern)
      case .void: (CallWord.void, 0)
      case .bool: (CallWord.bool, Bool(_word: word)._word)
      case .pointer: (CallWord.pointer, word)
      case .int8: (CallWord.int64, Int8(_word: word)._word)
      case .int16: (CallWord.int64, Int16(_word: word)._word)
      case .int32: (CallWord.int64, Int32(_word: word)._word)
      case .int64: (CallWord.int64, word)
      case .uint8: (CallWord.uint64, UInt8(_word: word)._word)
      case .uint16: (CallWord.uint64, UInt16(_word: word)._word)
      case .uint32: (CallWord.uint64, UInt32(_word: word)._word)
      case .uint64: (CallWord.uint64, word)
      }
    place.initialize(to: CallWord(kind: kind, reserved: 0, bits: bits, count: 0, name: 0))
  }
}
