/// A number, boolean or pointer in the memory of a program in C, laid out as `troupe_call_value`.
package struct CallWord {
  /// One of the constants below; another number for any other value.
  package var kind: Int32
  package var reserved: Int32
  /// The number or address; a narrow integer is extended, a floating-point number is a `double`.
  package var bits: UInt64
  package var count: Int
  package var name: UInt

  init(kind: Int32, reserved: Int32 = 0, bits: UInt64, count: Int = 0, name: UInt = 0) {
    (self.kind, self.reserved, self.bits, self.count, self.name) = (kind, reserved, bits, count, name)
  }

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
  // Sendable because the memory is constant from `init` until `deallocate`, after which no call follows.

  fileprivate struct Parameter {
    /// The kind of an argument that needs no conversion.
    let plain: Int32
    /// The index of its word: integers before floating-point numbers, four each in a small call, and eight in a larger one.
    let index: Int32
    let kind: ScalarKind
  }

  fileprivate struct Plan {
    /// The number of arguments of a small call: with at most four arguments and no pointer, so that the function cannot call back, and
    /// without a lock. -1 for any other call.
    let smallCount: Int
    /// Whether it is a small call with one `double` or more and nothing else, of a function that returns one.
    let isDoubles: Bool
    let function: UnsafeRawPointer
    let parameters: UnsafeMutablePointer<Parameter>
    /// The kind of the result's register, and whether the result is exactly what is in it.
    let isFloating: Bool
    let isDouble: Bool
    let result: ScalarKind
    let count: Int
    let lock: CallLock?
  }

  private let plan: UnsafeMutablePointer<Plan>

  /// Nil if the function needs more than such a call.
  package init?(_ call: PreparedCall) {
    #if arch(x86_64) || arch(arm64)
      let signature = call.signature
      let count = signature.parameters.count
      guard signature.isPlain, count <= 8, let result = ScalarKind(number: signature.result) else { return nil }
      var (parameters, integers, floats) = ([Parameter](), 0, 0)
      for parameter in signature.parameters {
        guard let kind = ScalarKind(number: parameter.type) else { return nil }
        let index = kind.isFloating ? (count > 4 ? 8 : 4) + floats : integers
        parameters.append(Parameter(plain: kind.plainArgument, index: Int32(index), kind: kind))
        if kind.isFloating { floats += 1 } else { integers += 1 }
      }
      let hasPointers = parameters.contains { $0.kind == .pointer }
      let copy = UnsafeMutablePointer<Parameter>.allocate(capacity: count)
      copy.initialize(from: parameters, count: count)
      plan = .allocate(capacity: 1)
      plan.initialize(
        to: Plan(
          smallCount: count <= 4 && !hasPointers && call.lock == nil ? count : -1,
          isDoubles: count > 0 && result == .double && parameters.allSatisfy { $0.kind == .double }, function: call.function,
          parameters: copy,
          isFloating: result.isFloating, isDouble: result == .double, result: result, count: count, lock: call.lock))
    #else
      return nil
    #endif
  }

  /// Frees the memory. No call may follow.
  package func deallocate() {
    plan.pointee.parameters.deallocate()
    plan.deinitialize(count: 1)
    plan.deallocate()
  }

  /// Makes a small call: of a function, which must still be loaded, with at most four arguments and without pointers.
  ///
  /// - Returns: Whether the call was made. Otherwise it is no such call, or the arguments are of another number, need a conversion or do
  ///   not fit, and the function has not run.
  package func callSmall(
    _ arguments: UnsafePointer<CallWord>?, _ count: Int, _ outcome: UnsafeMutablePointer<CallWord>
  ) -> Bool {
    guard count == plan.pointee.smallCount else { return false }
    return plan.pointee.isDoubles ? callDoubles(arguments, count, outcome) : callConverted(arguments, count, outcome)
  }

  /// Makes a small call with any numbers. An `int64` for an `int`, the most frequent conversion, needs no `Value`.
  private func callConverted(
    _ arguments: UnsafePointer<CallWord>?, _ count: Int, _ outcome: UnsafeMutablePointer<CallWord>
  ) -> Bool {
    var words = InlineArray<8, UInt64>(repeating: 0)
    if count > 0 {
      guard let arguments else { return false }
      let parameters = plan.pointee.parameters
      for index in 0..<count {
        let argument = arguments + index
        if argument.pointee.kind == parameters[index].plain {
          words[Int(parameters[index].index & 7)] = argument.pointee.bits
        } else if parameters[index].kind == .int32, argument.pointee.kind == CallWord.int64,
          let integer = Int32(exactly: Int64(bitPattern: argument.pointee.bits))
        {
          words[Int(parameters[index].index & 7)] = integer._word
        } else {
          guard let word = parameters[index].kind.word(argument.pointee) else { return false }
          words[Int(parameters[index].index & 7)] = word
        }
      }
    }
    let function = plan.pointee.function
    let (a, b, c, d) = (words[0], words[1], words[2], words[3])
    let (w, x, y, z) = (
      Double(bitPattern: words[4]), Double(bitPattern: words[5]), Double(bitPattern: words[6]), Double(bitPattern: words[7])
    )
    if plan.pointee.isFloating {
      let number = unsafeBitCast(function, to: ArgumentRegisters.FourToNumber.self)(a, b, c, d, w, x, y, z)
      if plan.pointee.isDouble {
        outcome.initialize(to: CallWord(kind: CallWord.double, bits: number.bitPattern))
      } else {
        store(number.bitPattern, outcome)
      }
    } else {
      store(unsafeBitCast(function, to: ArgumentRegisters.FourToWord.self)(a, b, c, d, w, x, y, z), outcome)
    }
    return true
  }

  /// Makes a small call whose numbers go from their places into the registers.
  @inline(__always)
  private func callDoubles(
    _ arguments: UnsafePointer<CallWord>?, _ count: Int, _ outcome: UnsafeMutablePointer<CallWord>
  ) -> Bool {
    guard let arguments else { return false }
    for index in 0..<count where arguments[index].kind != CallWord.double {
      return callConverted(arguments, count, outcome)
    }
    // The function ignores the registers that it has no parameters for.
    func number(_ index: Int) -> Double { Double(bitPattern: arguments[min(index, count - 1)].bits) }
    let call = unsafeBitCast(plan.pointee.function, to: ArgumentRegisters.FourToNumber.self)
    let result = call(0, 0, 0, 0, number(0), number(1), number(2), number(3))
    outcome.initialize(to: CallWord(kind: CallWord.double, bits: result.bitPattern))
    return true
  }

  /// Makes a call of a function, which must still be loaded.
  ///
  /// - Returns: Whether the call was made. Otherwise the arguments are of another number, need a conversion or do not fit, and the
  ///   function has not run.
  /// - Throws: A `CallError` with the code `callback`.
  package func call(
    _ arguments: UnsafePointer<CallWord>?, _ count: Int, _ outcome: UnsafeMutablePointer<CallWord>
  ) throws(CallError) -> Bool {
    if callSmall(arguments, count, outcome) { return true }
    guard count == plan.pointee.count, count == 0 || arguments != nil else { return false }
    var words = InlineArray<16, UInt64>(repeating: 0)
    for index in 0..<count {
      // In a call with four arguments or less the numbers begin at 4.
      let parameter = plan.pointee.parameters[index]
      let place = count <= 4 && parameter.index >= 4 ? parameter.index + 4 : parameter.index
      // There are arguments if there are parameters.
      let argument = arguments.unsafelyUnwrapped[index]
      guard let word = argument.kind == parameter.plain ? argument.bits : parameter.kind.word(argument) else { return false }
      words[Int(place)] = word
    }
    plan.pointee.lock?.lock()
    defer { plan.pointee.lock?.unlock() }
    let (word, failure) = CallbackErrors.collecting { call(words) }
    if let failure { throw .callbackFailed(failure) }
    store(word, outcome)
    return true
  }

  private func call(_ words: InlineArray<16, UInt64>) -> UInt64 {
    func number(_ index: Int) -> Double { Double(bitPattern: words[8 + index]) }
    var registers = ArgumentRegisters()
    registers.integers = (words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7])
    registers.floats = (number(0), number(1), number(2), number(3), number(4), number(5), number(6), number(7))
    // Which of the two they are does not matter here.
    registers.integerCount = plan.pointee.count
    return plan.pointee.isFloating ? registers.number(plan.pointee.function) : registers.word(plan.pointee.function)
  }

  /// Stores the result that a register holds.
  private func store(_ word: UInt64, _ place: UnsafeMutablePointer<CallWord>) {
    let (kind, bits) = plan.pointee.result.argument(word)
    place.initialize(to: CallWord(kind: kind, bits: bits))
  }
}

extension ScalarKind {
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
    case CallWord.int64: value = .integer(Int128(Int64(bitPattern: argument.bits)))
    case CallWord.uint64: value = .integer(Int128(argument.bits))
    case CallWord.double: value = .double(Double(bitPattern: argument.bits))
    default: return nil
    }
    if let word = value.word(self) { return word }
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

  /// Returns the kind and the bits of the result that a register holds.
  fileprivate func argument(_ word: UInt64) -> (kind: Int32, bits: UInt64) {
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
  }
}
