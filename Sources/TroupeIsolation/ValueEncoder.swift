package import TroupeCall
package import TroupeFiles

/// Writes values into a message for another process. It transfers no address: the sender assigns numbers to
/// callbacks and handles.
package struct ValueEncoder {
  package private(set) var record: RecordWriter
  private let callback: (Callback) throws -> UInt32
  private let handle: (ForeignHandle) throws -> UInt64
  private let shared: (ForeignMemory) -> Int?

  /// - Parameters:
  ///   - record: What precedes the values.
  ///   - callback: Returns the number of a callback, which the other process may call.
  ///   - handle: Returns the number of a handle.
  ///   - shared: Returns the offset of memory in the heap that both processes share; nil for other memory.
  package init(
    _ record: RecordWriter = RecordWriter(),
    callback: @escaping (Callback) throws -> UInt32 = { _ in throw NotTransferable.address("a callback") },
    handle: @escaping (ForeignHandle) throws -> UInt64 = { throw NotTransferable.address("a handle of \($0.type)") },
    shared: @escaping (ForeignMemory) -> Int? = { _ in nil }
  ) {
    (self.record, self.callback, self.handle, self.shared) = (record, callback, handle, shared)
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
    case .handle(let object):
      write(kind: .handle)
      record.write(number: try handle(object))
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

  /// Whether memory of a type can be shared with the other process.
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

/// The kinds of values in messages between a host and a worker. A byte with the kind precedes the content.
enum ValueKind: UInt8 {
  case void, no, yes, integer, wideInteger, float, double, longDouble
  case noText, text, null, bytes, array, structure, callback, handle, packed, shared
}
