internal import CCallbacks
internal import Glibc

/// Where a call reads its arguments: the values, memory or columns of the caller.
protocol ArgumentSource: ~Copyable {
  /// Writes an argument that is no buffer to the memory of a call.
  mutating func write(_ step: CallPlan.Step, to frame: CallFrame) throws(CallError)
  /// Returns the address of a buffer and the number of its elements.
  mutating func buffer(
    _ step: CallPlan.Step, _ buffer: CallPlan.Buffer
  ) throws(CallError) -> (address: UnsafeRawPointer?, count: Int)
  /// Allocates a buffer for the function.
  mutating func newBuffer(_ step: CallPlan.Step, count: Int128) throws(CallError) -> UnsafeRawPointer
}

/// The memory of one call, laid out by a `CallLayout`: its arguments, and then its results. It is zero at first.
///
///     | registers and stack, or arguments | addresses of the arguments | what outputs point to | result |
///
/// A call fills it from a source, runs, and reads from it. The memory is the caller's.
struct CallFrame {
  let call: PreparedCall
  let plan: CallPlan
  let memory: UnsafeMutableRawPointer

  private var signature: Signature { call.signature }

  /// Makes memory for a call on the stack, and calls a closure with it.
  ///
  /// - Parameter spareBytes: The size of the memory behind the frame's, which the closure gets as its second argument.
  @inline(__always)
  static func with<Result>(
    _ call: PreparedCall, _ plan: CallPlan, spareBytes: Int = 0,
    _ body: (CallFrame, UnsafeMutableRawBufferPointer) throws(CallError) -> Result
  ) throws(CallError) -> Result {
    try checkStack(plan.layout)
    return try withUnsafeTemporaryAllocation(byteCount: plan.layout.size + spareBytes, alignment: 16) {
      (memory: UnsafeMutableRawBufferPointer) throws(CallError) in
      guard let start = memory.baseAddress else { fatalError("only an empty block has no address, and this one is not") }
      memset(start, 0, plan.layout.size)
      return try body(
        CallFrame(call: call, plan: plan, memory: start), UnsafeMutableRawBufferPointer(rebasing: memory[plan.layout.size...]))
    }
  }

  /// Throws if the rest of the thread's stack is too small for the arguments of a call. Calls with up to 8 KiB are not checked, since the
  /// system reads a file to find the main thread's stack.
  static func checkStack(_ layout: CallLayout) throws(CallError) {
    guard layout.stackSize > 8 << 10 else { return }
    let rest = troupe_stack_rest()
    // The function itself needs some, too.
    guard rest == 0 || rest >= layout.stackSize + 16 << 10 else { throw .smallStack(layout.stackSize, rest) }
  }

  // MARK: Memory

  /// Where an argument is.
  func argument(_ index: Int) -> UnsafeMutableRawPointer { memory + plan.layout.arguments[index] }

  /// Where the value of a parameter that is no buffer is: the argument, or, if C sees a pointer, its target.
  func place(_ index: Int) -> UnsafeMutableRawPointer {
    let target = plan.layout.targets[index]
    return memory + (target > 0 ? target : plan.layout.arguments[index])
  }

  /// Returns the memory of a parameter's value, and makes the argument a pointer to it if C sees one.
  func target(_ index: Int) -> UnsafeMutableRawPointer {
    let place = place(index)
    if plan.layout.targets[index] > 0 { point(index, to: place) }
    return place
  }

  /// Makes an argument a pointer.
  func point(_ index: Int, to address: UnsafeRawPointer?) {
    argument(index).storeBytes(of: address, as: UnsafeRawPointer?.self)
  }

  var result: UnsafeMutableRawPointer { memory + plan.layout.result }

  /// The value of a factor of a length now.
  func value(_ factor: LengthExpression.Factor) -> Int128? {
    guard case .parameter(let index) = factor else { return signature.result.integer.map { Value.integer($0, at: result) } }
    return signature.parameters[index].type.integer.map { Value.integer($0, at: place(index)) }
  }

  // MARK: Arguments

  /// Writes all arguments. An error has the position and the name of its argument.
  ///
  /// - Parameter steps: The steps of the plan, or those of a caller with other arguments.
  func fill<Source: ArgumentSource & ~Copyable>(
    _ steps: [CallPlan.Step], from source: inout Source, resolver: UnsafeRawPointer?
  ) throws(CallError) {
    for step in steps {
      do throws(CallError) {
        try fill(step, from: &source, resolver: resolver)
      } catch {
        guard step.argument >= 0 else { throw error }
        throw error.about(argument: step.argument, name: signature.parameters[step.parameter].name)
      }
    }
  }

  @inline(__always)
  private func fill<Source: ArgumentSource & ~Copyable>(
    _ step: CallPlan.Step, from source: inout Source, resolver: UnsafeRawPointer?
  ) throws(CallError) {
    switch step.kind {
    case .resolver:
      guard let resolver else { throw .missingResolver(signature) }
      point(step.parameter, to: resolver)
    case .output: point(step.parameter, to: place(step.parameter))
    case .value: try source.write(step, to: self)
    case .buffer(let buffer):
      let (address, count) = try source.buffer(step, buffer)
      point(step.parameter, to: address)
      try setLength(of: buffer, step.parameter, count)
      if buffer.isComputed { try checkLength(of: buffer, step.parameter, count) }
    case .newBuffer(let length):
      guard let count = length.count(elementSize: signature.parameters[step.parameter].type.size, value) else {
        throw .negativeCount(length.text(signature.name))
      }
      point(step.parameter, to: try source.newBuffer(step, count: count))
    }
  }

  /// Sets the parameter that is the length of a buffer, or compares it.
  private func setLength(of buffer: CallPlan.Buffer, _ index: Int, _ count: Int) throws(CallError) {
    if let expected = buffer.length.constant {
      guard count == expected else { throw .wrongElementCount(count, .array(signature.parameters[index].type, count: expected)) }
    }
    guard let (parameter, isFirst, maximum) = buffer.counted else { return }
    let number = buffer.length.isInBytes ? count * buffer.elementSize : count
    guard isFirst else {
      let other = place(parameter).load(as: Int.self)
      guard other == number else { throw .unequalLengths(number, other, signature.name(parameter)) }
      return
    }
    guard number <= maximum else { throw .tooLong(number, signature.parameters[parameter]) }
    target(parameter).storeBytes(of: number, as: Int.self)
  }

  /// Throws if a buffer has not as many elements as the other arguments say.
  func checkLength(of buffer: CallPlan.Buffer, _ index: Int, _ count: Int) throws(CallError) {
    guard buffer.length.count(elementSize: buffer.elementSize, value) == Int128(count) else {
      throw .wrongBufferLength(count, buffer.length.text(signature.name), signature.parameters[index].type)
    }
  }

  // MARK: The call

  /// Calls the function.
  ///
  /// - Parameter destination: Where the function may write a result that it returns in memory, instead of to the frame.
  /// - Returns: The address of the result, and the failure: of a callback, or by the signature's rule.
  @inline(__always)
  func run(destination: UnsafeMutableRawPointer? = nil) -> (result: UnsafeMutableRawPointer, failure: CallError?) {
    let hasRule = signature.failureRule != nil
    let ((result, code), failure) = CallbackErrors.collecting {
      if hasRule { errno = 0 }
      return (invoke(destination), hasRule ? errno : 0)
    }
    if let failure { return (result, .callbackFailed(failure)) }
    guard hasRule else { return (result, nil) }
    let failed = call.failure(errno: code, result: result) { index in
      let argument = UnsafeRawPointer(argument(index))
      return signature.parameters[index].isPointerInC ? argument.load(as: UnsafeRawPointer?.self) : argument
    }
    return (result, failed)
  }

  @inline(__always)
  private func invoke(_ destination: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer {
    var result = result
    switch plan.layout.path {
    case .registers(let plan):
      for move in plan.moves {
        (memory + move.destination).copyMemory(from: memory + move.source, byteCount: 8)
      }
      let registers = memory.assumingMemoryBound(to: troupe_registers.self)
      if plan.result == nil {
        result = destination ?? result
        registers.pointee.integers.0 = UInt64(UInt(bitPattern: result))
      }
      registers.pointee.result_parameter = plan.x87Results
      troupe_call(call.function, registers, plan.stackWords)
    case .libffi(let interface):
      let offsets = plan.layout.arguments
      let addresses = (memory + plan.layout.addresses).bindMemory(to: UnsafeMutableRawPointer?.self, capacity: offsets.count)
      for (index, offset) in offsets.enumerated() { addresses[index] = memory + offset }
      interface.call(call.function, addresses, result)
    }
    return result
  }
}
