internal import CCallbacks
internal import Synchronization

/// How a function is called. All functions of a type share one, if they are prepared with a `FunctionType`.
///
/// A call takes one of four paths. They differ in where the caller has the arguments, and in what those need:
///
///     caller                               arguments                  path
///     TypedCall                            Swift scalars              registers, inlined where the call stands
///     call(_:), make(_:)                   [Value]         ┐
///     C API, troupe_function_call          CallWord array  ├ words?   callWords: each argument is one word of the plan
///     factories of the container           Swift values    │
///     FlatCall in a worker                 shared memory   ┘
///     call(_:), with anything else         ValueArguments  ┐
///     BufferCall                           LentArguments   ├──────    PreparedCall.fill: each step of the plan writes its argument
///     map, a row at a time                 RowArguments    ┘
///     map, a batch at a time               columns                    ColumnLoop: a loop in C
///
/// A plan is constant; it may be used on any thread. `callWords` allocates nothing. The caller provides the memory of a `CallFrame`: temporary
/// memory for one call, heap memory for a range of rows.
final class CallPlan: Sendable {
  /// An argument that is one word.
  struct WordParameter {
    var kind = ScalarKind.void
    /// The kind of the `CallWord` whose bits are those of the register; -1 if there is none.
    var plainKind: Int8 = -1
    /// Index into the registers of `callWords`: integers from 0, floating-point numbers from 4 (up to 4 arguments) or 8 (up to 8).
    var register: UInt8 = 0
    /// Of a call with more: in the memory of the registers and the stack.
    var offset: UInt16 = 0
    var isNonnull = false
  }

  /// What a call does with a parameter. Plain bytes, so that a loop over the steps counts no references.
  struct Step: Sendable, BitwiseCopyable {
    enum Kind: Sendable, BitwiseCopyable {
      case resolver
      /// Stores the address of the parameter's target in the frame, which the caller of `fill` has zeroed: an output.
      case output
      /// Writes the argument, or memory that the argument points to.
      case value
      /// Passes the address of a buffer that the caller gives, and need not know its length.
      case buffer
      /// The same, of a fixed number of elements.
      case fixedBuffer(count: Int)
      /// The same, and sets the length, a parameter by itself, to the number of elements times `unit`, at most to a maximum. The first buffer
      /// of a length sets it; the others have to be as long. `lengthOffset` is where the length is in the memory.
      case countedBuffer(parameter: Int, lengthOffset: Int, unit: Int, maximum: Int, isFirst: Bool)
      /// The same, and compares the number of elements with the length, which follows from other arguments.
      case computedBuffer
      /// Allocates a buffer, as large as the length says when all arguments are known.
      case newBuffer
    }

    let parameter: Int
    /// The position among the caller's arguments; -1 if there is none.
    let argument: Int
    let kind: Kind
    /// Where the argument is in the memory of a call.
    let slot: CallLayout.Slot
    /// Offset of the memory that C writes through the argument's pointer: `out` and `inout`. 0 for other arguments.
    let targetOffset: Int
    /// NULL is refused.
    let isNonnull: Bool
  }

  /// What a call through registers needs of its `RegisterPlan` each time.
  struct Registers: Sendable, BitwiseCopyable {
    let stackWords: Int
    let x87Results: UInt64
    let returnsInMemory: Bool
    let hasMoves: Bool
  }

  /// The memory of a call.
  let layout: CallLayout
  /// The steps in an order in which each length is known before it is used.
  let steps: [Step]
  /// For each parameter whether the caller gives an argument for it.
  let takesArgument: [Bool]
  /// The number of parameters that take one.
  let argumentCount: Int
  let hasFailureRule: Bool
  /// The call frees the memory of the result.
  let ownsResult: Bool
  /// Nil if libffi makes the call.
  let registers: Registers?
  /// The type of the result, and whether all arguments and the result are words. Nil for any other call.
  let wordResult: ScalarKind?
  /// An `InlineArray`, because reading an `Array` counts a reference for each call.
  private let wordParameters: InlineArray<16, WordParameter>
  /// At most four numbers, so that a program in C may call without the setup for callbacks' errors. See `callSmall`.
  let isSmall: Bool
  /// `double`s only, up to four and the result, which go to the registers without a look at each kind.
  let takesOnlyDoubles: Bool
  private let resultOffset: Int
  private let stackWords: Int

  /// The memory for the registers and the stack of a call with words.
  private static var wordMemorySize: Int { Int(TROUPE_STACK) + 128 }

  /// - Parameter variadicTypes: The types of arguments behind those of the parameters.
  /// - Throws: A `CallError` with the code `unsupportedSignature` if libffi cannot make such a call on this machine.
  init(_ signature: Signature, _ backend: PreparedCall.Backend, variadicTypes: [CType] = []) throws(CallError) {
    layout = try CallLayout(signature, backend, variadicTypes: variadicTypes)
    takesArgument = signature.takesArgument
    argumentCount = takesArgument.count { $0 }
    hasFailureRule = signature.failureRule != nil
    ownsResult = signature.resultOwnership.deallocator != nil
    registers =
      if case .registers(let plan) = layout.path {
        Registers(
          stackWords: plan.stackWords, x87Results: plan.x87Results, returnsInMemory: plan.result == nil,
          hasMoves: !plan.moves.isEmpty)
      } else {
        nil
      }
    steps = Self.steps(signature, layout, takesArgument: takesArgument)
    var words = InlineArray<16, WordParameter>(repeating: WordParameter())
    (wordResult, resultOffset, stackWords) = Self.words(signature, layout, &words) ?? (nil, 0, 0)
    wordParameters = words
    takesOnlyDoubles = wordResult == .double && 1...4 ~= argumentCount && signature.parameters.allSatisfy { $0.type == .double }
    isSmall = wordResult != nil && argumentCount <= 4 && !signature.parameters.contains { ScalarKind($0.type) == .pointer }
  }

  /// Returns the plan that all functions of a type share.
  static func shared(_ type: FunctionType) throws(CallError) -> CallPlan {
    // Nothing else stores a plan.
    if let plan = type.plan.withLock({ $0 }) { return unsafeDowncast(plan, to: CallPlan.self) }
    let new = try CallPlan(type.signature, .automatic)
    type.plan.withLock { $0 = new }
    return new
  }

  /// The steps of a call.
  ///
  /// - Parameter takesArgument: For each parameter whether the caller gives an argument for it.
  static func steps(_ signature: Signature, _ layout: CallLayout, takesArgument: [Bool]) -> [Step] {
    var (fixed, values, buffers, computed, newBuffers): ([Step], [Step], [Step], [Step], [Step]) = ([], [], [], [], [])
    var next = 0
    var counted: Set<Int> = []
    for (index, parameter) in signature.parameters.enumerated() {
      let argument = takesArgument[index] ? next : -1
      if takesArgument[index] { next += 1 }
      func add(_ kind: Step.Kind, to steps: inout [Step]) {
        steps.append(
          Step(
            parameter: index, argument: argument, kind: kind, slot: layout.slots[index],
            targetOffset: layout.targets[index], isNonnull: parameter.isNonnull))
      }
      switch parameter.passing {
      case _ where parameter.type == .resolver: add(.resolver, to: &fixed)
      case .buffer(_, let length, _) where takesArgument[index]:
        if let other = length.parameter, !takesArgument[other] {
          let maximum = signature.parameters[other].type.integer.map { Int(min($0.range.upperBound, Int128(Int.max))) } ?? 0
          add(
            .countedBuffer(
              parameter: other, lengthOffset: layout.valueOffset(other), unit: length.isInBytes ? parameter.type.size : 1,
              maximum: maximum,
              isFirst: counted.insert(other).inserted), to: &buffers)
        } else if let count = length.constant {
          add(.fixedBuffer(count: count), to: &buffers)
        } else if length.parameter == nil, !length.isTerminated {
          add(.computedBuffer, to: &computed)
        } else {
          add(.buffer, to: &buffers)
        }
      case .buffer: add(.newBuffer, to: &newBuffers)
      case .value, .pointer:
        if takesArgument[index] {
          add(.value, to: &values)
        } else if parameter.isPointerInC {
          add(.output, to: &fixed)
        }
      }
    }
    return fixed + values + buffers + computed + newBuffers
  }

  // MARK: Words

  /// Nil if the signature has anything else than numbers and pointers or more than 16 parameters, or libffi makes its calls.
  private static func words(
    _ signature: Signature, _ layout: CallLayout, _ words: inout InlineArray<16, WordParameter>
  ) -> (result: ScalarKind, resultOffset: Int, stackWords: Int)? {
    guard case .registers(let plan) = layout.path, plan.size <= wordMemorySize, signature.isPlain,
      signature.parameters.count <= 16,
      let result = ScalarKind(signature.result), let resultOffset = plan.result
    else { return nil }
    var (integers, floats): (UInt8, UInt8) = (0, signature.parameters.count <= 4 ? 4 : 8)
    for (index, parameter) in signature.parameters.enumerated() {
      guard let kind = ScalarKind(parameter.type) else { return nil }
      words[index] = WordParameter(
        kind: kind, plainKind: kind.plainArgument, register: kind.isFloating ? floats : integers,
        offset: UInt16(plan.offsets[index]),
        isNonnull: parameter.isNonnull)
      if kind.isFloating { floats += 1 } else { integers += 1 }
    }
    return (result, resultOffset, plan.stackWords)
  }

  /// Calls a function with words. There has to be a `wordResult`, and as many arguments as parameters.
  ///
  /// - Parameter read: Returns the word for a parameter; nil if the argument needs a conversion or does not fit.
  /// - Returns: The word of the result, whose upper bits may be anything. Nil, and the function has not run, if a word is nil.
  @inline(__always)
  func callWords(_ function: UnsafeRawPointer, _ read: (_ index: Int, WordParameter) -> UInt64?) -> UInt64? {
    guard argumentCount > 4 else { return callFew(function, read) }
    guard argumentCount <= 8 else { return callMany(function, read) }
    var words: InlineArray<16, UInt64> = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    for index in 0..<argumentCount {
      guard let word = checkedWord(index, read) else { return nil }
      words[Int(wordParameters[index].register & 15)] = word
    }
    let arguments = ArgumentRegisters(words, count: argumentCount)
    return wordResult?.isFloating == true ? arguments.number(function) : arguments.word(function)
  }

  /// As `callWords`, with at most four arguments.
  @inline(__always)
  func callFew(_ function: UnsafeRawPointer, _ read: (_ index: Int, WordParameter) -> UInt64?) -> UInt64? {
    // Literals, since `InlineArray(repeating:)` is a call.
    var words: InlineArray<8, UInt64> = [0, 0, 0, 0, 0, 0, 0, 0]
    for index in 0..<argumentCount {
      guard let word = checkedWord(index, read) else { return nil }
      words[Int(wordParameters[index].register & 7)] = word
    }
    func number(_ index: Int) -> Double { Double(bitPattern: words[4 + index]) }
    guard wordResult?.isFloating == true else {
      return unsafeBitCast(function, to: ArgumentRegisters.FourToWord.self)(
        words[0], words[1], words[2], words[3], number(0), number(1), number(2), number(3))
    }
    return unsafeBitCast(function, to: ArgumentRegisters.FourToNumber.self)(
      words[0], words[1], words[2], words[3], number(0), number(1), number(2), number(3)
    ).bitPattern
  }

  @inline(__always)
  private func checkedWord(_ index: Int, _ read: (_ index: Int, WordParameter) -> UInt64?) -> UInt64? {
    let word = read(index, wordParameters[index])
    return wordParameters[index].isNonnull && word == 0 ? nil : word
  }

  @inline(__always)
  private func callMany(_ function: UnsafeRawPointer, _ read: (_ index: Int, WordParameter) -> UInt64?) -> UInt64? {
    withUnsafeTemporaryAllocation(byteCount: Self.wordMemorySize, alignment: 16) { memory in
      guard let start = memory.baseAddress else { return nil }
      for index in 0..<argumentCount {
        guard let word = checkedWord(index, read) else { return nil }
        start.storeBytes(of: word, toByteOffset: Int(wordParameters[index].offset), as: UInt64.self)
      }
      let registers = start.assumingMemoryBound(to: troupe_registers.self)
      registers.pointee.result_parameter = 0
      troupe_call(function, registers, stackWords)
      return (start + resultOffset).load(as: UInt64.self)
    }
  }
}
