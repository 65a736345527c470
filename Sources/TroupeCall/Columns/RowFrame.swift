internal import Glibc

/// The memory of the calls of some rows, one after the other: registers, or arguments for libffi, and the targets of references.
struct RowFrame: ~Copyable {
  /// The copy of an element to its place in the memory.
  private struct Move {
    enum Destination {
      case argument(CallLayout.Slot)
      case target(offset: Int)
      /// A pointer to the element, or to a copy at an offset if the element is not aligned.
      case address(slot: Int, copy: Int, alignment: Int)
    }

    let source: ColumnMemory.Rows<UnsafeRawPointer>
    let destination: Destination
  }

  private let call: PreparedCall
  private let columns: ColumnMemory
  private let plan: ColumnPlan
  private let memory: UnsafeMutableRawPointer
  private var moves: [Move] = []
  /// The outputs that are no inputs, which are zero before each call.
  private var cleared: [(offset: Int, size: Int)] = []
  /// The buffers whose lengths are computed from other arguments.
  private var checked: [ColumnMemory.Buffer] = []
  private var signature: Signature { call.signature }

  init(_ call: PreparedCall, _ plan: ColumnPlan, _ columns: ColumnMemory) {
    (self.call, self.plan, self.columns) = (call, plan, columns)
    let layout = call.layout
    var size = layout.size
    for (input, rows) in columns.inputs {
      let parameter = call.signature.parameters[input.parameter]
      let destination: Move.Destination
      if let pointee = input.pointee, rows.element != .pointer {
        size = size.roundedUp(to: 16)
        destination = .address(slot: layout.arguments[input.parameter], copy: size, alignment: pointee.alignment)
        size += pointee.size
      } else if parameter.isPointerInC {
        destination = .target(offset: layout.targets[input.parameter])
      } else {
        destination = .argument(layout.slots[input.parameter])
      }
      moves.append(Move(source: rows, destination: destination))
    }
    memory = .allocate(byteCount: size, alignment: 16)
    memset(memory, 0, size)
  }

  deinit { memory.deallocate() }

  /// The memory of a parameter's value.
  private borrowing func place(_ index: Int) -> UnsafeMutableRawPointer {
    let target = call.layout.targets[index]
    return memory + (target > 0 ? target : call.layout.arguments[index])
  }

  /// Writes the arguments that are the same for all rows. Throws a `CallError` for lengths of buffers that differ or are too large, for a
  /// missing resolver, and if the thread's stack is too small.
  mutating func fill(resolver: UnsafeRawPointer?) throws(CallError) {
    try PreparedCall.checkStack(for: call.layout)
    let inputs = Set(plan.inputs.map(\.parameter))
    for (index, parameter) in signature.parameters.enumerated() {
      let argument = memory + call.layout.arguments[index]
      if parameter.type == .resolver {
        guard let resolver else { throw .missingResolver(signature) }
        argument.storeBytes(of: resolver, as: UnsafeRawPointer.self)
      } else if case .pointer = parameter.passing {
        argument.storeBytes(of: place(index), as: UnsafeMutableRawPointer.self)
        if !inputs.contains(index) { cleared.append((call.layout.targets[index], parameter.type.size)) }
      }
    }
    var lengths: [Int: Int] = [:]
    for buffer in columns.buffers {
      do throws(CallError) {
        try fill(buffer, &lengths)
      } catch {
        throw error.about(argument: buffer.position, name: signature.parameters[buffer.input.parameter].name)
      }
    }
    // The function may write its length.
    cleared.removeAll { offset, _ in lengths.keys.contains { call.layout.targets[$0] == offset } }
  }

  /// Writes the address of a buffer, and its length if that is a parameter by itself.
  private mutating func fill(_ buffer: ColumnMemory.Buffer, _ lengths: inout [Int: Int]) throws(CallError) {
    let type = signature.parameters[buffer.input.parameter].type
    (memory + call.layout.arguments[buffer.input.parameter]).storeBytes(of: buffer.address, as: UnsafeRawPointer?.self)
    guard let length = buffer.input.length, !length.isTerminated, length.constant == nil else { return }
    guard let index = length.parameter else { return checked.append(buffer) }
    let number = length.isInBytes ? buffer.count * type.size : buffer.count
    if let other = lengths.updateValue(number, forKey: index), other != number {
      throw .unequalLengths(number, other, signature.name(index))
    }
    let parameter = signature.parameters[index]
    guard parameter.type.integer?.range.contains(Int128(number)) == true else { throw .tooLong(number, parameter) }
    place(index).storeBytes(of: number, as: Int.self)
  }

  /// Calls the function with the arguments of a row and stores its outputs. Throws the failure of the call, and stores nothing then.
  borrowing func run(_ row: Int) throws(CallError) {
    for move in moves {
      let source = move.source.data + row * move.source.stride
      switch move.destination {
      case .argument(let slot): slot.copy(source, to: memory)
      case .target(let offset): (memory + offset).copyMemory(from: source, byteCount: move.source.element.size)
      case .address(let slot, let copy, let alignment):
        let isAligned = UInt(bitPattern: source) % UInt(alignment) == 0
        if !isAligned { (memory + copy).copyMemory(from: source, byteCount: move.source.element.size) }
        (memory + slot).storeBytes(of: isAligned ? source : UnsafeRawPointer(memory + copy), as: UnsafeRawPointer.self)
      }
    }
    for (offset, size) in cleared { memset(memory + offset, 0, size) }
    try checkLengths()
    let hasFailureRule = signature.failureRule != nil
    let (result, failure) = CallbackErrors.collecting {
      if hasFailureRule { errno = 0 }
      return call.invoke(call.layout, memory)
    }
    let code = errno
    if let failure { throw .callbackFailed(failure) }
    if hasFailureRule, let failed = call.failure(errno: code, result: result, argument: { UnsafeRawPointer(place($0)) }) {
      throw failed
    }
    for (output, rows) in zip(plan.outputs, columns.outputs) {
      let source = output.parameter.map { place($0) } ?? result
      (rows.data + row * rows.stride).copyMemory(from: source, byteCount: rows.element.size)
    }
  }

  /// Throws if a buffer has not as many elements as the other arguments of the row say.
  private borrowing func checkLengths() throws(CallError) {
    for buffer in checked {
      guard let length = buffer.input.length else { continue }
      let parameter = signature.parameters[buffer.input.parameter]
      let expected = length.count(elementSize: parameter.type.size) { factor in
        guard case .parameter(let index) = factor else { return nil }
        return signature.parameters[index].type.integer.map { Value.integer($0, at: place(index)) }
      }
      guard expected == Int128(buffer.count) else {
        throw CallError.wrongBufferLength(buffer.count, length.text(signature.name), parameter.type)
          .about(argument: buffer.position, name: parameter.name)
      }
    }
  }
}
