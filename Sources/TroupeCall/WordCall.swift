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
///
/// A pointer to constant memory, since Swift would copy a larger struct for each call. The owner deallocates it.
package struct WordCall: @unchecked Sendable {
  // Sendable because the memory is constant.

  fileprivate struct Parameter {
    /// The kind of an argument that needs no conversion.
    let plain: Int32
    /// The index of its word: integers before floating-point numbers, four each in a small call, and eight in a larger one.
    let index: Int32
    let kind: ScalarCall.Kind
  }

  private struct Plan {
    let function: UnsafeRawPointer
    let parameters: UnsafeMutableBufferPointer<Parameter>
    let result: ScalarCall.Kind
    let isFloating: Bool
    /// Whether the function may call back.
    let hasPointers: Bool
  }

  private let plan: UnsafeMutablePointer<Plan>

  /// Nil if the function needs more than such a call.
  package init?(_ call: PreparedCall) {
    #if arch(x86_64) || arch(arm64)
      let signature = call.signature
      guard signature.isPlain, signature.parameters.count <= 8, let result = ScalarCall.Kind(number: signature.result) else {
        return nil
      }
      var (parameters, integers, floats) = ([Parameter](), 0, 0)
      for parameter in signature.parameters {
        guard let kind = ScalarCall.Kind(number: parameter.type) else { return nil }
        let index = kind.isFloating ? (signature.parameters.count > 4 ? 8 : 4) + floats : integers
        parameters.append(Parameter(plain: kind.plainArgument, index: Int32(index), kind: kind))
        if kind.isFloating { floats += 1 } else { integers += 1 }
      }
      let copy = UnsafeMutableBufferPointer<Parameter>.allocate(capacity: parameters.count)
      _ = copy.initialize(from: parameters)
      plan = .allocate(capacity: 1)
      plan.initialize(
        to: Plan(
          function: call.function, parameters: copy, result: result, isFloating: result.isFloating,
          hasPointers: parameters.contains { $0.kind == .pointer }))
    #else
      return nil
    #endif
  }

  /// Frees the memory. No call may follow.
  package func deallocate() {
    plan.pointee.parameters.deallocate()
    plan.deallocate()
  }

  /// Whether the function may call back, so that `callCollecting` is needed.
  package var hasPointers: Bool {
    @inline(__always) get { plan.pointee.hasPointers }
  }

  /// Calls a function without pointers, which must still be loaded.
  ///
  /// - Returns: Whether the call was made. Otherwise the arguments are of another number, need a conversion or do not fit, and the
  ///   function has not run.
  package func call(_ arguments: UnsafePointer<CallWord>?, _ count: Int, _ outcome: UnsafeMutablePointer<CallWord>) -> Bool {
    guard count <= 4 else {
      guard let word = callLarge(arguments, count) else { return false }
      plan.pointee.result.store(word, outcome)
      return true
    }
    guard let word = callSmall(arguments, count) else { return false }
    plan.pointee.result.store(word, outcome)
    return true
  }

  /// Calls a function that may call back, as `call` does.
  ///
  /// - Throws: A `CallError` with the code `callback`.
  package func callCollecting(
    _ arguments: UnsafePointer<CallWord>?, _ count: Int, _ outcome: UnsafeMutablePointer<CallWord>
  ) throws(CallError) -> Bool {
    let (word, failure) = CallbackFailure.collecting { count <= 4 ? callSmall(arguments, count) : callLarge(arguments, count) }
    if let failure { throw .callbackFailed(failure) }
    guard let word else { return false }
    plan.pointee.result.store(word, outcome)
    return true
  }

  /// Calls a function with at most four arguments, which takes half the time.
  @inline(__always)
  private func callSmall(_ arguments: UnsafePointer<CallWord>?, _ count: Int) -> UInt64? {
    var words = InlineArray<8, UInt64>(repeating: 0)
    guard let parameters = parameters(count, arguments) else { return nil }
    for index in 0..<count {
      guard let word = parameters[index].word(arguments.unsafelyUnwrapped + index) else { return nil }
      words[Int(parameters[index].index & 7)] = word
    }
    func number(_ index: Int) -> Double { Double(bitPattern: words[4 + index]) }
    let function = plan.pointee.function
    if plan.pointee.isFloating {
      return unsafeBitCast(function, to: ArgumentRegisters.FourToNumber.self)(
        words[0], words[1], words[2], words[3], number(0), number(1), number(2), number(3)
      ).bitPattern
    }
    return unsafeBitCast(function, to: ArgumentRegisters.FourToWord.self)(
      words[0], words[1], words[2], words[3], number(0), number(1), number(2), number(3))
  }

  /// Calls a function with at most eight arguments.
  @inline(never)
  private func callLarge(_ arguments: UnsafePointer<CallWord>?, _ count: Int) -> UInt64? {
    var words = InlineArray<16, UInt64>(repeating: 0)
    guard let parameters = parameters(count, arguments) else { return nil }
    for index in 0..<count {
      guard let word = parameters[index].word(arguments.unsafelyUnwrapped + index) else { return nil }
      words[Int(parameters[index].index & 15)] = word
    }
    func number(_ index: Int) -> Double { Double(bitPattern: words[8 + index]) }
    var registers = ArgumentRegisters()
    registers.integers = (words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7])
    registers.floats = (number(0), number(1), number(2), number(3), number(4), number(5), number(6), number(7))
    // Which of the two they are does not matter here.
    registers.integerCount = count
    return plan.pointee.isFloating ? registers.number(plan.pointee.function) : registers.word(plan.pointee.function)
  }

  /// The parameters; nil if there are not as many as arguments, or the arguments are missing.
  @inline(__always)
  private func parameters(_ count: Int, _ arguments: UnsafePointer<CallWord>?) -> UnsafeMutablePointer<Parameter>? {
    let parameters = plan.pointee.parameters
    // Also a buffer without elements has an address, since it was allocated.
    guard count == parameters.count, count == 0 || arguments != nil else { return nil }
    return parameters.baseAddress
  }
}

extension WordCall.Parameter {
  /// The word for an argument; nil if it needs a conversion that is not one between numbers, or does not fit.
  @inline(__always)
  fileprivate func word(_ argument: UnsafePointer<CallWord>) -> UInt64? {
    if argument.pointee.kind == plain { return argument.pointee.bits }
    // `int`, the most frequent of the narrow integers.
    if kind == .int32, argument.pointee.kind == CallWord.int64 {
      return Int32(exactly: Int64(bitPattern: argument.pointee.bits))?._word
    }
    return kind.word(argument.pointee)
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
  @inline(never)
  fileprivate func word(_ argument: CallWord) -> UInt64? {
    let value: Value
    switch argument.kind {
    case CallWord.bool: value = .bool(argument.bits != 0)
    case CallWord.int64:
      let integer = Int64(bitPattern: argument.bits)
      if self == .uint32 { return UInt32(exactly: integer)?._word }
      value = .integer(Int128(integer))
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
    // The most frequent one needs no jump.
    if self == .double {
      return place.initialize(to: CallWord(kind: CallWord.double, reserved: 0, bits: word, count: 0, name: 0))
    }
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
