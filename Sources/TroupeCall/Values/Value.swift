internal import TroupeBase

/// A C value: an argument of a call, or a result.
///
/// The cases are kinds of Swift values and not C types: an `integer` is an argument for `char`, for `size_t` and for `double`. The signature
/// of the call knows the type, and ``converted(to:)`` fits the value to it or throws, so that no bit is lost in silence. A result contains no
/// memory of the library: texts, elements and structs are copies. Only a pointer, a reference and memory lead to memory of C.
///
///     let absolute: @convention(c) (Int) -> Int = { abs($0) }
///     let call = try PreparedCall(
///       signature: Signature(parsing: "long (long x)"), function: unsafeBitCast(absolute, to: UnsafeRawPointer.self))
///     let result = try call.call([.integer(-5)])
///     if case .integer(let x) = result { print(x) }  // 5
public enum Value: Sendable, CustomStringConvertible {
  /// A member of a structure, or one of the outputs of a call.
  public struct Field: Sendable, Equatable {
    /// The member or parameter; `return` for the result of the function.
    public let name: String
    /// The content of the field.
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
  /// A value of any integer type or enumeration. A number beyond 64 bits fits no C type.
  case integer(Int128)
  /// A 32-bit floating-point number.
  case float(Float)
  /// A 64-bit floating-point number.
  case double(Double)
  /// A `long double`.
  case longDouble(LongDouble)
  /// Text, or nil for a NULL string.
  case string(String?)
  /// An address. The value never reads through it.
  case pointer(Pointer)
  /// The bytes of a buffer, or of an array of single bytes that is not text.
  case bytes([UInt8])
  /// The elements of an array; the real and the imaginary part of a complex number.
  case array([Value])
  /// The elements of a buffer in C's layout. Equal to an ``array(_:)`` of equal elements.
  indirect case packedArray(PackedArray)
  /// The members of a struct, or the result of a call with outputs. As a result a union has all of its members, which share their bits. As
  /// an argument it has one or more.
  case structure([Field])
  /// A Swift closure that C calls.
  case callback(Callback)
  /// A reference to a struct in C.
  case reference(ForeignReference)
  /// Memory that C may use at least until the call returns.
  case memory(ForeignMemory)

  /// The null pointer, also as an argument for a string.
  public static let null = Value.pointer(.null)

  /// The member of a structure with a name, also of one behind a reference or in memory, if there is one.
  public subscript(name: String) -> Value? {
    switch self {
    case .structure(let fields): fields.first { $0.name == name }?.value
    case .reference(let reference): try? reference.read(name)
    case .memory(let memory): try? memory.read(name)
    default: nil
    }
  }

  /// The content of a `reference`.
  public var reference: ForeignReference? { if case .reference(let reference) = self { reference } else { nil } }

  /// Plain text for a person: a string without quotes, `null` for NULL, and an empty text for `void`.
  public var description: String {
    switch self {
    case .void: ""
    case .string(let string): string ?? "null"
    default: nested
    }
  }

  /// The value in a message: a string in quotes, and long values cut.
  package var shown: String {
    switch self {
    case .void: "void"
    case .string(let string?): string.quoted()
    case .bytes(let bytes): "\(bytes.count) bytes"
    case .reference(let reference): "a reference to \(reference.type)"
    case .memory(let memory): "memory of \(memory.type.shortDescription)"
    case .array(let elements) where elements.count > 8: "an array of \(elements.count) elements"
    case .packedArray(let elements) where elements.count > 8: "an array of \(elements.count) elements"
    case .array, .packedArray, .structure: nested.count > 80 ? nested.prefix(79) + "…" : nested
    default: description
    }
  }

  /// The value as a part of another one.
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
    case .reference(let reference): reference.description
    case .memory(let memory): memory.address.description
    }
  }
}

extension Value: Equatable {
  /// Compares cases and contents. As in Swift, NaN is unequal to itself, and 0.0 is equal to -0.0.
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
    case (.reference(let left), .reference(let right)): left == right
    case (.memory(let left), .memory(let right)): left == right
    default: false
    }
  }
}

// MARK: Pointers

extension Value {
  /// An address as a number, since Swift's own pointers are not `Sendable`. Whoever gave the address determines how long the target exists
  /// and which threads may use it.
  public struct Pointer: Sendable, Hashable, CustomStringConvertible {
    /// 0 for NULL.
    public let address: UInt

    /// Creates a pointer from its address.
    public init(address: UInt) {
      self.address = address
    }

    /// Creates a pointer from one of Swift's.
    public init(_ pointer: UnsafeRawPointer?) {
      self.address = UInt(bitPattern: pointer)
    }

    /// The null pointer.
    public static let null = Pointer(address: 0)

    /// Nil for NULL. The caller is responsible for reads and writes through it.
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
  /// Shows the result of a call to a person: values of enumerations by their names, and a reference to a defined struct by its members.
  ///
  ///     let signature = try Signature(parsing: "enum color { red, green }; enum color (int number)")
  ///     print(signature.named(.integer(1)))  // green
  ///
  /// Of several names for a number the first is taken. The name converts to the number again. Behind a reference, further references are
  /// addresses, so that a list or a cycle ends.
  public func named(_ outcome: Value) -> Value {
    var failure: CallError?
    return named(outcome, &failure)
  }

  /// As `named(_:)`. Throws the error of an object whose worker ended while the object was read.
  package func shown(_ outcome: Value) throws(CallError) -> Value {
    var failure: CallError?
    let named = named(outcome, &failure)
    if let failure { throw failure }
    return named
  }

  private func named(_ outcome: Value, _ failure: inout CallError?) -> Value {
    guard case .structure(let fields) = outcome else { return outcome.named(result, &failure) }
    if outputs.isEmpty, case .record(let record) = result, fields.allSatisfy({ record.memberNames.contains($0.name) }) {
      return outcome.named(result, &failure)
    }
    return .structure(
      fields.map { field in
        Value.Field(field.name, outcomeType(field.name).map { field.value.named($0, &failure) } ?? field.value)
      })
  }

  /// The type of a field of a call's result, or of memory that the call allocated for a pointer.
  package func outcomeType(_ field: String) -> CType? {
    if field == "return" || field == "result" && outputs.isEmpty { return result }
    // The position of a parameter without a name, or with that of another field.
    let position = Int(field).map { $0 - 1 }
    let found = position.flatMap { callerParameters.indices.contains($0) ? callerParameters[$0] : nil }
    guard let parameter = found ?? parameters.first(where: { $0.name == field }) else { return nil }
    return switch parameter.type {
    case _ where parameter.isBuffer: .array(parameter.type, count: 0)
    case .pointer(let pointer) where !parameter.givesBack: pointer.target.map { .array($0, count: 0) }
    case .reference(let reference) where !parameter.givesBack: reference.record.map(CType.record)
    default: parameter.type
    }
  }
}

extension Value {
  /// The text in a `char` array of a struct, which ends at its first NUL; what lies behind is what C left there. Nil for anything else.
  private func terminatedText(_ type: CType) -> Value? {
    guard case .bytes(let bytes) = self, case .array = type, type.isText, let end = bytes.firstIndex(of: 0) else { return nil }
    return String(validating: bytes[..<end], as: UTF8.self).map(Value.string)
  }

  /// - Parameters:
  ///   - failure: Gets the error of an object whose worker ended while the object was read.
  ///   - follows: References are replaced by their members.
  fileprivate func named(_ type: CType, _ failure: inout CallError?, follows: Bool = true) -> Value {
    switch (type, self) {
    case (.reference, .reference(let reference)) where follows:
      // An object that cannot be read, such as one that has been released, is an address.
      guard let record = reference.record else { return self }
      do {
        return try reference.read().named(.record(record), &failure, follows: false)
      } catch {
        if reference.isRemote, !reference.isReleased, error.code == .handle { failure = failure ?? error }
        return self
      }
    case (.enumeration(let enumeration), .integer(let integer)):
      return enumeration.cases.first { $0.value == integer }.map { .string($0.name) } ?? self
    case (.sequence(let element, _), _), (.flexible(let element, _), _):
      return named(.array(element, count: 0), &failure, follows: follows)
    case (.array(let element, _), .packedArray(let elements)) where !element.isPlainNumbers:
      return .array(elements.map { $0.named(element, &failure, follows: follows) })
    case (.array(let element, _), .array(let elements)):
      return .array(elements.map { $0.named(element, &failure, follows: follows) })
    case (.record, .structure(let fields)):
      let types = type.memberTypes
      return .structure(
        fields.map { field in
          let type = types[field.name]
          return Field(
            field.name,
            type.flatMap(field.value.terminatedText) ?? type.map { field.value.named($0, &failure, follows: follows) }
              ?? field.value)
        })
    default: return self
    }
  }
}
