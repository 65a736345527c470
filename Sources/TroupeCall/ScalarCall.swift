internal import CCallbacks
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
  private let resultOffset: Int
  private let stackWords: Int

  /// The most memory for the registers and the stack words of such a call.
  private static var maximumSize: Int { Int(TROUPE_STACK) + 128 }

  /// Nil if the signature has anything else, or needs libffi or more memory than the maximum.
  init?(_ signature: Signature, _ layout: CallLayout) {
    guard case .registers(let plan) = layout.path, plan.size <= Self.maximumSize, signature.isPlain,
      let result = Kind(signature.result), let resultOffset = plan.result
    else { return nil }
    var parameters: [(kind: Kind, offset: Int)] = []
    for (index, parameter) in signature.parameters.enumerated() {
      guard let kind = Kind(parameter.type) else { return nil }
      parameters.append((kind, plan.offsets[index]))
    }
    (self.parameters, self.result, self.resultOffset, stackWords) = (parameters, result, resultOffset, plan.stackWords)
  }

  /// Calls a function. Nil, and it has not run, if there is an argument that is not just what its parameter is.
  func call(_ function: UnsafeRawPointer, _ arguments: [Value]) -> Value? {
    guard arguments.count == parameters.count else { return nil }
    return withUnsafeTemporaryAllocation(byteCount: Self.maximumSize, alignment: 16) { registers in
      guard let memory = registers.baseAddress else { return nil }
      memset(memory, 0, Int(TROUPE_RESULTS))
      for (index, parameter) in parameters.enumerated() {
        guard let word = Self.word(arguments[index], parameter.kind) else { return nil }
        memory.storeBytes(of: word, toByteOffset: parameter.offset, as: UInt64.self)
      }
      troupe_call(function, memory.assumingMemoryBound(to: troupe_registers.self), stackWords)
      return value((memory + resultOffset).load(as: UInt64.self))
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
