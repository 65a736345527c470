internal import Glibc

/// One call: its arguments on their way in, what it gives back on its way out. The memory is laid out by `CallLayout` and is
/// zero at first.
struct CallFrame: ~Copyable {
  /// A buffer that the function got.
  private struct Buffer {
    let memory: UnsafeMutableRawPointer
    /// How many elements there is room for.
    let count: Int
  }

  private let signature: Signature
  /// The largest size of a buffer in bytes.
  private let maximumBufferSize: Int
  private let layout: CallLayout
  private let memory: UnsafeMutableRawPointer
  private var arena: CallArena
  /// The buffers, by the index of the parameter.
  private var buffers: [Int: Buffer] = [:]

  init(
    signature: Signature, maximumBufferSize: Int, layout: CallLayout, memory: UnsafeMutableRawPointer,
    arena: consuming CallArena
  ) {
    self.signature = signature
    self.maximumBufferSize = maximumBufferSize
    self.layout = layout
    self.memory = memory
    self.arena = arena
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
        } else if case .reference = parameter.passing {
          point(index, to: memory + layout.targets[index])
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
    for (index, type) in extra.enumerated() {
      try write(arguments[next + index], as: type, to: memory + layout.arguments[signature.parameters.count + index])
    }
  }

  /// Writes an argument that is not a buffer.
  private mutating func fill(
    _ index: Int, _ parameter: Signature.Parameter, _ argument: Value
  ) throws(CallError) {
    switch parameter.passing {
    case .value:
      let place = memory + layout.arguments[index]
      guard let fixed = signature.fixedCount, index >= fixed else { return try write(argument, as: parameter.type, to: place) }
      // It has to fit what is listed, and is passed as what that is promoted to.
      try write(try argument.converted(to: parameter.type), as: parameter.type.promoted, to: place)
    case .reference:
      point(index, to: memory + layout.targets[index])
      try argument.write(as: parameter.type, to: memory + layout.targets[index], &arena)
    case .buffer: break
    }
  }

  /// Writes an argument; a scalar as a whole word, as registers and the stack have it.
  private mutating func write(_ argument: Value, as type: CType, to place: UnsafeMutableRawPointer) throws(CallError) {
    guard let integer = type.integer, integer.width < 64 else { return try argument.write(as: type, to: place, &arena) }
    if case .integer(let value) = try argument.converted(to: type) {
      place.storeBytes(of: UInt64(truncatingIfNeeded: value), as: UInt64.self)
    }
  }

  /// Allocates and writes the buffers that the caller gives, and their lengths; then the others, which may be as long.
  private mutating func fillBuffers(_ arguments: [Value]) throws(CallError) {
    var next = 0
    var lengths: [Int: Int] = [:]
    for (index, parameter) in signature.parameters.enumerated() where layout.takesArgument[index] {
      let position = next
      next += 1
      guard case .buffer(_, let length) = parameter.passing else { continue }
      do {
        try fillBuffer(index, parameter, arguments[position], length, &lengths)
      } catch {
        throw error.about(argument: position, name: parameter.name)
      }
    }
    for (index, count) in lengths { try fillLength(index, count) }
    for (index, parameter) in signature.parameters.enumerated() where !layout.takesArgument[index] {
      if case .buffer(_, let length) = parameter.passing { try allocate(index, parameter, count: capacity(length)) }
    }
  }

  /// Writes the length of buffers that the caller gives.
  private mutating func fillLength(_ index: Int, _ count: Int) throws(CallError) {
    let parameter = signature.parameters[index]
    let value = Value.integer(Int128(count))
    do {
      if case .reference = parameter.passing {
        point(index, to: memory + layout.targets[index])
        try value.write(as: parameter.type, to: memory + layout.targets[index], &arena)
      } else {
        try write(value, as: parameter.type, to: memory + layout.arguments[index])
      }
    } catch {
      throw .tooLong(count, parameter)
    }
  }

  private mutating func fillBuffer(
    _ index: Int, _ parameter: Signature.Parameter, _ argument: Value, _ length: Signature.Parameter.Length,
    _ lengths: inout [Int: Int]
  ) throws(CallError) {
    // NULL is a buffer without elements.
    if argument == .null, case .parameter(let lengthIndex) = length, lengths[lengthIndex] ?? 0 == 0 {
      lengths[lengthIndex] = 0
      return
    }
    let array = CType.array(parameter.type, count: 0)
    var elements: (any RandomAccessCollection<Value>)?
    var bytes: [UInt8]?
    switch argument {
    case .bytes(let given) where array.isBytes: bytes = given
    case .string(let text?) where array.isBytes: bytes = Array(text.utf8)
    default: elements = argument.elements
    }
    guard let count = bytes?.count ?? elements?.count else { throw .wrongBuffer(argument.shown, parameter.type) }
    switch length {
    case .constant(let expected):
      guard count == expected else { throw .wrongElementCount(count, expected, .array(parameter.type, count: expected)) }
    case .parameter(let lengthIndex):
      if let other = lengths[lengthIndex], other != count {
        throw .unequalLengths(count, other, signature.parameters[lengthIndex].name ?? "")
      }
      lengths[lengthIndex] = count
    }
    if case .packedArray(let packed) = argument, packed.elementType.hasSameMemory(as: parameter.type),
      case .buffer(.input, _) = parameter.passing
    {
      return try lend(packed, index, parameter)
    }
    let place = try allocate(index, parameter, count: Int128(count))
    if let bytes {
      bytes.withUnsafeBytes { if let start = $0.baseAddress { place.copyMemory(from: start, byteCount: $0.count) } }
    } else if let elements {
      try Value.write(elements, as: parameter.type, to: place, &arena)
    }
  }

  /// Passes the memory of an array to a function that only reads it.
  private mutating func lend(
    _ array: Value.PackedArray, _ index: Int, _ parameter: Signature.Parameter
  ) throws(CallError) {
    _ = try size(of: Int128(array.count), parameter.type)
    let memory = UnsafeMutableRawBufferPointer(mutating: array.bytes)
    guard let start = memory.baseAddress else { return }
    arena.lend(memory)
    point(index, to: start)
  }

  /// The size of a buffer in bytes. Throws a `CallError` with the code `bufferSize` if it exceeds the limit.
  private func size(of count: Int128, _ type: CType) throws(CallError) -> Int {
    guard count >= 0 else { throw .negativeCount(count) }
    let size = count.multipliedReportingOverflow(by: Int128(type.size))
    guard !size.overflow, size.partialValue <= Int128(maximumBufferSize) else {
      throw .bufferTooLarge(count, type, limit: maximumBufferSize)
    }
    return Int(size.partialValue)
  }

  /// How many elements there is room for: what the caller has said, or as many as a buffer has that is given.
  private func capacity(_ length: Signature.Parameter.Length) throws(CallError) -> Int128 {
    switch length {
    case .constant(let count): return Int128(count)
    case .parameter(let index):
      guard case .integer(let count) = try lengthValue(index) else { return 0 }
      return count
    }
  }

  /// What a length parameter holds now.
  private func lengthValue(_ index: Int) throws(CallError) -> Value {
    let parameter = signature.parameters[index]
    let place = parameter.isPointerInC ? layout.targets[index] : layout.arguments[index]
    return try Value.read(parameter.type, at: memory + place)
  }

  @discardableResult
  private mutating func allocate(
    _ index: Int, _ parameter: Signature.Parameter, count: Int128
  ) throws(CallError) -> UnsafeMutableRawPointer {
    guard let place = arena.allocate(try size(of: count, parameter.type)) else { throw .noRoom(count, parameter.type) }
    buffers[index] = Buffer(memory: place, count: Int(count))
    point(index, to: place)
    return place
  }

  /// Makes an argument a pointer.
  private func point(_ index: Int, to place: UnsafeMutableRawPointer) {
    (memory + layout.arguments[index]).storeBytes(of: place, as: UnsafeMutableRawPointer.self)
  }

  // MARK: Out

  /// What the call gave back.
  mutating func outcome() throws(CallError) -> Value {
    let result = try self.result()
    guard signature.parameters.contains(where: \.givesBack) else { return result }
    var fields = signature.result == .void ? [] : [Value.Field("return", result)]
    for (index, parameter) in signature.parameters.enumerated() where parameter.givesBack {
      fields.append(Value.Field(parameter.name ?? "", try output(index, parameter)))
    }
    return .structure(fields)
  }

  private func result() throws(CallError) -> Value {
    let place = memory + layout.result
    guard let length = signature.resultLength else {
      return try Value.read(signature.result, at: place, limit: maximumBufferSize)
    }
    guard let start = UnsafeRawPointer(bitPattern: place.load(as: UInt.self)) else { return .null }
    guard case .integer(let count) = try lengthValue(length), let count = Int(exactly: count), count >= 0 else {
      throw .wrongLength(signature.parameters[length])
    }
    let size = count.multipliedReportingOverflow(by: signature.result.size)
    guard !size.overflow, size.partialValue <= maximumBufferSize else {
      throw .resultTooLarge(count, signature.result, limit: maximumBufferSize)
    }
    return try Value.readBuffer(signature.result, count: count, at: start, limit: maximumBufferSize)
  }

  private mutating func output(_ index: Int, _ parameter: Signature.Parameter) throws(CallError) -> Value {
    guard case .buffer(_, let length) = parameter.passing else {
      return try Value.read(parameter.type, at: memory + layout.targets[index], limit: maximumBufferSize)
    }
    guard let buffer = buffers[index] else { return .null }
    var count = buffer.count
    if case .parameter(let lengthIndex) = length, case .integer(let written) = try lengthValue(lengthIndex) {
      count = Int(max(0, min(written, Int128(count))))
    }
    // What the function hands over in the elements is freed after this, even if the rest cannot be read.
    if parameter.owner == nil, parameter.type.isPackable, !CType.array(parameter.type, count: 0).isBytes,
      arena.handOver(buffer.memory, using: count * parameter.type.size)
    {
      return .packedArray(Value.PackedArray(parameter.type, count: count, owning: buffer.memory))
    }
    return try Value.readBuffer(parameter.type, count: count, at: buffer.memory, limit: maximumBufferSize)
  }

  /// Frees what the function has handed over; not what it has been given and left in its place.
  borrowing func free(_ owners: [String: @convention(c) (UnsafeMutableRawPointer?) -> Void]) {
    func free(_ name: String, _ place: UnsafeRawPointer) {
      guard let pointer = place.load(as: UnsafeMutableRawPointer?.self), !arena.owns(pointer) else { return }
      owners[name]?(pointer)
    }
    if let owner = signature.resultOwner { free(owner, memory + layout.result) }
    for (index, parameter) in signature.parameters.enumerated() {
      guard let owner = parameter.owner else { continue }
      if let buffer = buffers[index] {
        for element in 0..<buffer.count { free(owner, buffer.memory + element * parameter.type.size) }
      } else {
        free(owner, memory + layout.targets[index])
      }
    }
  }
}

extension Signature {
  /// Whether a result is the one by which C functions say that they failed: -1, NULL or false.
  func isFailure(_ place: UnsafeRawPointer) -> Bool {
    if resultLength != nil { return place.load(as: UInt.self) == 0 }
    switch result {
    case .bool: return place.load(as: UInt8.self) == 0
    case .string, .pointer, .function: return place.load(as: UInt.self) == 0
    case .integer, .enumeration:
      guard let integer = result.integer, case .integer(let value) = try? Value.read(result, at: place) else { return false }
      return value == (integer.isSigned ? -1 : integer.range.upperBound)
    default: return false
    }
  }
}
