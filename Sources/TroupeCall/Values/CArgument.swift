/// A Swift type that a ``BufferCall`` passes to C without a ``Value``.
///
/// C gets the address of the memory that a `String`, `Array`, `Span`, unsafe pointer or buffer pointer has, without a copy, and must not use
/// it after the call. Numbers, booleans and structs without references are copied to registers. Optionals of all but `Span` pass nil as NULL.
///
/// Do not conform other types.
public protocol CArgument: ~Escapable {
  /// The name in messages.
  static var _name: String { get }
  /// C gets the address of the memory instead of a copy.
  static var _isPassedByAddress: Bool { get }
  /// Returns true if C's type of a parameter has the same layout.
  static func _fits(_ parameter: Signature.Parameter) -> Bool
  /// Calls a closure with the memory, which is valid until the closure returns.
  func _withMemory<Result>(_ body: (BorrowedMemory) throws -> Result) rethrows -> Result
}

extension CArgument where Self: ~Escapable {
  /// C gets the address of the memory instead of a copy.
  public static var _isPassedByAddress: Bool { true }
}

extension CArgument {
  /// The name in messages.
  public static var _name: String { "\(Self.self)" }
}

/// The memory of a Swift value during a call.
@frozen
public struct BorrowedMemory {
  /// Nil for NULL.
  @usableFromInline let address: UnsafeRawPointer?
  /// The number of elements. For text it is the number of bytes in UTF-8, for a single value its size in bytes.
  @usableFromInline let count: Int

  @inlinable
  init(_ address: UnsafeRawPointer?, count: Int) {
    self.address = address
    self.count = count
  }

  @inlinable static var null: BorrowedMemory { BorrowedMemory(nil, count: 0) }
}

extension Signature.Parameter {
  /// Returns true for a buffer whose elements have the layout of a Swift type.
  @usableFromInline
  func isBuffer<Element>(of element: Element.Type, isRead: Bool) -> Bool {
    guard case .buffer(let direction, _, _) = passing, isRead || direction == .input else { return false }
    return type.hasLayout(of: element)
  }

  /// Returns true for any plain pointer, and for a reference to a value with the layout of a Swift type.
  @usableFromInline
  func isPointer<Pointee>(to pointee: Pointee.Type) -> Bool {
    switch passing {
    case .value: Value.Pointer._is(type)
    case .pointer: type.hasLayout(of: pointee)
    case .buffer: false
    }
  }
}

extension CType {
  /// Returns true for the same scalar, and for plain data of the same size and alignment.
  func hasLayout<T>(of swift: T.Type) -> Bool {
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
  /// Returns true if C's type of a parameter has the same layout.
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
  /// Returns true if C's type of a parameter has the same layout.
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
  /// The name in messages.
  public static var _name: String { "Span<\(Element.self)>" }

  /// Returns true if C's type of a parameter has the same layout.
  public static func _fits(_ parameter: Signature.Parameter) -> Bool {
    parameter.isBuffer(of: Element.self, isRead: false)
  }

  /// Calls a closure with the elements.
  @inlinable
  public func _withMemory<Result>(_ body: (BorrowedMemory) throws -> Result) rethrows -> Result {
    try withUnsafeBufferPointer { try $0._withMemory(body) }
  }
}

extension UnsafeBufferPointer: CArgument {
  /// Returns true if C's type of a parameter has the same layout.
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
  /// Returns true if C's type of a parameter has the same layout.
  public static func _fits(_ parameter: Signature.Parameter) -> Bool {
    parameter.isBuffer(of: Element.self, isRead: true)
  }

  /// Calls a closure with the elements.
  @inlinable
  public func _withMemory<Result>(_ body: (BorrowedMemory) throws -> Result) rethrows -> Result {
    try UnsafeBufferPointer(self)._withMemory(body)
  }
}

extension UnsafePointer: CArgument {
  /// Returns true if C's type of a parameter has the same layout.
  public static func _fits(_ parameter: Signature.Parameter) -> Bool {
    parameter.passing == .value && parameter.isPointer(to: Pointee.self)
  }

  /// Calls a closure with the target of the pointer.
  @inlinable
  public func _withMemory<Result>(_ body: (BorrowedMemory) throws -> Result) rethrows -> Result {
    try body(BorrowedMemory(self, count: 1))
  }
}

extension UnsafeMutablePointer: CArgument {
  /// Returns true if C's type of a parameter has the same layout.
  public static func _fits(_ parameter: Signature.Parameter) -> Bool { parameter.isPointer(to: Pointee.self) }

  /// Calls a closure with the target of the pointer.
  @inlinable
  public func _withMemory<Result>(_ body: (BorrowedMemory) throws -> Result) rethrows -> Result {
    try body(BorrowedMemory(self, count: 1))
  }
}

extension Optional: CArgument where Wrapped: CArgument {
  /// Returns true if C's type of a parameter has the same layout.
  public static func _fits(_ parameter: Signature.Parameter) -> Bool { Wrapped._fits(parameter) }

  /// Calls a closure with the memory, or NULL.
  @inlinable
  public func _withMemory<Result>(_ body: (BorrowedMemory) throws -> Result) rethrows -> Result {
    try self?._withMemory(body) ?? body(.null)
  }
}

extension CScalar {
  /// C gets the address of the memory instead of a copy.
  public static var _isPassedByAddress: Bool { false }

  /// Returns true if C's type of a parameter has the same layout.
  public static func _fits(_ parameter: Signature.Parameter) -> Bool { parameter.passing == .value && _is(parameter.type) }

  /// Calls a closure with the memory of the number.
  @inlinable
  public func _withMemory<Result>(_ body: (BorrowedMemory) throws -> Result) rethrows -> Result {
    try withUnsafeBytes(of: self) { try body(BorrowedMemory($0.baseAddress, count: $0.count)) }
  }
}
