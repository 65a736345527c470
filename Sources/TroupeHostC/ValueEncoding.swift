// include/troupe-host.h documents the public functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CTroupeHost
internal import TroupeCall
internal import TroupeHost

// The conversion of a `Value` to a `troupe_call_value` in memory of its own, which `clear` releases.

/// The object behind a `troupe_object`.
final class ObjectHandle: Handle, Sendable {
  let handle: ForeignHandle
  init(_ handle: ForeignHandle) { self.handle = handle }
}

extension troupe_call_value {
  static var void: troupe_call_value { troupe_call_value(TROUPE_VALUE_VOID) }

  private init(_ kind: Int, count: Int = 0, _ set: (inout troupe_call_value.__Unnamed_union_as) -> Void = { _ in }) {
    self.init()
    self.kind = troupe_value_kind(kind)
    self.count = count
    set(&self.as)
  }

  /// Encodes the result of a function with outputs.
  init(_ value: Value, _ result: CType, _ outputs: [Signature.Parameter]) {
    guard case .structure(let fields) = value else {
      self.init(value, result)
      return
    }
    self.init(fields: fields) { field in
      let output = outputs.first { $0.name == field.name }
      return output.map { $0.isBuffer ? .array($0.type, count: 0) : $0.type } ?? result
    }
  }

  /// - Parameter type: The C type; nil if it is unknown.
  init(_ value: Value, _ type: CType?) {
    switch value {
    case .void: self = .void
    case .bool(let bool): self.init(TROUPE_VALUE_BOOL) { $0.int64 = bool ? 1 : 0 }
    case .integer(let integer):
      let isUnsigned = type?.isUnsigned ?? (integer > Int128(Int64.max))
      self.init(isUnsigned ? TROUPE_VALUE_UINT64 : TROUPE_VALUE_INT64) { $0.uint64 = UInt64(truncatingIfNeeded: integer) }
    case .float(let float): self.init(TROUPE_VALUE_DOUBLE) { $0.float64 = Double(float) }
    case .double(let double): self.init(TROUPE_VALUE_DOUBLE) { $0.float64 = double }
    case .longDouble(let number): self = withUnsafeBytes(of: number) { .memory($0, count: 1) }
    case .string(let text?): self.init(text: text)
    case .string(nil): self.init(TROUPE_VALUE_STRING)
    case .pointer(let pointer): self.init(TROUPE_VALUE_POINTER) { $0.pointer = pointer.rawPointer }
    case .bytes(let bytes): self = bytes.withUnsafeBytes { .memory($0, count: bytes.count) }
    case .packedArray(let elements) where elements.elementType.isNumeric:
      self = elements.withUnsafeBytes { .memory($0, count: elements.count) }
    case .packedArray(let elements): self.init(elements: elements, elements.elementType)
    case .array(let elements): self.init(elements: elements, type?.element)
    case .structure(let fields): self.init(fields: fields) { type?.member($0.name) }
    case .handle(let handle):
      // What such a pointer has been for programs since before there were references: a copy of what the function only reads, an address.
      if case .handle(let type) = type, type.record != nil {
        guard type.isConstant, let members = try? handle.read() else {
          self.init(TROUPE_VALUE_POINTER) { $0.pointer = handle.address.rawPointer }
          return
        }
        self.init(members, type.record.map(CType.record))
        return
      }
      self.init(TROUPE_VALUE_OBJECT) { $0.object = ObjectHandle(handle).retainedPointer() }
    case .memory(let memory): self.init(TROUPE_VALUE_POINTER) { $0.pointer = memory.address.rawPointer }
    // A call returns no callback.
    case .callback: self = .void
    }
  }

  private init(elements: some Collection<Value>, _ type: CType?) {
    let values = Self.block(elements.count)
    for (index, element) in elements.enumerated() { (values + index).initialize(to: troupe_call_value(element, type)) }
    self.init(TROUPE_VALUE_ARRAY, count: elements.count) { $0.values = UnsafePointer(values) }
  }

  private init(fields: [Value.Field], type: (Value.Field) -> CType?) {
    let values = Self.block(fields.count, further: fields.reduce(0) { $0 + $1.name.utf8.count + 1 })
    var next = UnsafeMutableRawPointer(values + fields.count).assumingMemoryBound(to: CChar.self)
    for (index, field) in fields.enumerated() {
      var value = troupe_call_value(field.value, type(field))
      if !field.name.isEmpty {
        let name = field.name.utf8CString
        _ = UnsafeMutableBufferPointer(start: next, count: name.count).initialize(from: name)
        value.name = UnsafePointer(next)
        next += name.count
      }
      (values + index).initialize(to: value)
    }
    self.init(TROUPE_VALUE_STRUCT, count: fields.count) { $0.values = UnsafePointer(values) }
  }

  private init(text: String) {
    var text = text
    let count = text.utf8.count
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: count + 1)
    text.withUTF8 { UnsafeMutableRawBufferPointer(start: copy, count: count).copyMemory(from: UnsafeRawBufferPointer($0)) }
    copy[count] = 0
    self.init(TROUPE_VALUE_STRING, count: count) { $0.string = UnsafePointer(copy) }
  }

  private static func memory(_ bytes: UnsafeRawBufferPointer, count: Int) -> troupe_call_value {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 16)
    copy.copyMemory(from: bytes)
    return troupe_call_value(TROUPE_VALUE_MEMORY, count: count) { $0.memory = copy.baseAddress }
  }

  /// Returns memory for values and `further` bytes behind them.
  private static func block(_ count: Int, further: Int = 0) -> UnsafeMutablePointer<troupe_call_value> {
    let size = count * MemoryLayout<troupe_call_value>.stride + further
    let block = UnsafeMutableRawPointer.allocate(byteCount: max(size, 1), alignment: 16)
    return block.bindMemory(to: troupe_call_value.self, capacity: count)
  }

  /// Releases everything that the value owns, and makes it void.
  mutating func clear() {
    switch Int(kind) {
    case TROUPE_VALUE_STRING: self.as.string?.deallocate()
    case TROUPE_VALUE_MEMORY: self.as.memory?.deallocate()
    case TROUPE_VALUE_ARRAY, TROUPE_VALUE_STRUCT:
      let values = UnsafeMutablePointer(mutating: self.as.values)
      for index in 0..<count { values?[index].clear() }
      values?.deallocate()
    case TROUPE_VALUE_OBJECT: ObjectHandle.release(self.as.object)
    default: break
    }
    let name = name
    self = .void
    self.name = name
  }
}

extension CType {
  fileprivate var isUnsigned: Bool {
    switch self {
    case .integer(let integer): !integer.isSigned
    case .enumeration(let enumeration): !enumeration.underlying.isSigned
    default: false
    }
  }

  /// Numbers and booleans, whose buffers are encoded without a value for each element.
  fileprivate var isNumeric: Bool {
    switch self {
    case .bool, .integer, .enumeration, .float, .double, .longDouble, .complex: true
    default: false
    }
  }
}

@c @implementation
public func troupe_call_value_clear(_ value: UnsafeMutablePointer<troupe_call_value>?) { value?.pointee.clear() }

@c @implementation
public func troupe_object_free(_ object: OpaquePointer?) { ObjectHandle.release(object) }

@c @implementation
public func troupe_object_address(_ object: OpaquePointer) -> UnsafeMutableRawPointer? {
  let handle = ObjectHandle.borrow(object).handle
  return handle.isReleased || handle.isRemote ? nil : handle.address.rawPointer
}
