// include/troupe-host.h documents the public functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import CTroupeHost
internal import Synchronization
internal import TroupeCall
internal import TroupeHost

// The conversion of a `Value` to a `troupe_call_value` in memory of its own, which `clear` releases.

/// The object behind a `troupe_object`.
final class ObjectHandle: Handle, Sendable {
  /// A reference, memory or a callback.
  let value: Value
  private let tree = Mutex<CTypeTree?>(nil)

  init(_ value: Value) { self.value = value }

  /// Created at the first use; lives as long as this object.
  var cType: UnsafePointer<troupe_type> {
    tree.withLock { tree in
      let made =
        tree ?? type.map { CTypeTree($0, hasReferences: true) } ?? CTypeTree(opaque: value.reference?.type ?? "void")
      tree = made
      return made.type
    }
  }

  /// The type of what is at the address; nil for a struct that only its library knows.
  private var type: CType? {
    switch value {
    case .reference(let reference): reference.record.map(CType.record)
    case .memory(let memory): memory.type
    case .callback(let callback): .function(callback.signature)
    default: nil
    }
  }

  private func member(at path: String) -> CType? {
    if case .memory(let memory) = value, memory.count > 1 {
      return CType.array(memory.type, count: memory.count).member(at: path)
    }
    return type?.member(at: path)
  }

  func read(_ path: String) throws -> troupe_call_value {
    let member =
      switch value {
      case .reference(let reference): try reference.read(path)
      case .memory(let memory): try memory.read(path)
      default: throw noMembers
      }
    return troupe_call_value(member, self.member(at: path), references: true)
  }

  func write(_ argument: troupe_call_value, to path: String) throws {
    let member: Value
    do {
      member = try Value(argument, type: self.member(at: path), references: true)
    } catch let error as ArgumentError {
      throw Diagnosis(.invalidData, path, problem: error.problem, remedy: error.remedy)
    }
    switch value {
    case .reference(let reference): try reference.write(member, to: path)
    case .memory(let memory): try memory.write(member, to: path)
    default: throw noMembers
    }
  }

  private var noMembers: Diagnosis {
    Diagnosis(.invalidArgument, "object", problem: "is a callback, which has no members", remedy: "pass a reference or memory")
  }
}

extension troupe_call_value {
  static var void: troupe_call_value { troupe_call_value(TROUPE_VALUE_VOID) }

  private init(_ kind: Int, count: Int = 0, _ set: (inout troupe_call_value.__Unnamed_union_as) -> Void = { _ in }) {
    self.init()
    self.kind = troupe_value_kind(kind)
    self.count = count
    set(&self.as)
  }

  /// - Parameters:
  ///   - type: The C type; nil if it is unknown.
  ///   - references: The program knows references.
  ///   - copied: The structs around the value that are copied for a program that knows no references.
  ///   - field: The type of a field that the C type does not have: an output of a call.
  init(
    _ value: Value, _ type: CType?, references: Bool, copied: Set<String> = [], field: (String) -> CType? = { _ in nil }
  ) {
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
    case .packedArray(let elements): self.init(elements: elements, elements.elementType, references, copied)
    case .array(let elements): self.init(elements: elements, type?.element, references, copied)
    case .structure(let fields): self.init(fields: fields, references, copied) { type?.member($0.name) ?? field($0.name) }
    case .reference(let reference):
      // What such a pointer has been for programs since before there were references: a copy of what the function only reads, an address.
      if !references, case .reference(let type) = type, type.record != nil {
        // A struct that leads back to itself is copied once.
        guard type.isConstant, !copied.contains(type.name), let members = try? reference.read() else {
          self.init(TROUPE_VALUE_POINTER) { $0.pointer = reference.address.rawPointer }
          return
        }
        self.init(members, type.record.map(CType.record), references: false, copied: copied.union([type.name]))
        return
      }
      let kind = references && reference.record != nil ? TROUPE_VALUE_REFERENCE : TROUPE_VALUE_OBJECT
      self.init(kind) { $0.object = ObjectHandle(value).retainedPointer() }
    case .memory(let memory): self.init(TROUPE_VALUE_POINTER) { $0.pointer = memory.address.rawPointer }
    // A call returns no callback.
    case .callback: self = .void
    }
  }

  private init(elements: some Collection<Value>, _ type: CType?, _ references: Bool, _ copied: Set<String>) {
    let values = Self.block(elements.count)
    for (index, element) in elements.enumerated() {
      (values + index).initialize(to: troupe_call_value(element, type, references: references, copied: copied))
    }
    self.init(TROUPE_VALUE_ARRAY, count: elements.count) { $0.values = UnsafePointer(values) }
  }

  private init(fields: [Value.Field], _ references: Bool, _ copied: Set<String>, type: (Value.Field) -> CType?) {
    let values = Self.block(fields.count, further: fields.reduce(0) { $0 + $1.name.utf8.count + 1 })
    var next = UnsafeMutableRawPointer(values + fields.count).assumingMemoryBound(to: CChar.self)
    for (index, field) in fields.enumerated() {
      var value = troupe_call_value(field.value, type(field), references: references, copied: copied)
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
    case TROUPE_VALUE_OBJECT, TROUPE_VALUE_REFERENCE: ObjectHandle.release(self.as.object)
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
  switch ObjectHandle.borrow(object).value {
  case .reference(let reference): reference.isReleased || reference.isRemote ? nil : reference.address.rawPointer
  case .memory(let memory): memory.address.rawPointer
  case .callback(let callback): UnsafeMutableRawPointer(mutating: callback.address)
  default: nil
  }
}

@c @implementation
public func troupe_object_type(_ object: OpaquePointer) -> UnsafePointer<troupe_type> { ObjectHandle.borrow(object).cType }

@c @implementation
public func troupe_object_read(
  _ object: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ result: UnsafeMutablePointer<troupe_call_value>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> troupe_status {
  ErrorHandle.status(error) {
    guard let result else { throw Diagnosis.missing("result") }
    result.pointee = .void
    result.pointee = try ObjectHandle.borrow(object, as: "object").read(String(path, as: "path"))
  }
}

@c @implementation
public func troupe_object_write(
  _ object: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ value: UnsafePointer<troupe_call_value>?,
  _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> troupe_status {
  ErrorHandle.status(error) {
    guard let value else { throw Diagnosis.missing("value") }
    try ObjectHandle.borrow(object, as: "object").write(value.pointee, to: String(path, as: "path"))
  }
}

@c @implementation
public func troupe_memory_new(
  _ type: UnsafePointer<CChar>?, _ count: Int, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
  ErrorHandle.pointer(error, of: "type") {
    let type = try CType(parsing: String(type, as: "type"))
    guard count > 0 else {
      throw Diagnosis(.invalidArgument, "count", problem: "is \(count)", remedy: "give the number of elements, at least 1")
    }
    return ObjectHandle(.memory(try ForeignMemory(type, count: count))).retainedPointer()
  }
}

@c @implementation
public func troupe_callback_new(
  _ signature: UnsafePointer<CChar>?, _ callback: UnsafePointer<troupe_callback>?,
  _ destroy: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> OpaquePointer? {
  ErrorHandle.pointer(error, of: "signature") {
    let signature = try Signature(parsing: String(signature, as: "signature"))
    guard callback?.pointee.invoke != nil else { throw Diagnosis.missing("callback") }
    return ObjectHandle(.callback(try Callback(callback, signature, references: true, destroy: destroy))).retainedPointer()
  }
}
