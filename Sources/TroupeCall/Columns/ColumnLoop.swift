internal import CColumns

/// A loop over rows in the form of NumPy's ufuncs: the loop of a function whose parameters and result are numbers, or the vectorized body
/// of a function. It may run on any thread, also on several at once, if the function may.
package final class ColumnLoop: @unchecked Sendable {
  // Sendable because everything is constant, also the memory.
  /// The address of the loop, a `columns_loop`.
  package let function: UInt
  /// The address of the last argument for it; 0 for NULL.
  package let data: UInt
  /// The memory that `data` leads to.
  private let memory: [UnsafeMutableRawPointer]
  /// The lock that the loop takes; nil if several threads may run it at once.
  private let lock: CallLock?

  /// Uses a vectorized body.
  package init(body: UInt) { (function, data, memory, lock) = (body, 0, [], nil) }

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
    lock = call.lock
    guard let lock else {
      (self.function, data) = (Self.address(loop), UInt(bitPattern: memory))
      self.memory = [UnsafeMutableRawPointer(memory)]
      return
    }
    let locked = UnsafeMutablePointer<columns_locked>.allocate(capacity: 1)
    locked.initialize(to: columns_locked(loop: loop, data: memory, mutex: lock.mutex))
    (self.function, data) = (Self.address(columns_locked_loop), UInt(bitPattern: locked))
    self.memory = [UnsafeMutableRawPointer(memory), UnsafeMutableRawPointer(locked)]
  }

  deinit { for block in memory { block.deallocate() } }

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
