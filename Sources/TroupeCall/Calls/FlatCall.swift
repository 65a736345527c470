/// Calls whose arguments fit in one block of memory, which another process can receive: numbers, and buffers of numbers that the function
/// reads. The result is a number.
///
/// The block has one word for each parameter in C, and then the buffers. The word of a buffer is its offset, which the caller of the function
/// replaces by its address.
package struct FlatCall: Sendable {
  private enum Part: Sendable {
    case number(ScalarKind)
    /// A buffer of elements of a type, and the parameter that is its length.
    case buffer(CType, length: Int, ScalarKind)
    /// The length of a buffer, which the caller does not give.
    case length
  }

  private let parts: [Part]
  private let result: ScalarKind
  /// The plan with the types that C sees.
  private let plan: CallPlan

  /// The alignment of the block and of its buffers.
  package static let alignment = 16

  /// Nil for a signature with anything else, and if libffi makes the call.
  package init?(_ signature: Signature) {
    guard signature.hasPlainResult, signature.parameters.count <= 16, let result = ScalarKind(signature.result),
      result != .pointer
    else { return nil }
    let takesArgument = signature.takesArgument
    var parts: [Part] = []
    for (index, parameter) in signature.parameters.enumerated() {
      switch parameter.passing {
      case .value where !takesArgument[index]: parts.append(.length)
      case .value:
        guard let kind = ScalarKind(parameter.type), kind != .pointer else { return nil }
        parts.append(.number(kind))
      case .buffer(.input, let length, nil):
        guard let other = length.parameter, !length.isInBytes, signature.parameters[other].passing == .value,
          let kind = ScalarKind(signature.parameters[other].type), let element = ScalarKind(parameter.type),
          element != .pointer
        else { return nil }
        parts.append(.buffer(parameter.type, length: other, kind))
      default: return nil
      }
    }
    let plain = Signature(
      result: signature.result,
      parameters: signature.parameters.map { Signature.Parameter(type: $0.isBuffer ? .pointer(.toVoid) : $0.type, name: nil) })
    guard let plan = try? CallPlan(plain, .automatic), plan.wordResult != nil else { return nil }
    (self.parts, self.result, self.plan) = (parts, result, plan)
  }

  // MARK: The process with the arguments

  /// Writes arguments to a block. Returns its size, or nil if an argument needs a conversion or does not fit.
  ///
  /// - Parameter block: Aligned memory. The words begin at `start`.
  package func write(_ arguments: [Value], to block: UnsafeMutableRawBufferPointer, at start: Int) -> Int? {
    var end = start + 8 * parts.count
    guard end <= block.count else { return nil }
    var next = 0
    var lengths: UInt32 = 0
    for (index, part) in parts.enumerated() {
      if case .length = part { continue }
      guard next < arguments.count else { return nil }
      let argument = arguments[next]
      next += 1
      let word: UInt64?
      switch part {
      case .number(let kind): word = argument.word(kind)
      case .buffer(let type, let length, let kind):
        end = (end + Self.alignment - 1) / Self.alignment * Self.alignment
        guard let size = argument.copyElements(of: type, to: block, at: end) else { return nil }
        guard let count = Value.integer(Int128(size / type.size)).word(kind) else { return nil }
        let place = start + 8 * length
        // Buffers that share a length have equal counts.
        if lengths & 1 << UInt32(length) != 0, block.load(fromByteOffset: place, as: UInt64.self) != count { return nil }
        block.storeBytes(of: count, toByteOffset: place, as: UInt64.self)
        lengths |= 1 << UInt32(length)
        word = UInt64(end)
        end += size
      case .length: word = nil
      }
      guard let word else { return nil }
      block.storeBytes(of: word, toByteOffset: start + 8 * index, as: UInt64.self)
    }
    return next == arguments.count ? end : nil
  }

  /// The result that a word holds.
  package func value(_ word: UInt64) -> Value { Value(word: word, result) }

  // MARK: The process with the function

  /// The function, ready for blocks.
  package struct Function: Sendable {
    private let call: FlatCall
    private let function: UInt

    /// Nil if there is no such call.
    package init?(_ prepared: PreparedCall) {
      guard let call = FlatCall(prepared.signature) else { return nil }
      (self.call, function) = (call, UInt(bitPattern: prepared.function))
    }

    /// Calls the function with the arguments in a block. Returns the word of the result; nil if the block is malformed.
    package func run(_ block: UnsafeMutableRawBufferPointer, at start: Int) -> UInt64? {
      guard start + 8 * call.parts.count <= block.count, let base = block.baseAddress,
        let function = UnsafeRawPointer(bitPattern: function)
      else { return nil }
      return call.plan.callWords(function) { index, _ in
        let word = block.load(fromByteOffset: start + 8 * index, as: UInt64.self)
        guard case .buffer = call.parts[index] else { return word }
        return word <= UInt64(block.count) ? UInt64(UInt(bitPattern: base)) + word : nil
      }
    }
  }
}

extension Value {
  /// Copies the elements of a buffer. Returns their size in bytes; nil if they are of another type, or there is no room.
  fileprivate func copyElements(of type: CType, to block: UnsafeMutableRawBufferPointer, at offset: Int) -> Int? {
    func copy(_ bytes: UnsafeRawBufferPointer) -> Int? {
      guard offset <= block.count, bytes.count <= block.count - offset else { return nil }
      UnsafeMutableRawBufferPointer(rebasing: block[offset...]).copyMemory(from: bytes)
      return bytes.count
    }
    return switch self {
    case .packedArray(let elements) where elements.elementType.hasSameLayout(as: type): elements.withUnsafeBytes(copy)
    case .bytes(let bytes) where type.isByte: bytes.withUnsafeBytes(copy)
    case .memory(let memory) where memory.type.hasSameLayout(as: type) || memory.type.isByte && type.isByte:
      memory.withUnsafeMutableBytes { copy(UnsafeRawBufferPointer($0)) }
    default: nil
    }
  }
}
