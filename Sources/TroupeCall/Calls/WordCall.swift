internal import Synchronization

/// Calls whose arguments and result are numbers and pointers, as most are: each is one word, which is read where the caller has it. Nothing is
/// allocated.
extension PreparedCall {
  /// The function takes and returns words only.
  package var takesWords: Bool { plan.wordResult != nil }

  /// Calls the function, which has to take words, with as many arguments as it takes.
  ///
  /// - Parameters:
  ///   - discard: Gets the address, which is not 0, if the call fails although the function has returned a pointer.
  ///   - read: Returns the word for a parameter; nil if the argument needs a conversion or does not fit.
  /// - Returns: The word of the result. Nil, and the function has not run, if a word is nil.
  /// - Throws: A `CallError` with the code `callback`.
  @inline(__always)
  func callWords(
    discard: (UInt) -> Void, _ read: (_ index: Int, CallPlan.WordParameter) -> UInt64?
  ) throws(CallError) -> UInt64? {
    lock?.lock(for: function)
    defer { lock?.unlock() }
    let (result, failure) = CallbackErrors.collecting { plan.callWords(function, read) }
    if let failure {
      if let result, result != 0, plan.wordResult == .pointer { discard(UInt(result)) }
      throw .callbackFailed(failure)
    }
    return result
  }
}

// MARK: Values of a program in C

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

extension PreparedCall {
  /// Calls the function with words of a program in C. They may be in the memory of the outcome.
  ///
  /// - Returns: Whether the call was made. Otherwise the function takes something else, or the arguments are of another number, need a
  ///   conversion or do not fit, and the function has not run.
  /// - Throws: A `CallError` with the code `callback`.
  package func call(
    _ arguments: UnsafePointer<CallWord>?, _ count: Int, _ outcome: UnsafeMutablePointer<CallWord>
  ) throws(CallError) -> Bool {
    guard let result = plan.wordResult, count == plan.argumentCount, count == 0 || arguments != nil else { return false }
    // There are arguments if there are parameters.
    let word = try callWords(discard: { _ in }) { index, word in word.read(arguments.unsafelyUnwrapped + index) }
    guard let word else { return false }
    outcome.initialize(to: result.callWord(word))
    return true
  }

  /// As `call`, for a function with at most four numbers and no pointer while the program has no callback, so that there are no errors to
  /// collect, which would cost as much as the call. Returns false for any other.
  @inline(__always)
  package func callSmall(
    _ arguments: UnsafePointer<CallWord>?, _ count: Int, _ outcome: UnsafeMutablePointer<CallWord>
  ) -> Bool {
    guard FFIClosure.liveCount.load(ordering: .relaxed) == 0 else { return false }
    if count > 0, count == doubleCount, let arguments, let number = callDoubles(arguments, count) {
      outcome.initialize(to: CallWord(kind: CallWord.double, bits: number.bitPattern))
      return true
    }
    guard isSmall, let result = plan.wordResult, count == plan.argumentCount, count == 0 || arguments != nil,
      // There are arguments if there are parameters.
      let word = plan.callFew(function, { index, word in word.read(arguments.unsafelyUnwrapped + index) })
    else { return false }
    outcome.initialize(to: result == .double ? CallWord(kind: CallWord.double, bits: word) : result.callWord(word))
    return true
  }

  /// Calls a function of `double`s, which go from their places into the registers. Returns nil if an argument is anything else.
  @inline(__always)
  private func callDoubles(_ arguments: UnsafePointer<CallWord>, _ count: Int) -> Double? {
    // The function ignores the registers that it has no parameters for.
    func number(_ index: Int) -> Double? {
      guard index < count else { return 0 }
      return arguments[index].kind == CallWord.double ? Double(bitPattern: arguments[index].bits) : nil
    }
    guard let first = number(0), let second = number(1), let third = number(2), let fourth = number(3) else { return nil }
    let call = unsafeBitCast(function, to: ArgumentRegisters.FourToNumber.self)
    return call(0, 0, 0, 0, first, second, third, fourth)
  }
}

extension CallPlan.WordParameter {
  /// Returns the word for an argument; nil if it is no number or does not fit. Conversions are those of `Value.converted(to:)`.
  @inline(__always)
  fileprivate func read(_ argument: UnsafePointer<CallWord>) -> UInt64? {
    if argument.pointee.kind == Int32(plainKind) { return argument.pointee.bits }
    // The most frequent conversion.
    if kind == .int32, argument.pointee.kind == CallWord.int64 {
      return Int32(exactly: Int64(bitPattern: argument.pointee.bits))?._word
    }
    return kind.convertedWord(argument.pointee)
  }
}

extension ScalarKind {
  /// The kind of a `CallWord` whose bits are those of the register; -1 if there is none.
  var plainArgument: Int8 {
    switch self {
    case .double: Int8(CallWord.double)
    case .int64: Int8(CallWord.int64)
    case .uint64: Int8(CallWord.uint64)
    case .pointer: Int8(CallWord.pointer)
    default: -1
    }
  }

  @inline(never)
  fileprivate func convertedWord(_ argument: CallWord) -> UInt64? {
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

  /// Returns the result that a register holds.
  fileprivate func callWord(_ word: UInt64) -> CallWord {
    switch self {
    case .double: CallWord(kind: CallWord.double, bits: word)
    case .float: CallWord(kind: CallWord.double, bits: Double(Float(_word: word)).bitPattern)
    case .void: CallWord(kind: CallWord.void, bits: 0)
    case .bool: CallWord(kind: CallWord.bool, bits: Bool(_word: word)._word)
    case .pointer: CallWord(kind: CallWord.pointer, bits: word)
    case .int8: CallWord(kind: CallWord.int64, bits: Int8(_word: word)._word)
    case .int16: CallWord(kind: CallWord.int64, bits: Int16(_word: word)._word)
    case .int32: CallWord(kind: CallWord.int64, bits: Int32(_word: word)._word)
    case .int64: CallWord(kind: CallWord.int64, bits: word)
    case .uint8: CallWord(kind: CallWord.uint64, bits: UInt8(_word: word)._word)
    case .uint16: CallWord(kind: CallWord.uint64, bits: UInt16(_word: word)._word)
    case .uint32: CallWord(kind: CallWord.uint64, bits: UInt32(_word: word)._word)
    case .uint64: CallWord(kind: CallWord.uint64, bits: word)
    }
  }
}

// MARK: Values of a program in Swift

extension PreparedCall {
  /// The identity of the type that an argument was given with, and its address.
  package typealias Unboxed = (type: ObjectIdentifier, address: UnsafeRawPointer)

  /// The function makes an object from words, as the call with unboxed arguments requires.
  package var makesFromWords: Bool { plan.wordResult == .pointer }

  /// Calls a function that makes an object, with arguments where they are. `makesFromWords` has to be true.
  ///
  /// - Parameter discard: Gets the address, which is not 0, if the call fails although the function has made something.
  /// - Returns: The address that it returned, 0 for NULL. Nil, and it has not run, if the arguments are not as many as the
  ///   parameters or not of their types; an `Int` is accepted for any integer that it fits into.
  /// - Throws: A `CallError` with the code `callback`.
  package func make(
    _ arguments: UnsafeBufferPointer<Unboxed>, discard: (UInt) -> Void
  ) throws(CallError) -> UInt? {
    guard arguments.count == plan.argumentCount else { return nil }
    return try callWords(discard: discard) { index, word in Self.word(arguments[index], word.kind) }.map { UInt($0) }
  }

  /// The word of an argument; nil if it is not of the parameter's type, or does not fit.
  @inline(__always)
  private static func word(_ argument: Unboxed, _ kind: ScalarKind) -> UInt64? {
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
    case .pointer: scalar(Value.Pointer.self, argument)
    case .void: nil
    }
  }

  @inline(__always)
  private static func scalar<Scalar: CScalar>(_ type: Scalar.Type, _ argument: Unboxed) -> UInt64? {
    argument.type == ObjectIdentifier(type) ? argument.address.load(as: type)._word : nil
  }

  @inline(__always)
  private static func integer<Integer: CScalar & FixedWidthInteger>(_ type: Integer.Type, _ argument: Unboxed) -> UInt64? {
    if let word = scalar(type, argument) { return word }
    guard argument.type == ObjectIdentifier(Int.self) else { return nil }
    return Integer(exactly: argument.address.load(as: Int.self))?._word
  }
}
