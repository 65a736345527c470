internal import Glibc

/// The memory of one call: its arguments, and then its results. The memory is laid out by `CallLayout` and is
/// zero at first.
struct CallFrame: ~Copyable {
  private let call: PreparedCall
  private var signature: Signature { call.signature }
  private var maximumBufferSize: Int { call.maximumBufferSize }
  private let layout: CallLayout
  private let memory: UnsafeMutableRawPointer
  private var arena: CallArena
  /// What C may use after the call: for a parameter that is `kept`, or for all of them if the caller keeps a lifetime.
  private var lasting: CallArena
  private let lifetime: ForeignLifetime?
  /// The memory of arguments for pointers whose signature does not say how long their targets are, by the index of the parameter.
  private var lent: [Int: ForeignMemory] = [:]
  /// The buffers and the numbers of elements that they have room for, by the index of the parameter.
  private var buffers: [Int: (memory: UnsafeMutableRawPointer, count: Int)] = [:]
  /// The references that the function gets, by the index of the parameter, but for the consumed ones, which are in `taken`.
  private var references: [Int: ForeignReference] = [:]
  private var taken: [ForeignReference] = []

  init(
    _ call: PreparedCall, layout: CallLayout, memory: UnsafeMutableRawPointer, arena: consuming CallArena,
    lifetime: ForeignLifetime?
  ) {
    self.call = call
    self.lifetime = lifetime
    lasting = CallArena(isLasting: true, function: call.function)
    self.layout = layout
    self.memory = memory
    self.arena = arena
  }

  deinit {
    for reference in references.values { reference.endUse() }
    for reference in taken { reference.finishTake(isReleased: false) }
  }

  // MARK: In

  /// Writes the arguments.
  ///
  /// - Parameter extra: The types of those behind the parameters'.
  mutating func fill(
    _ arguments: [Value], resolver: UnsafeRawPointer?, extra: [CType]
  ) throws(CallError) {
    var next = 0
    // Lengths that the caller gives have to be known before the buffers that have them.
    var hasBuffers = false
    for (index, parameter) in signature.parameters.enumerated() {
      if case .buffer = parameter.passing { hasBuffers = true }
      guard layout.takesArgument[index] else {
        if parameter.type == .resolver {
          guard let resolver else { throw .missingResolver(signature) }
          (memory + layout.arguments[index]).storeBytes(of: resolver, as: UnsafeRawPointer.self)
        } else if case .pointer = parameter.passing {
          point(index, to: place(index))
        }
        continue
      }
      do {
        try fill(index, parameter, arguments[next])
      } catch {
        throw error.about(argument: next, name: parameter.name)
      }
      next += 1
    }
    if hasBuffers { try fillBuffers(arguments) }
    try checkSequences(arguments)
    for index in references.keys.sorted() where signature.parameters[index].ownership.isConsumed { try take(index) }
    for (index, type) in extra.enumerated() {
      let place = memory + layout.arguments[signature.parameters.count + index]
      try arguments[next + index].writeWord(as: type, to: place, &arena)
    }
  }

  /// Throws if a pointer to several elements leads to fewer than its length.
  private func checkSequences(_ arguments: [Value]) throws(CallError) {
    var position = 0
    for (index, parameter) in signature.parameters.enumerated() where layout.takesArgument[index] {
      defer { position += 1 }
      guard !parameter.isBuffer, case .sequence(let element, let length) = parameter.type, !length.isTerminated,
        let given = arguments[position].bufferCount
      else { continue }
      guard let expected = length.count(elementSize: element.size, { value($0) }), expected <= given else {
        throw CallError.wrongBufferLength(given, length.text(signature.name), element)
          .about(argument: position, name: parameter.name)
      }
    }
  }

  /// Writes an argument that is not a buffer.
  private mutating func fill(
    _ index: Int, _ parameter: Signature.Parameter, _ argument: Value
  ) throws(CallError) {
    if parameter.isNonnull, argument.isNull { throw .null(parameter.type) }
    if case .reference(let reference) = argument, case .reference = parameter.type, !parameter.isBuffer {
      // Refused below if it is of another struct.
      try reference.beginUse()
      references.updateValue(reference, forKey: index)?.endUse()
      _ = try argument.converted(to: parameter.type)
      return target(index).storeBytes(of: reference.address.address, as: UInt.self)
    }
    switch parameter.passing {
    case .value:
      if let memory = try argument.lent(to: parameter.type) {
        lent[index] = memory
        memory.note(CallError.Argument(index: position(index), name: parameter.name), of: call.function)
        if isKept(parameter) { lasting.keep(memory) }
        return point(index, to: memory.start)
      }
      let place = memory + layout.arguments[index]
      guard let fixed = signature.fixedCount, index >= fixed else {
        return try write(argument, as: parameter.type, to: place, parameter)
      }
      // It has to fit the listed type, and is passed as the promoted type.
      try write(argument.converted(to: parameter.type), as: parameter.type.promoted, to: place, parameter)
    case .pointer:
      let place = target(index)
      if isKept(parameter) {
        try argument.write(as: parameter.type, to: place, &lasting)
      } else {
        try argument.write(as: parameter.type, to: place, &arena)
      }
    case .buffer: break
    }
  }

  private func isKept(_ parameter: Signature.Parameter) -> Bool { lifetime != nil || parameter.ownership.isKept }

  private mutating func write(
    _ argument: Value, as type: CType, to place: UnsafeMutableRawPointer, _ parameter: Signature.Parameter
  ) throws(CallError) {
    if isKept(parameter) {
      try argument.writeWord(as: type, to: place, &lasting)
    } else {
      try argument.writeWord(as: type, to: place, &arena)
    }
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
    (made ?? outcome["return"]?.reference ?? outcome["result"]?.reference ?? argument.flatMap { references[$0] })?.keep(retained)
  }

  /// Lets the function take a reference over, which must not be in use.
  private mutating func take(_ index: Int) throws(CallError) {
    guard let reference = references.removeValue(forKey: index) else { return }
    reference.endUse()
    do {
      try reference.take()
    } catch {
      throw error.about(argument: position(index), name: signature.parameters[index].name)
    }
    taken.append(reference)
  }

  /// Notes that the function has succeeded, and so released the references that it takes over.
  mutating func succeed() {
    for reference in taken { reference.finishTake(isReleased: true) }
    taken = []
  }

  /// Allocates and writes the buffers that the caller gives, and their lengths; then the others, which may be as long.
  private mutating func fillBuffers(_ arguments: [Value]) throws(CallError) {
    var next = 0
    var lengths: [Int: Int] = [:]
    var given: [(position: Int, index: Int, length: LengthExpression, count: Int)] = []
    for (index, parameter) in signature.parameters.enumerated() where layout.takesArgument[index] {
      let position = next
      next += 1
      guard case .buffer(_, let length, _) = parameter.passing else { continue }
      do {
        let count = try fillBuffer(index, parameter, arguments[position], length, &lengths)
        given.append((position, index, length, count))
      } catch {
        throw error.about(argument: position, name: parameter.name)
      }
    }
    for (index, count) in lengths { try fillLength(index, count) }
    for (position, index, length, count) in given where length.parameter == nil && !length.isTerminated {
      let parameter = signature.parameters[index]
      guard let expected = length.count(elementSize: parameter.type.size, { value($0) }), expected == count else {
        throw CallError.wrongBufferLength(count, length.text(signature.name), parameter.type)
          .about(argument: position, name: parameter.name)
      }
    }
    for (index, parameter) in signature.parameters.enumerated() where !layout.takesArgument[index] {
      guard case .buffer(_, let length, _) = parameter.passing else { continue }
      guard let room = length.count(elementSize: parameter.type.size, { value($0) }) else {
        throw .negativeCount(length.text(signature.name))
      }
      guard let place = arena.allocate(try size(of: room, parameter.type)) else { throw .noRoom(room, parameter.type) }
      buffers[index] = (place, Int(room))
      point(index, to: place)
    }
  }

  /// Writes the length of buffers that the caller gives.
  private mutating func fillLength(_ index: Int, _ count: Int) throws(CallError) {
    let parameter = signature.parameters[index]
    do {
      try Value.integer(Int128(count)).writeWord(as: parameter.type, to: target(index), &arena)
    } catch {
      throw .tooLong(count, parameter)
    }
  }

  /// Writes a buffer, and notes its length if the call computes that. Returns the number of elements, 0 for NULL.
  private mutating func fillBuffer(
    _ index: Int, _ parameter: Signature.Parameter, _ given: Value, _ length: LengthExpression, _ lengths: inout [Int: Int]
  ) throws(CallError) -> Int {
    let type = parameter.type
    let argument = try given.zeros(of: type) ?? given
    // NULL is a buffer without elements.
    if argument == .null || argument == .string(nil), length.constant == nil,
      length.parameter.map({ lengths[$0] ?? 0 == 0 }) ?? true
    {
      if let parameter = length.parameter { lengths[parameter] = 0 }
      return 0
    }
    let fits =
      switch argument {
      case .string: type.isByte
      case .memory(let memory): memory.type.hasSameLayout(as: type) || memory.type.isByte && type.isByte
      default: true
      }
    guard fits, let count = argument.bufferCount else { throw .wrongBuffer(argument.shown, type) }
    if let expected = length.constant {
      guard count == expected else { throw .wrongElementCount(count, .array(type, count: expected)) }
    } else if let lengthIndex = length.parameter {
      let number = length.isInBytes ? count * type.size : count
      if let other = lengths[lengthIndex], other != number {
        throw .unequalLengths(count, other, signature.parameters[lengthIndex].name ?? "")
      }
      lengths[lengthIndex] = number
    }
    switch argument {
    case .packedArray(let packed)
    where !parameter.givesBack && !isKept(parameter) && packed.elementType.hasSameLayout(as: type) && !length.isTerminated:
      try lend(UnsafeMutableRawBufferPointer(mutating: packed.bytes), index, parameter, count)
    case .memory(let memory):
      if length.isTerminated { try checkTerminated(memory) }
      if isKept(parameter) { lasting.keep(memory) }
      try lend(memory.withUnsafeMutableBytes { $0 }, index, parameter, count)
    default:
      _ = try size(of: Int128(count), type)
      // C declares text that it does not change as `char *const argv[]`, too.
      let isText = !parameter.givesBack && type == .pointer(.toChar) && argument.elements?.contains { $0.isText } ?? false
      let place =
        isKept(parameter)
        ? try argument.allocateElements(as: isText ? .string : type, length, &lasting)
        : try argument.allocateElements(as: isText ? .string : type, length, &arena)
      buffers[index] = (place, count)
      point(index, to: place)
    }
    return count
  }

  /// Throws if no element of memory is zero, where a function would read on behind it.
  private func checkTerminated(_ memory: ForeignMemory) throws(CallError) {
    let size = memory.type.size
    let isTerminated = memory.withUnsafeMutableBytes { bytes in
      (0..<memory.count).contains { index in bytes[index * size..<(index + 1) * size].allSatisfy { $0 == 0 } }
    }
    if !isTerminated { throw .wrongBuffer("memory without a zero element", memory.type) }
  }

  /// Passes memory that exists for as long as the argument.
  private mutating func lend(
    _ memory: UnsafeMutableRawBufferPointer, _ index: Int, _ parameter: Signature.Parameter, _ count: Int
  ) throws(CallError) {
    _ = try size(of: Int128(count), parameter.type)
    guard let start = memory.baseAddress else { return }
    arena.lend(memory)
    if parameter.givesBack { buffers[index] = (start, count) }
    point(index, to: start)
  }

  /// The size of a buffer in bytes. Throws a `CallError` with the code `bufferSize` if it exceeds the limit.
  private func size(of count: Int128, _ type: CType) throws(CallError) -> Int {
    guard count >= 0 else { throw .negativeCount("\(count)") }
    let size = count.multipliedReportingOverflow(by: Int128(type.size))
    guard !size.overflow, size.partialValue <= Int128(maximumBufferSize) else {
      throw .bufferTooLarge(count, type, limit: maximumBufferSize)
    }
    return Int(size.partialValue)
  }

  /// The value of a factor of a length now.
  private borrowing func value(_ factor: LengthExpression.Factor) -> Int128? {
    let (type, place) =
      if case .parameter(let index) = factor {
        (signature.parameters[index].type, self.place(index))
      } else {
        (signature.result, memory + layout.result)
      }
    return type.integer.map { Value.integer($0, at: place) }
  }

  /// The memory of the value of a parameter that is no buffer: the argument, or, if C sees a pointer, its target.
  private borrowing func place(_ index: Int) -> UnsafeMutableRawPointer {
    let target = layout.targets[index]
    return memory + (target > 0 ? target : layout.arguments[index])
  }

  /// Returns the memory of a parameter's value, and makes the argument a pointer to it if C sees one.
  private func target(_ index: Int) -> UnsafeMutableRawPointer {
    let place = place(index)
    if layout.targets[index] > 0 { point(index, to: place) }
    return place
  }

  /// Makes an argument a pointer.
  private func point(_ index: Int, to place: UnsafeMutableRawPointer) {
    (memory + layout.arguments[index]).storeBytes(of: place, as: UnsafeMutableRawPointer.self)
  }

  // MARK: Out

  /// The memory of arguments with their positions.
  var memoryOfArguments: [(position: Int, name: String?, memory: ForeignMemory)] {
    guard !lent.isEmpty else { return [] }
    return lent.keys.sorted().compactMap { index in
      lent[index].map { (position(index), signature.parameters[index].name, $0) }
    }
  }

  /// The position of a parameter among the caller's arguments.
  private borrowing func position(_ index: Int) -> Int { layout.takesArgument[..<index].count { $0 } }

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
  mutating func outcome() throws(CallError) -> Value {
    try checkEnds()
    let written = memoryOfArguments.filter { $0.memory.isWrittenByC }
    guard !written.isEmpty else { return try declaredOutcome() }
    let declared = try declaredOutcome()
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
  private mutating func declaredOutcome() throws(CallError) -> Value {
    guard signature.parameters.contains(where: \.givesBack) else { return try result() }
    // References first, which are released if the rest cannot be read.
    var made: [Int: Value] = [:]
    for (index, parameter) in signature.parameters.enumerated() where parameter.givesBack && parameter.type.isReference {
      made[index] = try output(index, parameter)
    }
    let result = try self.result()
    var fields = signature.result == .void ? [] : [Value.Field("return", result)]
    for (index, parameter) in signature.parameters.enumerated() where parameter.givesBack {
      let value = if let reference = made[index] { reference } else { try output(index, parameter) }
      fields.append(Value.Field(parameter.name ?? "", value))
    }
    return .structure(fields)
  }

  private borrowing func result() throws(CallError) -> Value {
    try read(signature.result, at: memory + layout.result, signature.resultOwnership)
  }

  /// Reads a result or output.
  private borrowing func read(
    _ type: CType, at place: UnsafeRawPointer, _ ownership: Signature.Ownership
  ) throws(CallError) -> Value {
    guard case .reference(let reference) = type else {
      return try Value.read(
        type, at: place, limit: maximumBufferSize, end: place + type.size, owner: call.library, siblings: { value($0) })
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

  private mutating func output(_ index: Int, _ parameter: Signature.Parameter) throws(CallError) -> Value {
    guard case .buffer(let direction, let length, let used) = parameter.passing else {
      // A function that leaves a reference in its place has not made a second owner of it.
      if let reference = references[index], reference.address.address == place(index).load(as: UInt.self) {
        return .reference(reference)
      }
      return try read(parameter.type, at: place(index), parameter.ownership)
    }
    guard let buffer = buffers[index] else { return .null }
    var count = buffer.count
    if !length.isTerminated, let written = (used ?? length).count(elementSize: parameter.type.size, { value($0) }) {
      count = Int(max(0, min(written, Int128(count))))
    }
    if parameter.type.isReference, direction == .output {
      var elements: [Value] = []
      for element in 0..<count {
        elements.append(try read(parameter.type, at: buffer.memory + element * parameter.type.size, parameter.ownership))
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
      parameter.type, count: count, at: buffer.memory, limit: maximumBufferSize, owner: call.library)
  }

  /// Frees the memory that the function has handed over; not memory that it was given and left in its place. References free themselves.
  borrowing func free() {
    func free(_ name: String, _ place: UnsafeRawPointer) {
      guard let pointer = place.load(as: UnsafeMutableRawPointer?.self), !arena.owns(pointer), !lasting.owns(pointer) else {
        return
      }
      call.functions[name]?(pointer)
    }
    if let deallocator = signature.resultOwnership.deallocator, !signature.result.isReference {
      free(deallocator, memory + layout.result)
    }
    for (index, parameter) in signature.parameters.enumerated() where !parameter.type.isReference {
      guard let deallocator = parameter.ownership.deallocator else { continue }
      if let buffer = buffers[index] {
        for element in 0..<buffer.count { free(deallocator, buffer.memory + element * parameter.type.size) }
      } else if !parameter.isBuffer {
        free(deallocator, place(index))
      }
    }
  }

  /// The fault if the call has failed by the signature's rule, and nil if it has succeeded.
  ///
  /// - Parameter code: `errno` after the call.
  borrowing func failure(errno code: Int32) -> CallError? {
    call.failure(errno: code, result: memory + layout.result) { UnsafeRawPointer(place($0)) }
  }
}
