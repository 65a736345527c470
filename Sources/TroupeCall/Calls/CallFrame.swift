internal import CCallbacks
internal import Glibc

/// Where a call reads its arguments: the values, memory or columns of the caller.
protocol ArgumentSource: ~Copyable {
  /// Writes an argument that is no buffer to the memory of a call.
  mutating func write(_ step: CallPlan.Step, to frame: CallFrame) throws(CallError)
  /// Returns the address of a buffer and the number of its elements.
  mutating func buffer(_ step: CallPlan.Step) throws(CallError) -> (address: UnsafeRawPointer?, count: Int)
  /// Allocates a buffer for the function.
  mutating func newBuffer(_ step: CallPlan.Step, count: Int128) throws(CallError) -> UnsafeRawPointer
}

/// The memory of one call, laid out by a `CallLayout`: its arguments, and then its results.
///
///     | registers and stack, or arguments | addresses of the arguments | what outputs point to | result |
///
/// A call fills it from a source, runs, and reads from it. The memory is the caller's. Only an address: retaining an object would cost as much
/// as the call. The steps of the plan hold what a call needs.
struct CallFrame: BitwiseCopyable {
  let memory: UnsafeMutableRawPointer

  /// - Parameter memory: As large as the layout says, and aligned.
  init(_ memory: UnsafeMutableRawBufferPointer) {
    guard let start = memory.baseAddress else { fatalError("only an empty block has no address, and no layout is empty") }
    self.memory = start
  }

  /// Makes an argument a pointer.
  func point(_ step: CallPlan.Step, to address: UnsafeRawPointer?) {
    (memory + step.slot.offset).storeBytes(of: address, as: UnsafeRawPointer?.self)
  }

  /// Returns the memory of a parameter's value, and makes the argument a pointer to it if C sees one.
  func pointToTarget(_ step: CallPlan.Step) -> UnsafeMutableRawPointer {
    guard step.targetOffset > 0 else { return memory + step.slot.offset }
    point(step, to: memory + step.targetOffset)
    return memory + step.targetOffset
  }

  /// The value of a factor of a length now.
  func value(_ factor: LengthExpression.Factor, _ signature: Signature, _ layout: CallLayout) -> Int128? {
    guard case .parameter(let index) = factor else {
      return signature.result.integer.map { Value.integer($0, at: memory + layout.result) }
    }
    return signature.parameters[index].type.integer.map { Value.integer($0, at: memory + layout.valueOffset(index)) }
  }
}

extension CallPlan {
  /// Throws if the rest of the thread's stack is too small for the arguments of a call. Calls with up to 8 KiB are not checked, since the
  /// system reads a file to find the main thread's stack.
  func checkStack() throws(CallError) {
    guard layout.stackSize > 8 << 10 else { return }
    let rest = troupe_stack_rest()
    // The function itself needs some, too.
    guard rest == 0 || rest >= layout.stackSize + 16 << 10 else { throw .smallStack(layout.stackSize, rest) }
  }
}

extension PreparedCall {
  // MARK: Arguments

  /// Writes all arguments. An error has the position and the name of its argument.
  ///
  /// - Parameter steps: The steps of the plan, or those of a caller with other arguments.
  func fill<Source: ArgumentSource & ~Copyable>(
    _ frame: CallFrame, _ plan: CallPlan, _ steps: [CallPlan.Step], from source: inout Source, resolver: UnsafeRawPointer?
  ) throws(CallError) {
    for step in steps {
      do throws(CallError) {
        try fill(frame, plan, step, from: &source, resolver: resolver)
      } catch {
        guard step.argument >= 0 else { throw error }
        throw error.about(argument: step.argument, name: signature.parameters[step.parameter].name)
      }
    }
  }

  @inline(__always)
  private func fill<Source: ArgumentSource & ~Copyable>(
    _ frame: CallFrame, _ plan: CallPlan, _ step: CallPlan.Step, from source: inout Source, resolver: UnsafeRawPointer?
  ) throws(CallError) {
    switch step.kind {
    case .resolver:
      guard let resolver else { throw .missingResolver(signature) }
      frame.point(step, to: resolver)
    case .output: frame.point(step, to: frame.memory + step.targetOffset)
    case .value:
      try source.write(step, to: frame)
      if step.isNonnull, (frame.memory + step.slot.offset).load(as: UInt.self) == 0 {
        throw .null(signature.parameters[step.parameter].type)
      }
    case .buffer: _ = try passBuffer(step, from: &source, frame)
    case .fixedBuffer(let expected):
      let count = try passBuffer(step, from: &source, frame)
      guard count == expected else {
        throw .wrongElementCount(count, .array(signature.parameters[step.parameter].type, count: expected))
      }
    case .countedBuffer(let parameter, let offset, let unit, let maximum, let isFirst):
      let number = try passBuffer(step, from: &source, frame) * unit
      if isFirst {
        guard number <= maximum else { throw .tooLong(number, signature.parameters[parameter]) }
        return (frame.memory + offset).storeBytes(of: number, as: Int.self)
      }
      let other = (frame.memory + offset).load(as: Int.self)
      guard other == number else { throw .unequalLengths(number, other, signature.name(parameter)) }
    case .computedBuffer: try checkLength(step, count: passBuffer(step, from: &source, frame), frame, plan)
    case .newBuffer:
      let parameter = signature.parameters[step.parameter]
      guard case .buffer(_, let length, _) = parameter.passing else { return }
      let count = length.count(elementSize: parameter.type.size) { frame.value($0, signature, plan.layout) }
      guard let count else { throw .negativeCount(length.text(signature.name)) }
      frame.point(step, to: try source.newBuffer(step, count: count))
    }
  }

  /// Passes the address of a buffer. Returns the number of elements.
  @inline(__always)
  private func passBuffer<Source: ArgumentSource & ~Copyable>(
    _ step: CallPlan.Step, from source: inout Source, _ frame: CallFrame
  ) throws(CallError) -> Int {
    let (address, count) = try source.buffer(step)
    frame.point(step, to: address)
    return count
  }

  /// Throws if a buffer has not as many elements as the other arguments say.
  func checkLength(_ step: CallPlan.Step, count: Int, _ frame: CallFrame, _ plan: CallPlan) throws(CallError) {
    let parameter = signature.parameters[step.parameter]
    guard case .buffer(_, let length, _) = parameter.passing else { return }
    let expected = length.count(elementSize: parameter.type.size) { frame.value($0, signature, plan.layout) }
    guard expected == Int128(count) else {
      throw .wrongBufferLength(count, length.text(signature.name), parameter.type)
    }
  }

  // MARK: The call

  /// Calls the function.
  ///
  /// - Parameter destination: Where the function may write a result that it returns in memory, instead of to the frame.
  /// - Returns: The address of the result, and the failure: of a callback, or by the signature's rule.
  @inline(__always)
  func run(
    _ frame: CallFrame, _ plan: CallPlan, destination: UnsafeMutableRawPointer? = nil
  ) -> (result: UnsafeMutableRawPointer, failure: CallError?) {
    let hasRule = plan.hasFailureRule
    let ((result, code), failure) = CallbackErrors.collecting {
      if hasRule { errno = 0 }
      return (plan.invoke(function, frame.memory, destination), hasRule ? errno : 0)
    }
    if let failure { return (result, .callbackFailed(failure)) }
    return (result, hasRule ? self.failure(errno: code, result: result, frame, plan) : nil)
  }

  private func failure(
    errno code: Int32, result: UnsafeMutableRawPointer, _ frame: CallFrame, _ plan: CallPlan
  ) -> CallError? {
    failure(errno: code, result: result) { index in
      let argument = UnsafeRawPointer(frame.memory + plan.layout.arguments[index])
      return signature.parameters[index].isPointerInC ? argument.load(as: UnsafeRawPointer?.self) : argument
    }
  }
}

extension CallPlan {
  @inline(__always)
  fileprivate func invoke(
    _ function: UnsafeRawPointer, _ memory: UnsafeMutableRawPointer, _ destination: UnsafeMutableRawPointer?
  ) -> UnsafeMutableRawPointer {
    let place = memory + layout.result
    guard let registers else { return invokeByLibffi(function, memory, place) }
    if registers.hasMoves { move(in: memory) }
    let result = registers.returnsInMemory ? destination ?? place : place
    let pointer = memory.assumingMemoryBound(to: troupe_registers.self)
    if registers.returnsInMemory { pointer.pointee.integers.0 = UInt64(UInt(bitPattern: result)) }
    pointer.pointee.result_parameter = registers.x87Results
    troupe_call(function, pointer, registers.stackWords)
    return result
  }

  /// Copies the words of structs whose two words go to registers of different kinds.
  @inline(never)
  private func move(in memory: UnsafeMutableRawPointer) {
    guard case .registers(let plan) = layout.path else { return }
    for move in plan.moves { (memory + move.destination).copyMemory(from: memory + move.source, byteCount: 8) }
  }

  @inline(never)
  private func invokeByLibffi(
    _ function: UnsafeRawPointer, _ memory: UnsafeMutableRawPointer, _ result: UnsafeMutableRawPointer
  ) -> UnsafeMutableRawPointer {
    guard case .libffi(let interface) = layout.path else { fatalError("a call without registers is made by libffi") }
    let offsets = layout.arguments
    let addresses = (memory + layout.addresses).bindMemory(to: UnsafeMutableRawPointer?.self, capacity: offsets.count)
    for (index, offset) in offsets.enumerated() { addresses[index] = memory + offset }
    interface.call(function, addresses, result)
    return result
  }
}
