internal import Glibc

/// Fits values to C types. No conversion loses a bit in silence, except that numbers are rounded to narrower floating-point types.
extension Value {
  /// Fits the value to a C type, or throws if the type cannot hold it.
  ///
  /// | from | to | |
  /// |---|---|---|
  /// | integer, bool | an integer type | if it is in the range; false is 0, true is 1 |
  /// | integer | `bool` | if it is 0 or 1 |
  /// | integer | an enumeration | if the underlying type holds it |
  /// | string | an enumeration | if it is one of the names |
  /// | integer | `float`, `double`, `long double` | if the type holds exactly that number |
  /// | floating | an integer type | if it is a whole number in the range |
  /// | floating | a wider floating type | always exact |
  /// | floating | a narrower floating type | rounded to the nearest, unless that turns a finite number into an infinite one |
  /// | string | `string` | if there is no NUL in it |
  /// | string `inf`, `-inf`, `nan` | a floating type | the number, which JSON can only write like this |
  /// | string with a decimal number | `long double` | the nearest, since JSON's numbers are not as exact |
  /// | null pointer, nil string | `string`, a pointer, a reference, a callback | NULL |
  /// | pointer | a pointer, a reference, a callback, `string` | always |
  /// | callback | a callback | if both have the same signature, names aside |
  /// | number, array of two numbers | a complex type | as each part does |
  /// | reference | a reference, `void *` | if it is of the same struct |
  /// | memory of bytes | `string` | C reads up to the first zero |
  /// | memory | a pointer, a reference, a buffer | if it is memory of that type, or the pointer is `void *` |
  /// | structure, array | a reference to a defined `struct` | as the struct does, or as the elements of an array do; members that are left out are zero |
  /// | structure | a `struct` | if it has all members and no others, in any order |
  /// | structure | a `union` | if it has one of the members, or several with the same bytes, and no others |
  /// | array | an array, a `struct` | if it has as many elements, each of which fits |
  /// | array, text, bytes, `{bytes: 64}` | a parameter that is another pointer | the call allocates the elements; text and bytes for pointers to bytes and `void *` |
  /// | bytes | an array of a type of one byte | if there are as many |
  /// | string | an array of `char` | if there is room for its UTF-8; the rest is 0 |
  ///
  /// Nothing else fits. Nothing fits `resolver`, and only `void` fits `void`.
  ///
  /// - Returns: A value of the case of the type: `.integer` for an integer type, `.float` for `float`.
  /// - Throws: A `CallError` with the code `argumentType` for a value of another kind, and `argumentRange` for one that the type cannot hold.
  public func converted(to type: CType) throws(CallError) -> Value {
    switch type {
    case .void: if self == .void { return self }
    case .bool: if let bool = try asBool() { return .bool(bool) }
    case .integer: if let value = try asInteger(type) { return .integer(value) }
    case .enumeration(let enumeration):
      if let value = try asInteger(type) { return .integer(value) }
      if case .string(let name?) = self, let value = enumeration.value(of: name) { return .integer(value) }
    case .float: if let float = try asFloat() { return .float(float) }
    case .double: if let double = try asDouble() { return .double(double) }
    case .longDouble: if let number = try asLongDouble() { return .longDouble(number) }
    case .string, .wideString:
      if let string = try asString() { return .string(string) }
      // C reads the text where it is.
      switch self {
      case .pointer: return self
      case .memory(let memory) where memory.type.isByte && type == .string: return self
      default: break
      }
    case .pointer(let pointer):
      if let address = asPointer { return .pointer(address) }
      switch self {
      case .memory(let memory) where memory.fits(pointer): return self
      case .reference where pointer.spelling.hasSuffix("void *"): return self
      default: if canBeAllocated(for: pointer) { return self }
      }
    case .reference(let reference):
      if let address = asPointer { return .pointer(address) }
      switch self {
      case .reference(let value) where value.type == reference.name: return self
      case .memory(let memory) where memory.fits(reference): return self
      default:
        if canBeAllocated(for: reference) { return self }
        if let literal = literal(for: reference) { return try literal.value.converted(to: literal.type) }
      }
    case .sequence(let element, let length), .flexible(let element, let length):
      if let pointer = asPointer { return .pointer(pointer) }
      if case .memory(let memory) = self, memory.type.hasSameLayout(as: element) { return self }
      let array = CType.array(element, count: elementCount ?? 0)
      if case .string = self, !array.isBytes { break }
      if let count = length.constant, let given = elementCount, given != count {
        throw .wrongElementCount(given, .array(element, count: count))
      }
      return try converted(to: array)
    case .function(let signature):
      if let pointer = asPointer { return .pointer(pointer) }
      if case .callback(let callback) = self {
        guard callback.signature.isCompatible(with: signature) else { throw .wrongCallback(callback.signature, type) }
        return self
      }
    case .complex(let real): return .array(try parts(real).map { part throws(CallError) in try part.converted(to: real.type) })
    case .array(let element, let count):
      if let bytes = try asBytes(type, count) { return .bytes(bytes) }
      return .array(try Self.converted(try elements(type, count), to: element))
    case .record(let record):
      var converted: [Field] = []
      for (member, value) in try members(record) {
        let value = try Self.within(member.name) { () throws(CallError) in try value.converted(to: member.type) }
        converted.append(Field(member.name, value))
      }
      if record.kind == .union, converted.count > 1 { try checkMembers(of: type) }
      return .structure(converted)
    case .resolver: break
    }
    throw .wrongType(shown, type)
  }

  /// A value that is written to memory of the call for a reference, and the type of the memory: the struct, or an array of them. Members that
  /// are left out are zero, as in C. Nil for a value of another kind, and for an opaque struct.
  func literal(for reference: CType.Reference) -> (value: Value, type: CType)? {
    guard let record = reference.record else { return nil }
    let type = CType.record(record)
    switch self {
    case .structure(let fields): return (.structure(record.completed(fields)), type)
    case .packedArray(let elements) where elements.elementType.hasSameLayout(as: type):
      return (self, .array(type, count: elements.count))
    case .array(let elements):
      guard !elements.isEmpty, elements.allSatisfy(\.isStructure), !type.consistsOfRecords(elements.count) else {
        return (self, type)
      }
      let completed = elements.map {
        if case .structure(let fields) = $0 { Value.structure(record.completed(fields)) } else { $0 }
      }
      return (.array(completed), .array(type, count: elements.count))
    case .packedArray, .bytes: return (self, type)
    default: return nil
    }
  }

  private static func converted(_ elements: some Collection<Value>, to type: CType) throws(CallError) -> [Value] {
    var converted: [Value] = []
    for (index, value) in elements.enumerated() {
      converted.append(try within("[\(index)]") { () throws(CallError) in try value.converted(to: type) })
    }
    return converted
  }

  /// Throws unless the members of a union have the same bytes.
  private func checkMembers(of type: CType) throws(CallError) {
    try withUnsafeTemporaryAllocation(byteCount: type.size, alignment: 16) {
      (memory: UnsafeMutableRawBufferPointer) throws(CallError) in
      guard let start = memory.baseAddress else { fatalError("a union has a member, and so a size") }
      memset(start, 0, type.size)
      var arena = CallArena()
      try write(as: type, to: start, &arena)
    }
  }

  // Each of these is nil for a value of a kind that never fits.

  private func asBool() throws(CallError) -> Bool? {
    switch self {
    case .bool(let bool): return bool
    case .integer(0): return false
    case .integer(1): return true
    case .integer: throw .outOfRange(shown, .bool)
    default: return nil
    }
  }

  private func asInteger(_ type: CType) throws(CallError) -> Int128? {
    let value: Int128?
    switch self {
    case .bool(let bool): value = bool ? 1 : 0
    case .integer(let integer): value = integer
    case .float(let float): value = Int128(exactly: float)
    case .double(let double): value = Int128(exactly: double)
    case .longDouble(let number): value = Int128(exactly: number.number)
    default: return nil
    }
    guard let value, let integer = type.integer, integer.range.contains(value) else { throw .outOfRange(shown, type) }
    return value
  }

  private func asFloat() throws(CallError) -> Float? {
    switch self {
    case .integer(let integer): return try exact(integer, .float)
    case .float(let float): return float
    case .double(let double): return try rounded(double, .float)
    case .longDouble(let number): return try rounded(number.number, .float)
    case .string(let string): return Self.special(string).map(Float.init)
    default: return nil
    }
  }

  private func asDouble() throws(CallError) -> Double? {
    switch self {
    case .integer(let integer): return try exact(integer, .double)
    case .float(let float): return Double(float)
    case .double(let double): return double
    case .longDouble(let number): return try rounded(number.number, .double)
    case .string(let string): return Self.special(string)
    default: return nil
    }
  }

  private func asLongDouble() throws(CallError) -> LongDouble? {
    switch self {
    case .integer(let integer): return LongDouble(number: try exact(integer, .longDouble))
    case .longDouble(let number): return number
    // What JSON has no number for comes as text.
    case .string(let text?)
    where text.first?.isNumber ?? false || text.first == "-" && text.dropFirst().first?.isNumber ?? false:
      guard let number = LongDouble(text) else { return nil }
      guard number.number.isFinite else { throw .overflow(shown, .longDouble) }
      return number
    default: return try asDouble().map { LongDouble($0) }
    }
  }

  /// Rounds to the nearest number of a narrower type. Throws if a finite number becomes infinite.
  private func rounded<Wide: BinaryFloatingPoint, Narrow: BinaryFloatingPoint>(
    _ wide: Wide, _ type: CType
  ) throws(CallError) -> Narrow {
    let narrow = Narrow(wide)
    guard narrow.isFinite || !wide.isFinite else { throw .overflow(shown, type) }
    return narrow
  }

  /// Throws if no floating-point number is exactly `integer`.
  private func exact<Number: BinaryFloatingPoint & CustomStringConvertible>(
    _ integer: Int128, _ type: CType
  ) throws(CallError) -> Number {
    // A machine instruction does it for 64 bits; 128 bits take generic code that is twenty times slower.
    let number = Int64(exactly: integer).map { Number(exactly: $0) } ?? Number(exactly: integer)
    guard let number else { throw .inexact(shown, type, nearest: Number(integer).description) }
    return number
  }

  /// Reads a number that JSON has only as text.
  private static func special(_ string: String?) -> Double? {
    switch string {
    case "inf": .infinity
    case "-inf": -.infinity
    case "nan": .nan
    default: nil
    }
  }

  /// The inner nil is a NULL string.
  private func asString() throws(CallError) -> String?? {
    switch self {
    case .string(let string):
      if string?.utf8.contains(0) == true { throw .embeddedNUL(shown) }
      return .some(string)
    case .null: return .some(nil)
    default: return nil
    }
  }

  private var asPointer: Pointer? {
    switch self {
    case .pointer(let pointer): pointer
    case .string(nil): .null
    default: nil
    }
  }

  /// Nil for a value without elements.
  var elementCount: Int? {
    if case .string(let text?) = self { text.utf8.count } else { elements?.count }
  }

  /// NULL.
  var isNull: Bool { self == .null || self == .string(nil) }

  /// Text that is not NULL.
  var isText: Bool { if case .string(_?) = self { true } else { false } }

  /// The number of elements that a buffer has room for, also in memory of C. Nil for a value without elements.
  var bufferCount: Int? {
    if case .memory(let memory) = self { memory.count } else { elementCount }
  }
}

extension CType {
  /// A struct with this number of members, all of which are structs, too.
  func consistsOfRecords(_ count: Int) -> Bool {
    guard case .record(let record) = self else { return false }
    return record.members.count == count
      && record.members.allSatisfy {
        if case .record = $0.type { true } else if case .reference = $0.type { true } else { false }
      }
  }
}
