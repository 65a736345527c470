internal import TroupeBase

/// A C value: an argument of a call, or a result.
///
///     let absolute: @convention(c) (Int) -> Int = { abs($0) }
///     let call = try PreparedCall(
///       signature: Signature(parsing: "long (long x)"), function: unsafeBitCast(absolute, to: UnsafeRawPointer.self))
///     let result = try call.call([.integer(-5)])
///     if case .integer(let x) = result { print(x) }  // 5
///
/// A value does not say which C type it has; ``converted(to:)`` fits it to one or refuses.
public enum Value: Sendable, CustomStringConvertible {
  /// A member of a structure, or one of several things that a call gives back.
  public struct Field: Sendable, Equatable {
    /// The member's or parameter's name; `return` for what the function returns.
    public let name: String
    /// The value of the member.
    public let value: Value

    /// Names a value.
    public init(_ name: String, _ value: Value) {
      self.name = name
      self.value = value
    }
  }

  /// No value: the result of a `void` function.
  case void
  /// `true` or `false`.
  case bool(Bool)
  /// An integer of any C type, or an enumeration's value. Every C integer fits; a number beyond 64 bits fits no C type.
  case integer(Int128)
  /// A 32-bit floating-point number, with all of its bits.
  case float(Float)
  /// A 64-bit floating-point number, with all of its bits.
  case double(Double)
  /// A `long double`, with all of its bits.
  case longDouble(LongDouble)
  /// Text, or nil for a NULL string. The value owns its text: an argument is lent to the call, a result is a copy.
  case string(String?)
  /// An address, which the value does not own and never looks behind.
  case pointer(Pointer)
  /// The bytes of a buffer, or of an array of single bytes that is not text.
  case bytes([UInt8])
  /// The elements of an array; the real and the imaginary part of a complex number.
  case array([Value])
  /// The elements of a buffer, as C stores them. Equal to an ``array(_:)`` of equal elements.
  indirect case packedArray(PackedArray)
  /// The members of a struct, in its order; of a union all that come out, which share their bits, and one or more that go in. Also
  /// the result of a call that has outputs.
  case structure([Field])
  /// A Swift closure that C calls.
  case callback(Callback)
  /// An object that only its library knows.
  case handle(ForeignHandle)
  /// The address of memory that C may use, and that exists at least until the call returns.
  case memory(ForeignMemory)

  /// The null pointer. It also does for a NULL string.
  public static let null = Value.pointer(.null)

  /// The value of a structure's member; nil if there is no such member or this is no structure.
  public subscript(name: String) -> Value? {
    guard case .structure(let fields) = self else { return nil }
    return fields.first { $0.name == name }?.value
  }

  /// The handle; nil for any other value.
  public var handle: ForeignHandle? { if case .handle(let handle) = self { handle } else { nil } }

  /// Plain text for a person: a string without quotes, `null` for NULL, and nothing at all for `void`.
  public var description: String {
    switch self {
    case .void: ""
    case .string(let string): string ?? "null"
    default: nested
    }
  }

  /// The value as a message shows it: a string in quotes, everything cut short.
  package var shown: String {
    switch self {
    case .void: "void"
    case .string(let string?): string.quoted()
    case .bytes(let bytes): "\(bytes.count) bytes"
    case .handle(let handle): "a handle of \(handle.type)"
    case .memory(let memory): "memory of \(memory.type.shortDescription)"
    case .array(let elements) where elements.count > 8: "an array of \(elements.count) elements"
    case .packedArray(let elements) where elements.count > 8: "an array of \(elements.count) elements"
    case .array, .packedArray, .structure: nested.count > 80 ? nested.prefix(79) + "…" : nested
    default: description
    }
  }

  /// The value as it is written within another one.
  private var nested: String {
    switch self {
    case .void: "void"
    case .bool(let bool): bool.description
    case .integer(let integer): integer.description
    case .float(let float): float.description
    case .double(let double): double.description
    case .longDouble(let number): number.description
    case .string(let string): string.map { $0.quoted() } ?? "null"
    case .pointer(let pointer): pointer.description
    case .bytes(let bytes): "<" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ") + ">"
    case .array(let elements): "[" + elements.map(\.nested).joined(separator: ", ") + "]"
    case .packedArray(let elements): Value.array(Array(elements)).nested
    case .structure(let fields): "{" + fields.map { "\($0.name): \($0.value.nested)" }.joined(separator: ", ") + "}"
    case .callback(let callback): "a callback of type \(callback.signature)"
    case .handle(let handle): handle.description
    case .memory(let memory): memory.address.description
    }
  }
}

extension Value: Equatable {
  /// Whether two values have the same kind and the same number, text or address, and equal elements and members. As in Swift, NaN is
  /// unequal to itself, and 0.0 is equal to -0.0.
  public static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.void, .void): true
    case (.bool(let left), .bool(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.float(let left), .float(let right)): left == right
    case (.double(let left), .double(let right)): left == right
    case (.longDouble(let left), .longDouble(let right)): left == right
    case (.string(let left), .string(let right)): left == right
    case (.pointer(let left), .pointer(let right)): left == right
    case (.bytes(let left), .bytes(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.packedArray(let left), .packedArray(let right)): left.elementsEqual(right)
    case (.packedArray(let packed), .array(let array)), (.array(let array), .packedArray(let packed)):
      packed.elementsEqual(array)
    case (.structure(let left), .structure(let right)): left == right
    case (.callback(let left), .callback(let right)): left == right
    case (.handle(let left), .handle(let right)): left == right
    case (.memory(let left), .memory(let right)): left == right
    default: false
    }
  }
}

// MARK: Pointers

extension Value {
  /// An address as a plain number.
  ///
  /// It is kept as a number because a number may go from thread to thread. The owner of the target
  /// determines how long it exists and which threads may use it.
  public struct Pointer: Sendable, Hashable, CustomStringConvertible {
    /// The address, 0 for NULL.
    public let address: UInt

    /// The pointer whose address is `address`.
    public init(address: UInt) {
      self.address = address
    }

    /// The same address as `pointer`.
    public init(_ pointer: UnsafeRawPointer?) {
      self.address = UInt(bitPattern: pointer)
    }

    /// The null pointer.
    public static let null = Pointer(address: 0)

    /// The pointer itself, nil for NULL. The caller is responsible for reads and writes through it.
    public var rawPointer: UnsafeMutableRawPointer? {
      UnsafeMutableRawPointer(bitPattern: address)
    }

    /// The address in hexadecimal, such as `0x7ffd01`, or `null`.
    public var description: String {
      address == 0 ? "null" : "0x" + String(address, radix: 16)
    }
  }
}

// MARK: Names of enumerations

extension Signature {
  /// The result of a call, with the name for each value of an enumeration that has one; of several names the first.
  ///
  ///     let signature = try Signature(parsing: "enum color { red, green }; enum color (int number)")
  ///     print(signature.named(.integer(1)))  // green
  ///
  /// A program compares numbers, which is why a call gives those. The name converts to the same value again.
  public func named(_ outcome: Value) -> Value {
    let type = result
    let outputs = outputs
    guard !outputs.isEmpty, case .structure(let fields) = outcome else { return outcome.named(type) }
    var types = Dictionary(outputs.map { ($0.name ?? "", $0.typeInJSON) }) { first, _ in first }
    types["return"] = type
    return .structure(fields.map { Value.Field($0.name, types[$0.name].map($0.value.named) ?? $0.value) })
  }
}

extension Value {
  /// The value, which is of a type, with names for numbers.
  fileprivate func named(_ type: CType) -> Value {
    switch (type, self) {
    case (.enumeration(let enumeration), .integer(let integer)):
      enumeration.cases.first { $0.value == integer }.map { .string($0.name) } ?? self
    case (.pointer(let pointer), .structure): pointer.pointee.map { named($0) } ?? self
    case (.sequence(let element, _), _), (.flexible(let element, _), _): named(.array(element, count: 0))
    case (.array(let element, _), .packedArray(let elements)) where !element.isPlainNumbers:
      .array(elements.map { $0.named(element) })
    case (.array(let element, _), .array(let elements)): .array(elements.map { $0.named(element) })
    case (.record, .structure(let fields)):
      .structure(fields.map { field in Field(field.name, type.memberTypes[field.name].map(field.value.named) ?? field.value) })
    default: self
    }
  }
}
