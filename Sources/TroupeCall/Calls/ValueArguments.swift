/// The arguments of a call as values, and what the call has to keep of them.
///
///     before the call   converts each argument: a word or a struct in place, strings and buffers in the arena,
///                       memory for plain pointers, references that nothing may release meanwhile
///     after it          reads the result and the outputs, frees what C handed over, passes on what C may keep
///
/// It lives for one call, on one thread.
struct ValueArguments: ~Copyable, ArgumentSource {
  private let call: PreparedCall
  /// That of the call, or, behind `...`, one with the types of the arguments.
  private let plan: CallPlan
  private var signature: Signature { call.signature }
  private let values: [Value]
  private var arena: CallArena
  /// What C may use after the call: for a parameter that is `kept`, or for all of them if the caller keeps a lifetime.
  private var lasting: CallArena
  private let lifetime: ForeignLifetime?
  /// The memory of arguments for pointers whose signature does not say how long their targets are, by the index of the parameter.
  private var allocated: [Int: (position: Int, memory: ForeignMemory)] = [:]
  /// The buffers of this call, and those of the caller that the function writes, with the numbers of elements that they have room for.
  private var buffers: [Int: (memory: UnsafeMutableRawPointer, count: Int)] = [:]
  /// The references that the function gets, by the index of the parameter, but for the consumed ones, which are in `taken`.
  private var references: [Int: ForeignReference] = [:]
  private var taken: [ForeignReference] = []
  /// The arguments for pointers to several elements, with the numbers of their elements, whose lengths are known when all are written.
  private var sequences: [(argument: Int, index: Int, count: Int)] = []

  /// - Parameter memory: Memory for small arguments, which outlives the call.
  init(
    _ call: PreparedCall, _ plan: CallPlan, _ values: [Value], _ memory: UnsafeMutableRawBufferPointer,
    lifetime: ForeignLifetime?
  ) {
    (self.call, self.plan, self.values, self.lifetime) = (call, plan, values, lifetime)
    arena = CallArena(memory, function: call.function)
    lasting = CallArena(isLasting: true, function: call.function)
  }

  deinit {
    for reference in references.values { reference.endUse() }
    for reference in taken { reference.finishTake(isReleased: false) }
  }

  // MARK: Arguments

  /// Writes all arguments.
  ///
  /// - Parameter variadicTypes: The types of those behind the parameters'.
  mutating func fill(_ frame: CallFrame, resolver: UnsafeRawPointer?, variadicTypes: [CType]) throws(CallError) {
    try call.fill(frame, plan, plan.steps, from: &self, resolver: resolver)
    for (argument, index, count) in sequences {
      guard case .sequence(let element, let length) = signature.parameters[index].type else { continue }
      guard let expected = length.count(elementSize: element.size, { value($0, frame) }), expected >= 0, expected <= count
      else {
        throw CallError.wrongBufferLength(count, length.text(signature.name), element)
          .about(argument: argument, name: signature.parameters[index].name)
      }
    }
    for index in references.keys.sorted() where signature.parameters[index].ownership.isConsumed { try take(index) }
    for (index, type) in variadicTypes.enumerated() {
      let place = frame.memory + plan.layout.arguments[signature.parameters.count + index]
      try values[plan.argumentCount + index].writeWord(as: type, to: place, &arena)
    }
  }

  mutating func write(_ step: CallPlan.Step, to frame: CallFrame) throws(CallError) {
    let (index, argument) = (step.parameter, values[step.argument])
    let parameter = signature.parameters[index]
    if case .reference(let reference) = argument, case .reference = parameter.type {
      // Refused below if it is of another struct.
      try reference.beginUse()
      references.updateValue(reference, forKey: index)?.endUse()
      _ = try argument.converted(to: parameter.type)
      return frame.pointToTarget(step).storeBytes(of: reference.address.address, as: UInt.self)
    }
    if case .sequence(_, let length) = parameter.type, !length.isTerminated, let count = argument.bufferCount {
      sequences.append((step.argument, index, count))
    }
    if case .pointer = parameter.passing {
      let place = frame.pointToTarget(step)
      return try withArena(of: parameter) { (arena) throws(CallError) in
        try argument.write(as: parameter.type, to: place, &arena)
      }
    }
    if let byteCount = argument.byteCount, parameter.type.isPointer { _ = try size(of: Int128(byteCount), .integer(.byte)) }
    if parameter.ownership.isConsumed, argument.elementCount != nil || argument.isStructure { throw .consumedLiteral }
    if let memory = try argument.allocated(for: parameter.type, isKept: isKept(parameter)) {
      allocated[index] = (step.argument, memory)
      memory.note(CallError.Argument(index: step.argument, name: parameter.name), of: call.function)
      if isKept(parameter) { lasting.keep(memory) }
      return frame.point(step, to: memory.start)
    }
    var (value, type) = (argument, parameter.type)
    if let fixed = signature.fixedCount, index >= fixed {
      // It has to fit the listed type, and is passed as the promoted type.
      (value, type) = (try argument.converted(to: type), type.promoted)
    }
    let place = frame.memory + step.slot.offset
    try withArena(of: parameter) { (arena) throws(CallError) in try value.writeWord(as: type, to: place, &arena) }
  }

  private func isKept(_ parameter: Signature.Parameter) -> Bool { lifetime != nil || parameter.ownership.isKept }

  /// Calls a closure with the arena for an argument.
  private mutating func withArena<Result>(
    of parameter: Signature.Parameter, _ body: (inout CallArena) throws(CallError) -> Result
  ) throws(CallError) -> Result {
    if isKept(parameter) { try body(&lasting) } else { try body(&arena) }
  }

  mutating func buffer(_ step: CallPlan.Step) throws(CallError) -> (address: UnsafeRawPointer?, count: Int) {
    let index = step.parameter
    let parameter = signature.parameters[index]
    guard case .buffer(_, let length, _) = parameter.passing else { return (nil, 0) }
    let type = parameter.type
    let given = values[step.argument]
    if let byteCount = given.byteCount { _ = try size(of: Int128(byteCount), .integer(.byte)) }
    let argument = try given.zeros(of: type) ?? given
    // NULL is a buffer without elements.
    if argument == .null || argument == .string(nil), length.constant == nil { return (nil, 0) }
    let fits =
      switch argument {
      case .string: type.isByte
      case .memory(let memory): memory.type.hasSameLayout(as: type) || memory.type.isByte && type.isByte
      default: true
      }
    guard fits, let count = argument.bufferCount else { throw .wrongBuffer(argument.shown, type) }
    _ = try size(of: Int128(count), type)
    let memory: UnsafeMutableRawPointer?
    switch argument {
    case .packedArray(let packed)
    where !parameter.givesBack && !isKept(parameter) && packed.elementType.hasSameLayout(as: type) && !length.isTerminated:
      memory = UnsafeMutableRawPointer(mutating: packed.bytes.baseAddress)
      arena.lend(UnsafeMutableRawBufferPointer(mutating: packed.bytes))
    case .memory(let owned):
      if length.isTerminated { try checkTerminated(owned) }
      if isKept(parameter) { lasting.keep(owned) }
      memory = owned.start
      arena.lend(owned.withUnsafeMutableBytes { $0 })
      if parameter.givesBack { buffers[index] = (owned.start, count) }
    default:
      // C declares text that it does not change as `char *const argv[]`, too.
      let isText = !parameter.givesBack && type == .pointer(.toChar) && argument.elements?.contains { $0.isText } ?? false
      memory = try withArena(of: parameter) { (arena) throws(CallError) in
        try argument.allocateElements(as: isText ? .string : type, length, &arena)
      }
      buffers[index] = memory.map { ($0, count) }
    }
    return (memory.map { UnsafeRawPointer($0) }, count)
  }

  mutating func newBuffer(_ step: CallPlan.Step, count: Int128) throws(CallError) -> UnsafeRawPointer {
    let type = signature.parameters[step.parameter].type
    guard let place = arena.allocate(try size(of: count, type)) else { throw .noRoom(count, type) }
    buffers[step.parameter] = (place, Int(count))
    return UnsafeRawPointer(place)
  }

  /// The size of a buffer in bytes. Throws a `CallError` with the code `bufferSize` if it exceeds the limit.
  private func size(of count: Int128, _ type: CType) throws(CallError) -> Int {
    guard count >= 0 else { throw .negativeCount("\(count)") }
    let size = count.multipliedReportingOverflow(by: Int128(type.size))
    guard !size.overflow, size.partialValue <= Int128(call.maximumBufferSize) else {
      throw .bufferTooLarge(count, type, limit: call.maximumBufferSize)
    }
    return Int(size.partialValue)
  }

  /// Throws if no element of memory is zero, where a function would read on behind it.
  private func checkTerminated(_ memory: ForeignMemory) throws(CallError) {
    let size = memory.type.size
    let isTerminated = memory.withUnsafeMutableBytes { bytes in
      (0..<memory.count).contains { index in bytes[index * size..<(index + 1) * size].allSatisfy { $0 == 0 } }
    }
    if !isTerminated { throw .wrongBuffer("memory without a zero element", memory.type) }
  }

  /// Lets the function take a reference over, which must not be in use.
  private mutating func take(_ index: Int) throws(CallError) {
    guard let reference = references.removeValue(forKey: index) else { return }
    reference.endUse()
    do {
      try reference.take()
    } catch {
      throw error.about(argument: plan.takesArgument[..<index].count { $0 }, name: signature.parameters[index].name)
    }
    taken.append(reference)
  }

  /// Notes that the function has succeeded, and so released the references that it takes over.
  mutating func succeed() {
    for reference in taken { reference.finishTake(isReleased: true) }
    taken = []
  }

  /// Hands what C may use after the call over to the caller's lifetime; without one, to the reference that the call returns, or else to its
  /// first reference argument.
  ///
  /// - Parameter outcome: Nil if the call has failed.
  mutating func keep(_ outcome: Value?) {
    guard !lasting.isEmpty else { return }
    var arena = CallArena(isLasting: true)
    swap(&arena, &lasting)
    let retained = CallArena.Retained(arena)
    if let lifetime { return lifetime.keep(retained) }
    guard let outcome else { return }
    let made = outcome.reference ?? signature.outputs.lazy.compactMap { outcome[$0.name ?? ""]?.reference }.first
    let argument = signature.parameters.indices.first { references[$0] != nil && !signature.parameters[$0].ownership.isKept }
    (made ?? outcome["return"]?.reference ?? outcome["result"]?.reference ?? argument.flatMap { references[$0] })?.keep(
      retained)
  }

  // MARK: Results

  /// The memory of arguments with their positions.
  var memoryOfArguments: [(position: Int, name: String?, memory: ForeignMemory)] {
    guard !allocated.isEmpty else { return [] }
    return allocated.sorted { $0.key < $1.key }.map { ($1.position, signature.parameters[$0].name, $1.memory) }
  }

  /// The memory of a parameter's value.
  private borrowing func place(_ index: Int, _ frame: CallFrame) -> UnsafeMutableRawPointer {
    frame.memory + plan.layout.valueOffset(index)
  }

  private borrowing func value(_ factor: LengthExpression.Factor, _ frame: CallFrame) -> Int128? {
    frame.value(factor, signature, plan.layout)
  }

  /// Throws if the function has written behind memory that this call or an earlier one has allocated.
  private borrowing func checkEnds() throws(CallError) {
    for (position, name, memory) in memoryOfArguments {
      do throws(CallError) {
        try memory.checkEnd(after: call.function)
      } catch {
        throw error.about(argument: position, name: name)
      }
    }
    try arena.checkEnds()
    try lasting.checkEnds()
  }

  /// The result, the outputs, and the contents of memory that the function may have written.
  mutating func outcome(_ frame: CallFrame) throws(CallError) -> Value {
    try checkEnds()
    let written = memoryOfArguments.filter { $0.memory.isWrittenByC }
    guard !written.isEmpty else { return try declaredOutcome(frame) }
    let declared = try declaredOutcome(frame)
    var fields: [Value.Field] = []
    if !signature.outputs.isEmpty, case .structure(let outputs) = declared {
      fields = outputs
    } else if signature.result != .void {
      fields = [Value.Field("result", declared)]
    }
    let others = signature.outputs.isEmpty ? ["result"] : fields.map(\.name)
    let names = CallOutcome.names(written.map { ($0.name, $0.position) }, besides: others)
    for (name, written) in zip(names, written) { fields.append(Value.Field(name, try written.memory.contents())) }
    return fields.count == 1 ? fields[0].value : .structure(fields)
  }

  /// What the signature says that the call gives back.
  private mutating func declaredOutcome(_ frame: CallFrame) throws(CallError) -> Value {
    guard signature.parameters.contains(where: \.givesBack) else { return try result(frame) }
    // References first, which are released if the rest cannot be read.
    var made: [Int: Value] = [:]
    for (index, parameter) in signature.parameters.enumerated() where parameter.givesBack && parameter.type.isReference {
      made[index] = try output(index, parameter, frame)
    }
    let result = try result(frame)
    var fields = signature.result == .void ? [] : [Value.Field("return", result)]
    for (index, parameter) in signature.parameters.enumerated() where parameter.givesBack {
      let value = if let reference = made[index] { reference } else { try output(index, parameter, frame) }
      fields.append(Value.Field(parameter.name ?? "", value))
    }
    return .structure(fields)
  }

  private borrowing func result(_ frame: CallFrame) throws(CallError) -> Value {
    try read(signature.result, at: frame.memory + plan.layout.result, signature.resultOwnership, frame)
  }

  /// Reads a result or output.
  private borrowing func read(
    _ type: CType, at place: UnsafeRawPointer, _ ownership: Signature.Ownership, _ frame: CallFrame
  ) throws(CallError) -> Value {
    guard case .reference(let reference) = type else {
      return try Value.read(
        type, at: place, limit: call.maximumBufferSize, end: place + type.size, owner: call.library,
        siblings: { value($0, frame) })
    }
    let address = Value.Pointer(address: place.load(as: UInt.self))
    if address == .null { return .null }
    // A function that returns its argument has not made a second object.
    if ownership == Signature.Ownership(),
      let same = references.values.first(where: { $0.address == address && $0.type == reference.name })
    {
      return .reference(same)
    }
    return .reference(
      ForeignReference(
        reference, address: address, deallocator: ownership.deallocator.flatMap { call.functions[$0] },
        borrowedFrom: ownership.borrowedFrom.compactMap { references[$0] }, owner: call.library))
  }

  private mutating func output(
    _ index: Int, _ parameter: Signature.Parameter, _ frame: CallFrame
  ) throws(CallError) -> Value {
    guard case .buffer(let direction, let length, let used) = parameter.passing else {
      // A function that leaves a reference in its place has not made a second owner of it.
      if let reference = references[index], reference.address.address == place(index, frame).load(as: UInt.self) {
        return .reference(reference)
      }
      return try read(parameter.type, at: place(index, frame), parameter.ownership, frame)
    }
    guard let buffer = buffers[index] else { return .null }
    var count = buffer.count
    if !length.isTerminated, let written = (used ?? length).count(elementSize: parameter.type.size, { value($0, frame) }) {
      count = Int(max(0, min(written, Int128(count))))
    }
    if parameter.type.isReference, direction == .output {
      var elements: [Value] = []
      for element in 0..<count {
        elements.append(try read(parameter.type, at: buffer.memory + element * parameter.type.size, parameter.ownership, frame))
      }
      return .array(elements)
    }
    // What the function hands over in the elements is freed after this, even if the rest cannot be read.
    if parameter.ownership.deallocator == nil, parameter.type.isBitwiseCopyable, !parameter.type.isByte,
      arena.handOver(buffer.memory, using: count * parameter.type.size)
    {
      return .packedArray(Value.PackedArray(parameter.type, count: count, owning: buffer.memory))
    }
    return try Value.readBuffer(
      parameter.type, count: count, at: buffer.memory, limit: call.maximumBufferSize, owner: call.library)
  }

  /// Frees the memory that the function has handed over; not memory that it was given and left in its place. References free themselves.
  borrowing func free(_ frame: CallFrame) {
    func free(_ name: String, _ place: UnsafeRawPointer) {
      guard let pointer = place.load(as: UnsafeMutableRawPointer?.self), !arena.owns(pointer), !lasting.owns(pointer) else {
        return
      }
      call.functions[name]?(pointer)
    }
    if let deallocator = signature.resultOwnership.deallocator, !signature.result.isReference {
      free(deallocator, frame.memory + plan.layout.result)
    }
    for (index, parameter) in signature.parameters.enumerated() where !parameter.type.isReference {
      guard let deallocator = parameter.ownership.deallocator else { continue }
      if let buffer = buffers[index] {
        for element in 0..<buffer.count { free(deallocator, buffer.memory + element * parameter.type.size) }
      } else if !parameter.isBuffer {
        free(deallocator, place(index, frame))
      }
    }
  }
}
