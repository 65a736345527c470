internal import Glibc

/// Reads a value from memory as C lays it out. The value owns copies of everything that it has read.
///
/// A wrong length or an endless text must not exhaust the memory of the host, so a `ReadBudget` limits the bytes of one result.
extension Value {
  /// - Parameters:
  ///   - isShared: True for the memory of a union, which may hold another member. Its strings are read as pointers.
  ///   - limit: The limit for the bytes of texts and of the values of elements.
  ///   - end: The end of the memory that a flexible array member may fill; nil if unknown.
  ///   - owner: Keeps the memory behind references in the value valid.
  ///   - siblings: Returns the parameters or members that lengths depend on.
  /// - Throws: A `CallError` with the code `resultText` for a string that is not UTF-8, or `resultLength` beyond the limit.
  static func read(
    _ type: CType, at place: UnsafeRawPointer, isShared: Bool = false, limit: Int = PreparedCall.defaultMaximumBufferSize,
    end: UnsafeRawPointer? = nil,
    owner: (any AnyObject & Sendable)? = nil, siblings: (LengthExpression.Factor) -> Int128? = { _ in nil }
  ) throws(CallError) -> Value {
    var budget = ReadBudget(limit: limit, end: end, owner: owner)
    return try read(type, at: place, isShared: isShared, &budget, siblings)
  }

  /// Returns a function that reads the integer members of a record, for the lengths of other members.
  static func siblings(_ record: CType.Record, at place: UnsafeRawPointer) -> (LengthExpression.Factor) -> Int128? {
    { factor in
      guard case .parameter(let index) = factor else { return nil }
      let member = record.members[index]
      return member.type.integer.map { integer($0, at: place + member.offset) }
    }
  }

  /// Reads as many elements as a length says, or those up to the first that is zero.
  private static func read(
    _ element: CType, _ length: LengthExpression, at place: UnsafeRawPointer, _ budget: inout ReadBudget,
    _ siblings: (LengthExpression.Factor) -> Int128?
  ) throws(CallError) -> Value {
    let limit = budget.end.map { max(0, $0 - place) / max(element.size, 1) } ?? .max
    var count = 0
    if length.isTerminated {
      func isZero(_ index: Int) -> Bool {
        UnsafeRawBufferPointer(start: place + index * element.size, count: element.size).allSatisfy { $0 == 0 }
      }
      while count < limit, !isZero(count) {
        count += 1
        guard count.multipliedReportingOverflow(by: element.size).partialValue <= budget.left else {
          throw .resultExceeds(limit: budget.limit)
        }
      }
    } else {
      guard let number = length.count(elementSize: element.size, siblings), let given = Int(exactly: number), given >= 0 else {
        throw .wrongLength(element)
      }
      let size = given.multipliedReportingOverflow(by: element.size)
      guard !size.overflow, size.partialValue <= budget.limit else {
        throw .resultTooLarge(given, element, limit: budget.limit)
      }
      count = min(given, limit)
    }
    return try readBuffer(element, count: count, at: place, limit: budget.left, owner: budget.owner)
  }

  private static func read(
    _ type: CType, at place: UnsafeRawPointer, isShared: Bool, _ budget: inout ReadBudget,
    _ siblings: (LengthExpression.Factor) -> Int128? = { _ in nil }
  ) throws(CallError) -> Value {
    // A union may hold another member, whose bytes are no valid pointer here.
    if isShared, type.followsPointer { return .pointer(Pointer(address: place.loadUnaligned(as: UInt.self))) }
    // Other memory ends elsewhere.
    let end = budget.end
    if type.followsPointer { budget.end = nil }
    defer { budget.end = end }
    switch type {
    case .void, .resolver: return .void
    case .bool: return .bool(place.load(as: UInt8.self) != 0)
    case .integer(let integer): return .integer(self.integer(integer, at: place))
    case .enumeration(let enumeration): return .integer(integer(enumeration.underlying, at: place))
    case .float: return .float(place.loadUnaligned(as: Float.self))
    case .double: return .double(place.loadUnaligned(as: Double.self))
    case .longDouble: return .longDouble(LongDouble(number: place.loadUnaligned(as: LongDouble.Number.self)))
    case .complex(let real):
      return .array([
        try read(real.type, at: place, isShared: isShared, &budget),
        try read(real.type, at: place + real.type.size, isShared: isShared, &budget),
      ])
    case .string:
      guard let start = UnsafePointer<CChar>(bitPattern: place.loadUnaligned(as: UInt.self)) else { return .string(nil) }
      let bytes = UnsafeBufferPointer(start: start, count: strnlen(start, budget.left < .max ? budget.left + 1 : .max))
      try budget.take(bytes.count)
      guard let string = String(validating: UnsafeRawBufferPointer(bytes), as: UTF8.self) else { throw .resultIsNotUTF8 }
      return .string(string)
    case .wideString(let integer):
      guard let start = UnsafeRawPointer(bitPattern: place.loadUnaligned(as: UInt.self)) else { return .string(nil) }
      guard case .packedArray(let units) = try read(.integer(integer), .terminated, at: start, &budget, siblings) else {
        return .string(nil)
      }
      let text = units.withUnsafeBytes { bytes in
        integer.width == 16
          ? String(validating: bytes.bindMemory(to: UInt16.self), as: UTF16.self)
          : String(validating: bytes.bindMemory(to: UInt32.self), as: UTF32.self)
      }
      guard let text else { throw .resultIsNotText(type) }
      return .string(text)
    case .pointer, .function: return .pointer(Pointer(address: place.loadUnaligned(as: UInt.self)))
    case .reference(let reference):
      let address = Pointer(address: place.loadUnaligned(as: UInt.self))
      return address == .null ? .null : .reference(ForeignReference(reference, address: address, owner: budget.owner))
    case .sequence(let element, let length):
      guard let start = UnsafeRawPointer(bitPattern: place.loadUnaligned(as: UInt.self)) else { return .null }
      return try read(element, length, at: start, &budget, siblings)
    case .flexible(let element, let length): return try read(element, length, at: place, &budget, siblings)
    case .record(let record):
      try budget.take(record.members.count * MemoryLayout<Field>.stride)
      var fields: [Field] = []
      let siblings = Self.siblings(record, at: place)
      for member in record.members {
        let isShared = isShared || record.kind == .union
        let value: Value
        do throws(CallError) {
          value = try read(member.type, at: place + member.offset, isShared: isShared, &budget, siblings)
        } catch {
          // C has other things than text behind a `const char *`, which the reader of the struct need not want.
          guard error.code == .resultText, member.type.isPointerToText else { throw error }
          value = .pointer(Pointer(address: (place + member.offset).loadUnaligned(as: UInt.self)))
        }
        if member.name.isEmpty, case .structure(let inner) = value {
          fields += inner
        } else {
          fields.append(Field(member.name, value))
        }
      }
      return .structure(fields)
    case .array(let element, let count):
      return try read(element, count: count, at: place, isText: type.isText, isShared: isShared, &budget)
    }
  }

  /// Copies the elements of a buffer.
  ///
  /// - Parameter limit: The limit for the bytes of texts and of the values of elements.
  static func readBuffer(
    _ element: CType, count: Int, at place: UnsafeRawPointer, limit: Int, owner: (any AnyObject & Sendable)? = nil
  ) throws(CallError) -> Value {
    let array = CType.array(element, count: 0)
    guard element.isBitwiseCopyable, !array.isBytes else {
      var budget = ReadBudget(limit: limit, owner: owner)
      return try read(element, count: count, at: place, isText: array.isText, isShared: false, &budget)
    }
    guard let copy = PackedArray(element, count: count, copying: place) else { throw .noRoom(Int128(count), element) }
    return .packedArray(copy)
  }

  /// Reads elements behind each other. `char` becomes text if no byte is lost, and any other single bytes become bytes.
  private static func read(
    _ element: CType, count: Int, at place: UnsafeRawPointer, isText: Bool, isShared: Bool, _ budget: inout ReadBudget
  ) throws(CallError) -> Value {
    if case .integer(let integer) = element, integer.width == 8 {
      try budget.take(count)
      let bytes = [UInt8](UnsafeRawBufferPointer(start: place, count: count))
      if isText {
        let text = bytes.prefix { $0 != 0 }
        if bytes[text.endIndex...].allSatisfy({ $0 == 0 }), let string = String(validating: text, as: UTF8.self) {
          return .string(string)
        }
      }
      return .bytes(bytes)
    }
    try budget.take(count, each: MemoryLayout<Value>.stride)
    var elements: [Value] = []
    elements.reserveCapacity(count)
    let size = element.size
    let end = budget.end
    defer { budget.end = end }
    for index in 0..<count {
      // An element has no room for a flexible array member.
      budget.end = place + (index + 1) * size
      elements.append(try read(element, at: place + index * size, isShared: isShared, &budget))
    }
    return .array(elements)
  }

  static func integer(_ type: CType.Integer, at place: UnsafeRawPointer) -> Int128 {
    switch (type.width, type.isSigned) {
    case (8, true): Int128(place.load(as: Int8.self))
    case (8, false): Int128(place.load(as: UInt8.self))
    case (16, true): Int128(place.loadUnaligned(as: Int16.self))
    case (16, false): Int128(place.loadUnaligned(as: UInt16.self))
    case (32, true): Int128(place.loadUnaligned(as: Int32.self))
    case (32, false): Int128(place.loadUnaligned(as: UInt32.self))
    case (_, true): Int128(place.loadUnaligned(as: Int64.self))
    case (_, false): Int128(place.loadUnaligned(as: UInt64.self))
    }
  }
}

/// The bytes that are left for texts and values of elements.
private struct ReadBudget {
  let limit: Int
  private(set) var left: Int
  /// The end of the memory that a flexible array member may fill; nil if unknown.
  var end: UnsafeRawPointer?
  /// Keeps the memory behind references valid.
  let owner: (any AnyObject & Sendable)?

  init(limit: Int, end: UnsafeRawPointer? = nil, owner: (any AnyObject & Sendable)?) {
    (self.limit, left, self.end, self.owner) = (limit, limit, end, owner)
  }

  /// Throws a `CallError` with the code `resultLength` if less is left.
  mutating func take(_ count: Int, each size: Int = 1) throws(CallError) {
    let (bytes, isTooLarge) = count.multipliedReportingOverflow(by: size)
    guard !isTooLarge, bytes <= left else { throw .resultExceeds(limit: limit) }
    left -= bytes
  }
}

extension CType {
  /// Reading a value follows a pointer.
  var followsPointer: Bool {
    switch self {
    case .string, .wideString, .sequence: true
    case .reference(let reference): reference.record != nil
    default: false
    }
  }

  fileprivate var isPointerToText: Bool {
    switch self {
    case .string, .wideString: true
    default: false
    }
  }
}
