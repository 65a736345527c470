/// The layout of the single allocation that holds a call's registers, outputs and result.
struct CallLayout: Sendable {
  /// How a function is called.
  enum Path: Sendable {
    /// Through registers.
    case registers(RegisterPlan)
    /// Through libffi.
    case libffi(CallInterface)
  }

  /// The offset, size and extension of one argument.
  struct Slot: Sendable, BitwiseCopyable {
    let offset: Int
    let size: Int
    /// Whether it is a narrow integer that is extended to a whole word, and with its sign.
    let extends: Bool
    let isSigned: Bool

    init(offset: Int, type: CType) {
      self.offset = offset
      size = type.size
      extends = type.size < 8 && (type.integer != nil || type == .bool)
      isSigned = type.integer?.isSigned ?? false
    }

    /// Copies an argument, which need not be aligned, into the memory of a call.
    ///
    /// - Parameter limit: The size of the argument's memory if it is less than C's, which counts the padding at the end of a struct.
    func copy(_ argument: UnsafeRawPointer, to memory: UnsafeMutableRawPointer, limit: Int = .max) {
      let place = memory + offset
      guard extends else {
        guard size % 8 == 0, size <= min(64, limit) else {
          return place.copyMemory(from: argument, byteCount: min(size, limit))
        }
        // In words, since a wider load would wait for the stores of the members, which a caller has often just written.
        for offset in stride(from: 0, to: size, by: 8) {
          place.storeBytes(
            of: argument.loadUnaligned(fromByteOffset: offset, as: UInt64.self), toByteOffset: offset, as: UInt64.self)
        }
        return
      }
      let word: UInt64 =
        switch (size, isSigned) {
        case (1, true): UInt64(truncatingIfNeeded: argument.loadUnaligned(as: Int8.self))
        case (1, false): UInt64(argument.loadUnaligned(as: UInt8.self))
        case (2, true): UInt64(truncatingIfNeeded: argument.loadUnaligned(as: Int16.self))
        case (2, false): UInt64(argument.loadUnaligned(as: UInt16.self))
        case (_, true): UInt64(truncatingIfNeeded: argument.loadUnaligned(as: Int32.self))
        case (_, false): UInt64(argument.loadUnaligned(as: UInt32.self))
        }
      place.storeBytes(of: word, as: UInt64.self)
    }
  }

  /// How the function is called.
  let path: Path
  /// The arguments as C sees them.
  let slots: [Slot]
  /// Where each argument is, in the order of the parameters.
  let arguments: [Int]
  /// Where the addresses of the arguments begin.
  let addresses: Int
  /// Where the memory begins that an `out` or `inout` parameter points to, by the parameter's index; 0 for the others.
  let targets: [Int]
  /// Where the result is: among the registers, or at the end.
  let result: Int
  let resultSize: Int
  let size: Int
  /// The number of bytes that the call pushes to the stack.
  let stackSize: Int

  /// Offset of a parameter's value, not of a buffer. C sees the value itself or, for `out` and `inout`, a pointer to it.
  func valueOffset(_ index: Int) -> Int { targets[index] > 0 ? targets[index] : arguments[index] }

  /// Lays out a call.
  ///
  /// - Parameter variadicTypes: The types of arguments behind those of the parameters.
  /// - Throws: A `CallError` with the code `unsupportedSignature` if libffi cannot make such a call on this machine.
  init(_ signature: Signature, _ backend: PreparedCall.Backend, variadicTypes: [CType]) throws(CallError) {
    let result = signature.result
    var types: [CType] = []
    for (index, parameter) in signature.parameters.enumerated() {
      let type = parameter.typeInC
      types.append(signature.fixedCount.map { index >= $0 } ?? false ? type.promoted : type)
    }
    types += variadicTypes
    if backend == .automatic, let plan = RegisterPlan(result: result, parameters: types) {
      path = .registers(plan)
    } else {
      do {
        path = .libffi(try CallInterface(result: result, parameters: types, fixedCount: signature.fixedCount))
      } catch {
        throw .unsupported(signature, problem: error.problem)
      }
    }
    var end: Int
    switch path {
    case .registers(let plan):
      arguments = plan.offsets
      end = plan.size
      addresses = 0
      stackSize = 8 * plan.stackWords
    case .libffi:
      end = 0
      var offsets: [Int] = []
      for type in types {
        offsets.append(end)
        // Scalars are written as whole words.
        end += max(8, type.size).roundedUp(to: 16)
      }
      arguments = offsets
      addresses = end
      stackSize = end
      end += types.count * MemoryLayout<UnsafeRawPointer>.size
    }
    end = end.roundedUp(to: 16)
    var targets: [Int] = []
    for parameter in signature.parameters {
      guard case .pointer = parameter.passing else {
        targets.append(0)
        continue
      }
      targets.append(end)
      end += max(8, parameter.type.size).roundedUp(to: 16)
    }
    self.targets = targets
    let offsets = arguments
    slots = types.indices.map { Slot(offset: offsets[$0], type: types[$0]) }
    if case .registers(let plan) = path, let offset = plan.result { self.result = offset } else { self.result = end }
    resultSize = result.size
    size = end + max(16, result.size.roundedUp(to: 16))
  }
}
