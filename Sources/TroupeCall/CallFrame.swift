/// The memory of one call, in one piece: where each argument is, the arguments, the result, the text of the strings.
///
///     | address of each argument | arguments, 8 bytes each | result, 16 bytes | text of strings |
struct CallFrame: ~Copyable {
  /// Enough for any scalar.
  private static let slotSize = 8
  private static let resultSize = 16

  /// The address of each argument, in the order of the parameters.
  let argumentAddresses: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  /// Where the call leaves its result.
  let resultAddress: UnsafeMutableRawPointer
  private var argumentCount = 0
  /// Where the next string is copied to; as much follows as the strings need.
  private var text: UnsafeMutableRawPointer
  /// The first argument's place; the others follow.
  private let slots: UnsafeMutableRawPointer

  /// Runs `body` with a frame that lives until it returns.
  ///
  /// - Parameters:
  ///   - parameterCount: The number of arguments that `body` appends.
  ///   - stringBytes: The number of UTF-8 bytes that the strings among them have at most, with a NUL behind each.
  static func withFrame<Result>(
    parameterCount: Int, stringBytes: Int, _ body: (inout CallFrame) throws(CallError) -> Result
  ) throws(CallError) -> Result {
    let addressBytes = parameterCount * MemoryLayout<UnsafeMutableRawPointer?>.stride
    let slotBytes = parameterCount * slotSize
    let byteCount = addressBytes + slotBytes + resultSize + stringBytes
    return try withUnsafeTemporaryAllocation(
      byteCount: byteCount, alignment: 16
    ) { (memory: UnsafeMutableRawBufferPointer) throws(CallError) in
      guard let start = memory.baseAddress else { fatalError("only an empty block has no address, and this one is not") }
      var frame = CallFrame(
        argumentAddresses: start.bindMemory(to: UnsafeMutableRawPointer?.self, capacity: parameterCount),
        resultAddress: start + addressBytes + slotBytes,
        text: start + addressBytes + slotBytes + resultSize,
        slots: start + addressBytes)
      return try body(&frame)
    }
  }

  private init(
    argumentAddresses: UnsafeMutablePointer<UnsafeMutableRawPointer?>, resultAddress: UnsafeMutableRawPointer,
    text: UnsafeMutableRawPointer, slots: UnsafeMutableRawPointer
  ) {
    self.argumentAddresses = argumentAddresses
    self.resultAddress = resultAddress
    self.text = text
    self.slots = slots
  }

  /// Adds the next argument.
  ///
  /// - Parameters:
  ///   - value: A value that has been converted to `type`.
  ///   - type: The type of the parameter.
  mutating func append(_ value: Value, as type: CType) {
    let slot = slots + argumentCount * Self.slotSize
    argumentAddresses.advanced(by: argumentCount).initialize(to: slot)
    argumentCount += 1
    switch value {
    case .void: break
    case .bool(let bool): slot.storeBytes(of: bool ? 1 : 0, as: UInt8.self)
    case .integer(let integer): store(integer, width: type.width, in: slot)
    case .float(let float): slot.storeBytes(of: float, as: Float.self)
    case .double(let double): slot.storeBytes(of: double, as: Double.self)
    case .string(let string): slot.storeBytes(of: string.map { copy($0) }, as: UnsafeMutableRawPointer?.self)
    case .pointer(let pointer): slot.storeBytes(of: pointer.address, as: UInt.self)
    }
  }

  /// Stores the low bits of an integer that is in its type's range; two's complement needs no look at the sign.
  private func store(_ integer: Int128, width: Int, in slot: UnsafeMutableRawPointer) {
    switch width {
    case 8: slot.storeBytes(of: UInt8(truncatingIfNeeded: integer), as: UInt8.self)
    case 16: slot.storeBytes(of: UInt16(truncatingIfNeeded: integer), as: UInt16.self)
    case 32: slot.storeBytes(of: UInt32(truncatingIfNeeded: integer), as: UInt32.self)
    default: slot.storeBytes(of: UInt64(truncatingIfNeeded: integer), as: UInt64.self)
    }
  }

  /// Copies a string with a NUL behind it.
  private mutating func copy(_ string: String) -> UnsafeMutableRawPointer {
    let start = text
    var string = string
    string.withUTF8 { utf8 in
      if let bytes = utf8.baseAddress { text.copyMemory(from: bytes, byteCount: utf8.count) }
      text += utf8.count
    }
    text.storeBytes(of: 0, as: UInt8.self)
    text += 1
    return start
  }

  /// What the call left; nil for a string that is not UTF-8.
  func result(as type: CType) -> Value? {
    switch type {
    case .void, .resolver: .void
    case .bool: .bool(UInt8(truncatingIfNeeded: resultAddress.load(as: UInt.self)) != 0)
    case .integer(let integer): .integer(resultInteger(integer))
    case .float: .float(resultAddress.load(as: Float.self))
    case .double: .double(resultAddress.load(as: Double.self))
    case .string: resultString
    case .pointer: .pointer(Value.Pointer(resultAddress.load(as: UnsafeRawPointer?.self)))
    }
  }

  /// libffi leaves an integer or bool that is narrower than a register as a whole `ffi_arg`, as wide as a register, of which
  /// only the type's own bits are certain.
  private func resultInteger(_ type: CType.Integer) -> Int128 {
    let isNarrow = type.width < UInt.bitWidth
    let bits = isNarrow ? UInt64(resultAddress.load(as: UInt.self)) : resultAddress.load(as: UInt64.self)
    let unused = UInt64.bitWidth - type.width
    let raised = bits << unused
    return type.isSigned ? Int128(Int64(bitPattern: raised) >> unused) : Int128(raised >> unused)
  }

  private var resultString: Value? {
    guard let start = resultAddress.load(as: UnsafePointer<CChar>?.self) else { return .string(nil) }
    return String(validatingCString: start).map { .string($0) }
  }
}

extension CType {
  /// The width in bits of an integer; 0 for another type.
  fileprivate var width: Int {
    if case .integer(let integer) = self { integer.width } else { 0 }
  }
}
