/// A Swift type whose memory a ``BufferCall`` lends to C: strings, arrays, spans, buffer pointers and pointers.
///
/// `String`, `Array`, `Span`, the unsafe pointers and buffer pointers, and optionals of all but `Span` conform to it, and so do the
/// numbers, which are copied. Do not conform other types.
public protocol CArgument: ~Escapable {
  /// The name of the type.
  static var _name: String { get }
  /// Whether C gets the address of the memory, and not a copy.
  static var _isPassedByAddress: Bool { get }
  /// Whether the type fits a parameter.
  static func _fits(_ parameter: Signature.Parameter) -> Bool
  /// Calls a closure with the memory, which is valid until the closure returns.
  func _withMemory<Result>(_ body: (BorrowedMemory) throws -> Result) rethrows -> Result
}

extension CArgument where Self: ~Escapable {
  /// Whether C gets the address of the memory, and not a copy.
  public static var _isPassedByAddress: Bool { true }
}

extension CArgument {
  /// The name of the type.
  public static var _name: String { "\(Self.self)" }
}

/// The memory of an argument.
@frozen
public struct BorrowedMemory {
  /// The address; nil for NULL.
  @usableFromInline let address: UnsafeRawPointer?
  /// The number of elements; of text the number of its bytes in UTF-8, of a value the size of its memory in bytes.
  @usableFromInline let count: Int

  @inlinable
  init(_ address: UnsafeRawPointer?, count: Int) {
    self.address = address
    self.count = count
  }

  /// NULL.
  @inlinable static var none: BorrowedMemory { BorrowedMemory(nil, count: 0) }
}

extension Signature.Parameter {
  /// Whether a Swift type lies in memory as an element of this buffer does.
  @usableFromInline
  func isBuffer<Element>(of element: Element.Type, isRead: Bool) -> Bool {
    guard case .buffer(let direction, _, _) = passing, isRead || direction == .input else { return false }
    return type.isSame(as: element)
  }

  /// Whether the parameter is a pointer, or one to this Swift type.
  @usableFromInline
  func isPointer<Pointee>(to pointee: Pointee.Type) -> Bool {
    switch passing {
    case .value: Value.Pointer._is(type)
    case .reference: type.isSame(as: pointee)
    case .buffer: false
    }
  }
}

extension CType {
  /// Whether values of a Swift type lie in memory as those of this type: the same scalar, or plain data of the same size and
  /// alignment.
  func isSame<T>(as swift: T.Type) -> Bool {
    if let scalar = swift as? any CScalar.Type { return scalar._is(self) }
    switch self {
    case .record, .array, .complex, .longDouble:
      // Swift counts no padding at the end.
      return _isPOD(swift) && MemoryLayout<T>.size.roundedUp(to: alignment) == size && MemoryLayout<T>.alignment == alignment
    default: return false
    }
  }
}

extension String: CArgument {
  /// Whether the type fits a parameter.
  public static func _fits(_ parameter: Signature.Parameter) -> Bool {
    parameter.type == .string && parameter.passing == .value
  }

  /// Calls a closure with the text, which a NUL follows.
  @inlinable
  public func _withMemory<Result>(_ body: (BorrowedMemory) throws -> Result) rethrows -> Result {
    let count = utf8.count
    return try withCString { try body(BorrowedMemory($0, count: count)) }
  }
}

extension Array: CArgument {
  /// Whether the type fits a parameter.
  public static func _fits(_ parameter: Signature.Parameter) -> Bool {
    parameter.isBuffer(of: Element.self, isRead: false)
  }

  /// Calls a closure with the elements.
  @inlinable
  public func _withMemory<Result>(_ body: (BorrowedMemory) throws -> Result) rethrows -> Result {
    try withUnsafeBufferPointer { try $0._withMemory(body) }
  }
}

extension Span: CArgument {
  /// The name of the type.
  public static var _name: String { "Span<\(Element.self)>" }

  /// Whether the type fits a parameter.
  public static func _fits(_ parameter: Signature.Parameter) -> Bool {
    parameter.isBuffer(of: Element.self, isRead: false)
  }

  /// Calls a closure with the elements.
  @inlinable
  public func _withMemory<Result>(_ body: (BorrowedMemory) throws -> Result) rethrows -> Result {
    try withUnsafeBufferPointer { try body(BorrowedMemory($0.baseAddress, count: $0.count)) }
  }
}

extension UnsafeBufferPointer: CArgument {
  /// Whether the type fits a parameter.
  public static func _fits(_ parameter: Signature.Parameter) -> Bool {
    parameter.isBuffer(of: Element.self, isRead: false)
  }

  /// Calls a closure with the elements.
  @inlinable
  public func _withMemory<Result>(_ body: (BorrowedMemory) throws -> Result) rethrows -> Result {
    try body(BorrowedMemory(baseAddress, count: count))
  }
}

extension UnsafeMutableBufferPointer: CArgument {
  /// Whether the type fits a parameter.
  public static func _fits(_ parameter: Signature.Parameter) -> Bool {
    parameter.isBuffer(of: Element.self, isRead: true)
  }

  /// Calls a closure with the elements.
  @inlinable
  public func _withMemory<Result>(_ body: (BorrowedMemory) throws -> Result) rethrows -> Result {
    try body(BorrowedMemory(baseAddress, count: count))
  }
}

extension UnsafePointer: CArgument {
  /// Whether the type fits a parameter.
  public static func _fits(_ parameter: Signature.Parameter) -> Bool {
    parameter.passing == .value && parameter.isPointer(to: Pointee.self)
  }

  /// Calls a closure with what the pointer leads to.
  @inlinable
  public func _withMemory<Result>(_ body: (BorrowedMemory) throws -> Result) rethrows -> Result {
    try body(BorrowedMemory(self, count: 1))
  }
}

extension UnsafeMutablePointer: CArgument {
  /// Whether the type fits a parameter.
  public static func _fits(_ parameter: Signature.Parameter) -> Bool { parameter.isPointer(to: Pointee.self) }

  /// Calls a closure with what the pointer leads to.
  @inlinable
  public func _withMemory<Result>(_ body: (BorrowedMemory) throws -> Result) rethrows -> Result {
    try body(BorrowedMemory(self, count: 1))
  }
}

extension Optional: CArgument where Wrapped: CArgument {
  /// Whether the type fits a parameter.
  public static func _fits(_ parameter: Signature.Parameter) -> Bool { Wrapped._fits(parameter) }

  /// Calls a closure with the memory, or NULL.
  @inlinable
  public func _withMemory<Result>(_ body: (BorrowedMemory) throws -> Result) rethrows -> Result {
    try self?._withMemory(body) ?? body(.none)
  }
}

extension CScalar {
  /// Whether C gets the address of the memory, and not a copy.
  public static var _isPassedByAddress: Bool { false }

  /// Whether the type fits a parameter.
  public static func _fits(_ parameter: Signature.Parameter) -> Bool { parameter.passing == .value && _is(parameter.type) }

  /// Calls a closure with the memory of the number.
  @inlinable
  public func _withMemory<Result>(_ body: (BorrowedMemory) throws -> Result) rethrows -> Result {
    try withUnsafeBytes(of: self) { try body(BorrowedMemory($0.baseAddress, count: $0.count)) }
  }
}
