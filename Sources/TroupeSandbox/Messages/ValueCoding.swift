package import TroupeCall
package import TroupeFiles

/// Writes values into a message for another process. It transfers no address: the sender assigns numbers to
/// callbacks and references.
package struct ValueEncoder {
  package private(set) var record: RecordWriter
  private let callback: (Callback) throws -> UInt32
  private let reference: (ForeignReference) throws -> UInt64
  private let shared: (ForeignMemory) -> Int?

  /// - Parameters:
  ///   - record: What precedes the values.
  ///   - callback: Returns the number of a callback, which the other process may call.
  ///   - reference: Returns the number of a reference.
  ///   - shared: Returns the offset of memory in the heap that both processes share; nil for other memory.
  package init(
    _ record: RecordWriter = RecordWriter(),
    callback: @escaping (Callback) throws -> UInt32 = { _ in throw NotTransferable.address("a callback") },
    reference: @escaping (ForeignReference) throws -> UInt64 = { throw NotTransferable.address("a reference to \($0.type)") },
    shared: @escaping (ForeignMemory) -> Int? = { _ in nil }
  ) {
    (self.record, self.callback, self.reference, self.shared) = (record, callback, reference, shared)
  }

  /// Appends a value.
  ///
  /// - Throws: `NotTransferable.address` for an address that is not null, and the errors of the closures.
  package mutating func write(_ value: Value) throws {
    switch value {
    case .void: write(kind: .void)
    case .bool(let bool): write(kind: bool ? .yes : .no)
    case .integer(let integer):
      if let narrow = Int64(exactly: integer) {
        write(kind: .integer)
        record.write(number: narrow)
      } else {
        write(kind: .wideInteger)
        record.write(number: integer)
      }
    case .float(let float):
      write(kind: .float)
      record.write(number: float.bitPattern)
    case .double(let double):
      write(kind: .double)
      record.write(number: double.bitPattern)
    case .longDouble(let number):
      write(kind: .longDouble)
      record.write(number: number.parts.0)
      record.write(number: number.parts.1)
    case .string(let text):
      write(kind: text == nil ? .noText : .text)
      if let text { record.write(text) }
    case .pointer(let pointer):
      guard pointer == .null else { throw NotTransferable.address("the address \(pointer)") }
      write(kind: .null)
    case .bytes(let bytes):
      write(kind: .bytes)
      record.write(count: bytes.count)
      record.append(bytes)
    case .array(let elements): try write(elements)
    case .packedArray(let elements):
      guard let scalar = ScalarCode(elements.elementType) else { return try write(elements) }
      write(kind: .packed)
      write(scalar: scalar)
      record.write(count: elements.count)
      elements.withUnsafeBytes { record.append($0) }
    case .structure(let fields):
      write(kind: .structure)
      record.write(count: fields.count)
      for field in fields {
        record.write(field.name)
        try write(field.value)
      }
    case .callback(let function):
      write(kind: .callback)
      record.write(number: try callback(function))
    case .reference(let object):
      write(kind: .reference)
      record.write(number: try reference(object))
      record.write(object.type)
    case .memory(let memory):
      if let offset = shared(memory), let scalar = ScalarCode(memory.type) {
        write(kind: .shared)
        write(scalar: scalar)
        record.write(number: UInt64(offset))
        record.write(number: UInt64(memory.count))
        return
      }
      throw NotTransferable.address("memory of \(memory.type.shortDescription)")
    }
  }

  package static func canShare(_ type: CType) -> Bool {
    if case .enumeration = type { false } else { ScalarCode(type) != nil }
  }

  /// Appends an array whose elements a function writes.
  package mutating func writeArray(_ count: Int, _ element: (Int, inout ValueEncoder) throws -> Void) rethrows {
    write(kind: .array)
    record.write(count: count)
    for index in 0..<count { try element(index, &self) }
  }

  private mutating func write(_ elements: some Collection<Value>) throws {
    write(kind: .array)
    record.write(count: elements.count)
    for element in elements { try write(element) }
  }

  private mutating func write(kind: ValueKind) { record.write(number: kind.rawValue) }
  private mutating func write(scalar: ScalarCode) { record.write(number: scalar.rawValue) }
}

/// Reads values from a message of another process, which may contain anything.
package struct ValueDecoder {
  private var record: RecordReader
  private let callback: (UInt32) throws -> Callback
  private let reference: (UInt64, String) throws -> ForeignReference
  private let shared: (Range<Int>) throws -> UnsafeMutableRawPointer

  /// The greatest depth of arrays and structures within each other: that of signatures, and one for the outputs of a call.
  private static let maximumDepth = Signature.maximumDepth + 1

  /// - Parameters:
  ///   - record: The rest of a private copy of the message, with the memory that the values may have.
  ///   - callback: Returns the callback that the receiver gave a number.
  ///   - shared: Returns the address of a range of the heap that both processes share.
  ///   - reference: Returns the reference that has a number and is of a type.
  package init(
    _ record: RecordReader, callback: @escaping (UInt32) throws -> Callback = { throw ReadError("there is no callback \($0)") },
    shared: @escaping (Range<Int>) throws -> UnsafeMutableRawPointer = { _ in throw ReadError("there is no shared memory") },
    reference: @escaping (UInt64, String) throws -> ForeignReference = { number, _ in
      throw ReadError("there is no reference \(number)")
    }
  ) {
    (self.record, self.callback, self.reference, self.shared) = (record, callback, reference, shared)
  }

  /// The memory of a reference with the closure that releases it.
  private static let handleSize = 256

  /// Reads the next value.
  ///
  /// - Throws: A `ReadError` if the bytes are malformed, and the errors of the closures.
  package mutating func value() throws -> Value { try value(depth: 0) }

  package func end() throws(ReadError) {
    guard record.left == 0 else { throw ReadError("\(record.left) bytes are left") }
  }

  private mutating func value(depth: Int) throws -> Value {
    guard depth <= Self.maximumDepth else { throw ReadError("values are nested too deeply") }
    let number: UInt8 = try record.number()
    guard let kind = ValueKind(rawValue: number) else { throw ReadError("\(number) is no kind of a value") }
    switch kind {
    case .void: return .void
    case .no: return .bool(false)
    case .yes: return .bool(true)
    case .integer: return .integer(Int128(try record.number() as Int64))
    case .wideInteger: return .integer(try record.number())
    case .float: return .float(Float(bitPattern: try record.number()))
    case .double: return .double(Double(bitPattern: try record.number()))
    case .longDouble: return .longDouble(LongDouble(parts: (try record.number(), try record.number())))
    case .noText: return .string(nil)
    case .text:
      // A host in C copies each text to memory of its own.
      try record.allocate(1)
      return .string(try String(from: &record))
    case .null: return .null
    case .bytes:
      let count = try record.count(ofSize: 1)
      try record.allocate(count)
      return .bytes(Array(try record.bytes(count)))
    case .array:
      let count = try record.count(ofSize: 1)
      // A host in C makes a value of as many bytes for each.
      try record.allocate(count, of: 2 * MemoryLayout<Value>.stride)
      var elements: [Value] = []
      if record.isLimited { elements.reserveCapacity(count) }
      for _ in 0..<count { elements.append(try value(depth: depth + 1)) }
      return .array(elements)
    case .structure:
      let count = try record.count(ofSize: 5)
      try record.allocate(count, of: MemoryLayout<Value.Field>.stride)
      var fields: [Value.Field] = []
      if record.isLimited { fields.reserveCapacity(count) }
      for _ in 0..<count { fields.append(Value.Field(try String(from: &record), try value(depth: depth + 1))) }
      return .structure(fields)
    case .packed: return try packedArray()
    case .shared: return try sharedMemory()
    case .callback: return .callback(try callback(record.number()))
    case .reference:
      try record.allocate(1, of: Self.handleSize)
      return .reference(try reference(record.number(), String(from: &record)))
    }
  }

  private mutating func sharedMemory() throws -> Value {
    let (number, offset, count): (UInt8, UInt64, UInt64) = (try record.number(), try record.number(), try record.number())
    guard let type = ScalarCode(rawValue: number)?.type, let start = Int(exactly: offset), count > 0,
      count <= UInt64(Int.max / 16),
      start <= Int.max / 2
    else { throw ReadError("shared memory is malformed") }
    return .memory(ForeignMemory(type, at: try shared(start..<start + Int(count) * type.size), count: Int(count)))
  }

  private mutating func packedArray() throws -> Value {
    let number: UInt8 = try record.number()
    guard let type = ScalarCode(rawValue: number)?.type else { throw ReadError("\(number) is no code of a number's type") }
    let count = try record.count(ofSize: type.size)
    try record.allocate(count, of: type == .bool ? 2 : type.size)
    var bytes = try record.bytes(count * type.size)
    // A Swift `Bool` is no other value.
    if type == .bool { for index in bytes.indices where bytes[index] > 1 { bytes[index] = 1 } }
    let array = bytes.withUnsafeBytes { Value.PackedArray(type, count: count, copying: $0.baseAddress) }
    guard let array else { throw ReadError("there is no memory for \(count) elements") }
    return .packedArray(array)
  }
}

// MARK: Codes

/// The kinds of values in messages between a host and a worker. A byte with the kind precedes the content.
enum ValueKind: UInt8 {
  case void, no, yes, integer, wideInteger, float, double, longDouble
  case noText, text, null, bytes, array, structure, callback, reference, packed, shared
}

/// The type of the elements of an array of numbers in a message.
enum ScalarCode: UInt8, CaseIterable {
  case bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float, double

  /// Nil for another type. Types of the same width and sign have the same code.
  init?(_ type: CType) {
    if let integer = type.integer {
      let codes: [ScalarCode] = integer.isSigned ? [.int8, .int16, .int32, .int64] : [.uint8, .uint16, .uint32, .uint64]
      guard let code = codes.first(where: { $0.type.size == type.size }) else { return nil }
      self = code
      return
    }
    switch type {
    case .bool: self = .bool
    case .float: self = .float
    case .double: self = .double
    default: return nil
    }
  }

  var type: CType {
    switch self {
    case .bool: .bool
    case .int8: .scalar(Int8.self)
    case .int16: .scalar(Int16.self)
    case .int32: .scalar(Int32.self)
    case .int64: .scalar(Int64.self)
    case .uint8: .scalar(UInt8.self)
    case .uint16: .scalar(UInt16.self)
    case .uint32: .scalar(UInt32.self)
    case .uint64: .scalar(UInt64.self)
    case .float: .float
    case .double: .double
    }
  }
}
