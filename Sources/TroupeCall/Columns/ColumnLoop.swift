internal import CColumns

/// A loop over rows in the form of NumPy's ufuncs: the loop of a function whose parameters and result are numbers, or the vectorized body
/// of a function. It may run on any thread, also on several at once, if the function may.
package final class ColumnLoop: @unchecked Sendable {
  // Sendable because everything is constant, also the memory.
  /// The address of the loop, a `columns_loop`.
  package let function: UInt
  /// The address of the last argument for it; 0 for NULL.
  package let data: UInt
  /// The memory that `data` leads to, or that of `locked`.
  private let memory: UnsafeMutablePointer<columns_function>?
  /// What `data` leads to for a loop that one thread at a time may run.
  private let locked: Locked?

  /// A loop with the lock that it takes.
  private final class Locked {
    let loop: columns_loop
    let function: UnsafeMutablePointer<columns_function>
    let lock: CallLock

    init(_ loop: columns_loop, _ function: UnsafeMutablePointer<columns_function>, _ lock: CallLock) {
      (self.loop, self.function, self.lock) = (loop, function, lock)
    }

    static let run: columns_loop = { arguments, rows, steps, data in
      guard let data else { return }
      Unmanaged<Locked>.fromOpaque(data)._withUnsafeGuaranteedRef { locked in
        locked.lock.lock(for: locked.function.pointee.address)
        locked.loop(arguments, rows, steps, locked.function)
        locked.lock.unlock()
      }
    }
  }

  /// Uses a vectorized body.
  package init(body: UInt) { (function, data, memory, locked) = (body, 0, nil, nil) }

  /// Makes the loop of a function. Nil for more than eight parameters, other types than numbers and pointers, and signatures that a loop
  /// cannot follow, such as one with a rule for failures.
  package init?(_ call: PreparedCall) {
    let signature = call.signature
    guard signature.isPlain, signature.parameters.count <= Int(COLUMNS_MAXIMUM),
      !signature.parameters.contains(where: \.isNonnull),
      let result = signature.result == .void ? COLUMNS_VOID : Self.kind(signature.result)
    else { return nil }
    var function = columns_function(
      address: call.function, parameter_count: UInt8(signature.parameters.count), result: UInt8(result.rawValue),
      parameters: (0, 0, 0, 0, 0, 0, 0, 0))
    let kinds = signature.parameters.compactMap { Self.kind($0.type) }
    guard kinds.count == signature.parameters.count else { return nil }
    withUnsafeMutableBytes(of: &function.parameters) { parameters in
      for (index, kind) in kinds.enumerated() { parameters[index] = UInt8(kind.rawValue) }
    }
    guard let loop = columns_loop_for(&function) else { return nil }
    let memory = UnsafeMutablePointer<columns_function>.allocate(capacity: 1)
    memory.initialize(to: function)
    self.memory = memory
    locked = call.lock.map { Locked(loop, memory, $0) }
    self.function = Self.address(locked == nil ? loop : Locked.run)
    data = locked.map { UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) } ?? UInt(bitPattern: memory)
  }

  deinit { memory?.deallocate() }

  private static func address(_ loop: columns_loop) -> UInt { UInt(bitPattern: unsafeBitCast(loop, to: UnsafeRawPointer.self)) }

  /// Runs the loop.
  func callAsFunction(
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>>, rows: Int, steps: UnsafePointer<Int>
  ) {
    // Made from the address of a function, which is not NULL.
    let address = UnsafeRawPointer(bitPattern: function).unsafelyUnwrapped
    let loop = unsafeBitCast(address, to: columns_loop.self)
    var rows = rows
    loop(arguments, &rows, steps, UnsafeMutableRawPointer(bitPattern: data))
  }

  private static func kind(_ type: CType) -> columns_kind? {
    if case .function = type { return nil }
    switch Column.Element(type) {
    case .bool: return COLUMNS_BOOL
    case .int8: return COLUMNS_INT8
    case .int16: return COLUMNS_INT16
    case .int32: return COLUMNS_INT32
    case .int64: return COLUMNS_INT64
    case .uint8: return COLUMNS_UINT8
    case .uint16: return COLUMNS_UINT16
    case .uint32: return COLUMNS_UINT32
    case .uint64, .pointer, .string: return COLUMNS_UINT64
    case .float: return COLUMNS_FLOAT
    case .double: return COLUMNS_DOUBLE
    case .longDouble, .complex, .memory, nil: return nil
    }
  }
}

extension Signature {
  /// True if all parameters and the result are numbers or booleans, passed by value, and the signature has no rule for failures.
  package var isNumeric: Bool {
    guard isPlain, result != .void else { return false }
    return ([result] + parameters.map(\.type)).allSatisfy { type in
      switch type {
      case .bool, .integer, .enumeration, .float, .double: true
      default: false
      }
    }
  }
}
