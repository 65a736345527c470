internal import CFFI
internal import Glibc

/// A call that takes and gives nothing but numbers and pointers, which is what most are: it needs no memory but the registers.
struct ScalarCall {
  /// What a parameter or result is.
  private enum Kind {
    case void, bool, float, double, pointer
    case integer(range: ClosedRange<Int128>, CType.Integer)

    init?(_ type: CType) {
      switch type {
      case .void: self = .void
      case .bool: self = .bool
      case .float: self = .float
      case .double: self = .double
      case .pointer: self = .pointer
      case .integer(let integer): self = .integer(range: integer.range, integer)
      default: return nil
      }
    }
  }

  private let parameters: [(kind: Kind, offset: Int)]
  private let result: Kind
  private let plan: RegisterPlan

  /// Nil if the signature has anything else, or needs libffi or more stack words than a `troupe_registers` has.
  init?(_ signature: Signature, _ layout: CallLayout) {
    guard case .registers(let plan) = layout.path, plan.stackWords <= Int(TROUPE_STACK_WORDS), signature.isPlain,
      let result = Kind(signature.result)
    else { return nil }
    var parameters: [(kind: Kind, offset: Int)] = []
    for (index, parameter) in signature.parameters.enumerated() {
      guard let kind = Kind(parameter.type) else { return nil }
      parameters.append((kind, plan.offsets[index]))
    }
    (self.parameters, self.result, self.plan) = (parameters, result, plan)
  }

  /// Calls a function. Nil, and it has not run, if there is an argument that is not just what its parameter is.
  func call(_ function: UnsafeRawPointer, _ arguments: [Value]) -> Value? {
    guard arguments.count == parameters.count else { return nil }
    return withUnsafeTemporaryAllocation(of: troupe_registers.self, capacity: 1) { registers in
      guard let memory = registers.baseAddress.map({ UnsafeMutableRawPointer($0) }) else { return nil }
      // What is on the stack is looked at only if anything is there.
      memset(memory, 0, plan.stackWords == 0 ? RegisterPlan.stackStart : plan.size)
      for (index, parameter) in parameters.enumerated() {
        guard let word = Self.word(arguments[index], parameter.kind) else { return nil }
        memory.storeBytes(of: word, toByteOffset: parameter.offset, as: UInt64.self)
      }
      var words: (UInt64, UInt64) = (0, 0)
      troupe_call_registers(
        function, registers.baseAddress, plan.usesFloats ? 1 : 0, Int32(plan.stackWords), plan.result, &words)
      return value(words.0)
    }
  }

  /// What a register holds for a value; nil if the value has to be converted first, or does not fit.
  @inline(__always)
  private static func word(_ value: Value, _ kind: Kind) -> UInt64? {
    switch (kind, value) {
    case (.integer(let range, _), .integer(let integer)):
      range.contains(integer) ? UInt64(truncatingIfNeeded: integer) : nil
    case (.double, .double(let number)): number.bitPattern
    case (.float, .float(let number)): UInt64(number.bitPattern)
    case (.bool, .bool(let bool)): bool ? 1 : 0
    case (.pointer, .pointer(let pointer)): UInt64(pointer.address)
    default: nil
    }
  }

  private func value(_ word: UInt64) -> Value {
    switch result {
    case .void: return .void
    case .bool: return .bool(word & 0xFF != 0)
    case .float: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: word)))
    case .double: return .double(Double(bitPattern: word))
    case .pointer: return .pointer(Value.Pointer(address: UInt(word)))
    case .integer(_, let integer):
      // Of a narrow integer only its own bits are certain.
      let unused = UInt64(64 - integer.width)
      let raised = word << unused
      return .integer(integer.isSigned ? Int128(Int64(bitPattern: raised) >> Int64(unused)) : Int128(raised >> unused))
    }
  }
}
