// Both have ffi.h, and which of the two the compiler takes its structs from is not settled.
internal import CCallbacks
internal import CFFI

/// The `ffi_type` descriptions of the types of one call. Those of scalars are constants of libffi. Those of structs are allocated here.
///
/// libffi knows neither unions nor packed structs. On x86-64 such a type is described as a struct whose elements have the same eightbyte
/// classes, so that it gets the same registers.
///
/// Calls do not share descriptions, since `ffi_prep_cif` writes the size of a struct into its description.
struct FFITypes: ~Copyable {
  private var records: [UnsafeMutablePointer<ffi_type>] = []
  private var lists: [UnsafeMutablePointer<UnsafeMutablePointer<ffi_type>?>] = []

  deinit {
    for record in records { record.deallocate() }
    for list in lists { list.deallocate() }
  }

  /// libffi cannot pass a type.
  struct Unsupported: Error {
    /// The end of a sentence.
    let problem: String
  }

  /// - Parameter isResult: The type is a function's result. libffi describes a record differently then.
  mutating func describe(
    _ type: CType, isResult: Bool = false
  ) throws(Unsupported) -> UnsafeMutablePointer<ffi_type> {
    switch type {
    case .void: return troupe_ffi_void()
    case .bool: return troupe_ffi_uint8()
    case .integer(let integer): return integer.ffiType
    case .enumeration(let enumeration): return enumeration.underlying.ffiType
    case .float: return troupe_ffi_float()
    case .double: return troupe_ffi_double()
    case .longDouble: return troupe_ffi_longdouble()
    case .complex(.float): return troupe_ffi_complex_float()
    case .complex(.double): return troupe_ffi_complex_double()
    case .complex(.longDouble): return troupe_ffi_complex_longdouble()
    case .string, .wideString, .pointer, .reference, .sequence, .function, .resolver: return troupe_ffi_pointer()
    case .record(let record): return try describe(record, isResult: isResult)
    case .array, .flexible: throw Unsupported(problem: "an array is not passed by value")
    }
  }

  private mutating func describe(
    _ record: CType.Record, isResult: Bool
  ) throws(Unsupported) -> UnsafeMutablePointer<ffi_type> {
    #if arch(x86_64)
      let type = CType.record(record)
      guard let eightbytes = isResult ? type.eightbytes : type.argumentEightbytes else {
        return inMemory(record, isResult: isResult)
      }
      // libffi passes a struct of one long double wrongly.
      if eightbytes.first == .x87 { return troupe_ffi_longdouble() }
      return make(record, elements: elements(eightbytes, size: record.size))
    #else
      if CType.record(record).holdsUnion { throw Unsupported(problem: "it cannot pass a union on this machine") }
      if CType.record(record).hasMisplacedMember { return make(record, elements: integers(record.size)) }
      var elements: [UnsafeMutablePointer<ffi_type>] = []
      for member in record.members { elements += try flattened(member.type) }
      return make(record, elements: elements)
    #endif
  }

  /// Describes a record in a way that makes libffi pass it in memory.
  private mutating func inMemory(_ record: CType.Record, isResult: Bool) -> UnsafeMutablePointer<ffi_type> {
    guard isResult else { return make(record, elements: [troupe_ffi_longdouble()]) }
    let type = make(record, elements: integers(24))
    type.pointee.size = max(24, record.size)
    return type
  }

  /// Describes a member; libffi has no arrays, so an array is its elements.
  private mutating func flattened(_ type: CType) throws(Unsupported) -> [UnsafeMutablePointer<ffi_type>] {
    if case .flexible = type { return [] }
    guard case .array(let element, let count) = type else { return [try describe(type)] }
    let one = try flattened(element)
    return (0..<count).flatMap { _ in one }
  }

  /// Returns elements with these classes.
  private func elements(_ eightbytes: [EightbyteClass], size: Int) -> [UnsafeMutablePointer<ffi_type>] {
    eightbytes.enumerated().flatMap { index, eightbyte -> [UnsafeMutablePointer<ffi_type>] in
      let rest = min(8, size - 8 * index)
      if eightbyte == .float { return [rest <= 4 ? troupe_ffi_float() : troupe_ffi_double()] }
      return rest == 8 ? [troupe_ffi_uint64()] : (0..<rest).map { _ in troupe_ffi_uint8() }
    }
  }

  private func integers(_ size: Int) -> [UnsafeMutablePointer<ffi_type>] {
    (0..<(size + 7) / 8).map { _ in troupe_ffi_uint64() }
  }

  private mutating func make(
    _ record: CType.Record, elements: [UnsafeMutablePointer<ffi_type>]
  ) -> UnsafeMutablePointer<ffi_type> {
    let list = UnsafeMutablePointer<UnsafeMutablePointer<ffi_type>?>.allocate(capacity: elements.count + 1)
    for (index, element) in elements.enumerated() { (list + index).initialize(to: element) }
    (list + elements.count).initialize(to: nil)
    let type = UnsafeMutablePointer<ffi_type>.allocate(capacity: 1)
    // libffi keeps a size that is not zero.
    type.initialize(
      to: ffi_type(
        size: record.size, alignment: UInt16(record.alignment), type: UInt16(FFI_TYPE_STRUCT), elements: list))
    lists.append(list)
    records.append(type)
    return type
  }
}

extension CType {
  fileprivate var holdsUnion: Bool {
    switch self {
    case .array(let element, _): element.holdsUnion
    case .record(let record): record.kind == .union || record.members.contains { $0.type.holdsUnion }
    default: false
    }
  }

  /// A member lies at an offset that is no multiple of its alignment, as in a packed struct.
  fileprivate var hasMisplacedMember: Bool { isMisplaced(at: 0) }

  private func isMisplaced(at offset: Int) -> Bool {
    switch self {
    case .record(let record): record.members.contains { $0.type.isMisplaced(at: offset + $0.offset) }
    case .array(let element, let count):
      // If the first two elements are aligned, all are.
      element.isMisplaced(at: offset) || count > 1 && element.isMisplaced(at: offset + element.size)
    default: offset % alignment != 0
    }
  }
}

extension CType.Integer {
  fileprivate var ffiType: UnsafeMutablePointer<ffi_type> {
    switch (width, isSigned) {
    case (8, true): troupe_ffi_sint8()
    case (8, false): troupe_ffi_uint8()
    case (16, true): troupe_ffi_sint16()
    case (16, false): troupe_ffi_uint16()
    case (32, true): troupe_ffi_sint32()
    case (32, false): troupe_ffi_uint32()
    case (_, true): troupe_ffi_sint64()
    case (_, false): troupe_ffi_uint64()
    }
  }
}
