// Both have ffi.h, and which of the two the compiler takes its structs from is not settled.
internal import CCallbacks
internal import CFFI

/// The types of one call as libffi describes them. Scalars are libffi's own constants; records are made here and live as long as
/// this.
///
/// Not shared between calls, since `ffi_prep_cif` writes the size of a record into its description.
struct ForeignTypes: ~Copyable {
  private var records: [UnsafeMutablePointer<ffi_type>] = []
  private var lists: [UnsafeMutablePointer<UnsafeMutablePointer<ffi_type>?>] = []

  init() {}

  deinit {
    for record in records { record.deallocate() }
    for list in lists { list.deallocate() }
  }

  /// Why libffi cannot pass a type, as the end of a sentence.
  struct Unsupported: Error {
    let problem: String
  }

  /// A type as libffi describes it.
  mutating func foreign(_ type: CType) throws(Unsupported) -> UnsafeMutablePointer<ffi_type> {
    switch type {
    case .void: return troupe_ffi_void()
    case .bool: return troupe_ffi_uint8()
    case .integer(let integer): return integer.foreign
    case .enumeration(let enumeration): return enumeration.underlying.foreign
    case .float: return troupe_ffi_float()
    case .double: return troupe_ffi_double()
    case .longDouble: return troupe_ffi_longdouble()
    case .complex(.float): return troupe_ffi_complex_float()
    case .complex(.double): return troupe_ffi_complex_double()
    case .complex(.longDouble): return troupe_ffi_complex_longdouble()
    case .string, .pointer, .function, .resolver: return troupe_ffi_pointer()
    case .record(let record): return try foreign(record)
    case .array: throw Unsupported(problem: "an array is not passed by value")
    }
  }

  private mutating func foreign(_ record: CType.Record) throws(Unsupported) -> UnsafeMutablePointer<ffi_type> {
    let type = CType.record(record)
    if type.hasMisplacedMember, record.size <= 16 {
      throw Unsupported(problem: "it cannot pass a packed struct of at most 16 bytes with members out of their alignment")
    }
    #if arch(x86_64)
      // libffi has no unions and no packed structs, not within others either, but a struct that is passed alike will do.
      if type.holds(where: { $0.kind == .union || $0.isPacked }) {
        if record.size > 16 { return make(record, elements: words(record.size)) }
        if let floats = RegisterPlan.floatWords(type) { return make(record, elements: elements(floats, size: record.size)) }
        if type.holds(where: { $0.kind == .union }) {
          throw Unsupported(problem: "it cannot pass a union of at most 16 bytes with a long double")
        }
      }
    #else
      if type.hasMisplacedMember { return make(record, elements: words(record.size)) }
      if type.holds(where: { $0.kind == .union }) { throw Unsupported(problem: "it cannot pass a union on this machine") }
    #endif
    var elements: [UnsafeMutablePointer<ffi_type>] = []
    for member in record.members { elements += try flattened(member.type) }
    return make(record, elements: elements)
  }

  /// The elements that a member is: several for an array.
  private mutating func flattened(_ type: CType) throws(Unsupported) -> [UnsafeMutablePointer<ffi_type>] {
    guard case .array(let element, let count) = type else { return [try foreign(type)] }
    let one = try flattened(element)
    return (0..<count).flatMap { _ in one }
  }

  /// Elements that are passed as words of these kinds.
  private func elements(_ floats: [Bool], size: Int) -> [UnsafeMutablePointer<ffi_type>] {
    floats.enumerated().flatMap { index, isFloat -> [UnsafeMutablePointer<ffi_type>] in
      let rest = min(8, size - 8 * index)
      if isFloat { return [rest <= 4 ? troupe_ffi_float() : troupe_ffi_double()] }
      return rest == 8 ? [troupe_ffi_uint64()] : (0..<rest).map { _ in troupe_ffi_uint8() }
    }
  }

  /// As many integers as fill a size, for what is passed in memory anyway.
  private func words(_ size: Int) -> [UnsafeMutablePointer<ffi_type>] {
    (0..<(size + 7) / 8).map { _ in troupe_ffi_uint64() }
  }

  private mutating func make(
    _ record: CType.Record, elements: [UnsafeMutablePointer<ffi_type>]
  ) -> UnsafeMutablePointer<ffi_type> {
    let list = UnsafeMutablePointer<UnsafeMutablePointer<ffi_type>?>.allocate(capacity: elements.count + 1)
    for (index, element) in elements.enumerated() { (list + index).initialize(to: element) }
    (list + elements.count).initialize(to: nil)
    let type = UnsafeMutablePointer<ffi_type>.allocate(capacity: 1)
    // A size that is there already is not computed from the elements.
    type.initialize(
      to: ffi_type(
        size: record.size, alignment: UInt16(record.alignment), type: UInt16(FFI_TYPE_STRUCT), elements: list))
    lists.append(list)
    records.append(type)
    return type
  }
}

extension CType {
  /// Whether it is such a record, or there is one in it.
  fileprivate func holds(where condition: (Record) -> Bool) -> Bool {
    switch self {
    case .array(let element, _): element.holds(where: condition)
    case .record(let record): condition(record) || record.members.contains { $0.type.holds(where: condition) }
    default: false
    }
  }
}

extension CType.Integer {
  fileprivate var foreign: UnsafeMutablePointer<ffi_type> {
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
