internal import CCallbacks

/// A call whose arguments and result are numbers and pointers, as most are: each is one word, and the call needs no memory but the
/// registers and a few words of the stack.
struct ScalarCall: Sendable {
  private struct Parameter {
    var kind = ScalarKind.void
    var offset: UInt16 = 0
  }

  /// No array, whose references would have to be counted at each call.
  private var parameters = InlineArray<16, Parameter>(repeating: Parameter())
  /// The number of arguments.
  let count: Int
  /// The type of the result.
  let result: ScalarKind
  private let resultOffset: Int
  private let stackWords: Int

  /// The memory for the registers and the stack words of such a call.
  private static var size: Int { Int(TROUPE_STACK) + 128 }

  /// Nil if the signature has anything else or more than 16 parameters, or libffi makes its calls.
  init?(_ signature: Signature, _ layout: CallLayout) {
    guard case .registers(let plan) = layout.path, plan.size <= Self.size, signature.isPlain, signature.parameters.count <= 16,
      let result = ScalarKind(signature.result), let resultOffset = plan.result
    else { return nil }
    (count, self.result, self.resultOffset, stackWords) = (signature.parameters.count, result, resultOffset, plan.stackWords)
    for (index, parameter) in signature.parameters.enumerated() {
      guard let kind = ScalarKind(parameter.type) else { return nil }
      parameters[index] = Parameter(kind: kind, offset: UInt16(plan.offsets[index]))
    }
  }

  /// Calls a function.
  ///
  /// - Parameter word: Returns the word for a parameter of a kind; nil if the argument needs a conversion or does not fit.
  /// - Returns: The word of the result, whose upper bits may be anything. Nil, and the function has not run, if a word is nil.
  @inline(__always)
  func call(_ function: UnsafeRawPointer, _ word: (_ index: Int, ScalarKind) -> UInt64?) -> UInt64? {
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
