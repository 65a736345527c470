internal import Glibc

extension [Value] {
  /// Stores scalars behind each other; false, and some may have been stored, if one needs a conversion or does not fit.
  fileprivate func storeWords(_ kind: ScalarKind, size: Int, to place: UnsafeMutableRawPointer) -> Bool {
    var place = place
    for element in self {
      guard let word = element.word(kind) else { return false }
      switch size {
      case 1: place.storeBytes(of: UInt8(truncatingIfNeeded: word), as: UInt8.self)
      case 2: place.storeBytes(of: UInt16(truncatingIfNeeded: word), as: UInt16.self)
      case 4: place.storeBytes(of: UInt32(truncatingIfNeeded: word), as: UInt32.self)
      default: place.storeBytes(of: word, as: UInt64.self)
      }
      place += size
    }
    return true
  }
}

/// Writes values into memory in C's layout, and reads them.
extension Value {
  /// Writes the value as a type. The memory is zero before.
  ///
  /// - Parameter arena: Where strings go.
  func write(as type: CType, to place: UnsafeMutableRawPointer, _ arena: inout CallArena) throws(CallError) {
    switch type {
    case .record(let record):
      var members = try members(record)
      let isShared = record.kind == .union && members.count > 1
      // A value of a smaller or inexact type may lack bits that another member has.
      if isShared { members.sort { $0.member.type.precedence < $1.member.type.precedence } }
      for (member, value) in members {
        try Self.within(member.name) { () throws(CallError) in
          try value.write(as: member.type, to: place + member.offset, &arena)
        }
      }
      if isShared {
        for (member, value) in members where try !value.isStored(as: member.type, at: place + member.offset) {
          throw .unequalMembers(type)
        }
      } else {
        try Self.checkLengths(members, record, at: place)
      }
    case .array(let element, let count):
      if let bytes = try asBytes(type, count) {
        Self.copy(bytes, to: place)
      } else {
        try Self.write(try elements(type, count), as: element, to: place, &arena)
      }
    case .complex(let real): try Self.write(try parts(real), as: real.type, to: place, &arena)
    case .sequence(let element, let length):
      if elementCount != nil {
        let buffer = try allocateElements(as: element, length, &arena)
        return place.storeBytes(of: buffer, as: UnsafeMutableRawPointer.self)
      }
      if case .memory(let memory) = self, !memory.type.hasSameMemory(as: element) { throw .wrongBuffer(shown, element) }
      try converted(to: type).store(type, to: place, &arena)
    case .flexible(let element, let length):
      guard let count = elementCount else { throw .wrongType(shown, type) }
      let size = (count + (length.isTerminated ? 1 : 0)).multipliedReportingOverflow(by: element.size)
      guard let end = arena.end, !size.overflow, size.partialValue <= end - UnsafeRawPointer(place) || count == 0 else {
        throw .tooManyElements(count, element)
      }
      try writeElements(as: element, to: place, &arena)
      // The memory may hold more elements of an earlier write.
      if length.isTerminated, size.partialValue <= end - UnsafeRawPointer(place) {
        memset(place + count * element.size, 0, element.size)
      }
    case .pointer(let pointer) where elementCount != nil || isStructure:
      guard let pointee = pointer.pointee else { throw .wrongType(shown, type) }
      let size = pointee.size + flexibleSize(pointee)
      guard let copy = arena.allocate(size) else { throw .noRoom(1, pointee) }
      let end = arena.end
      arena.end = UnsafeRawPointer(copy + size)
      defer { arena.end = end }
      try write(as: pointee, to: copy, &arena)
      place.storeBytes(of: copy, as: UnsafeMutableRawPointer.self)
    default: try converted(to: type).store(type, to: place, &arena)
    }
  }

  /// Writes the value as a type; a narrow integer as a whole word, as in a register.
  func writeWord(as type: CType, to place: UnsafeMutableRawPointer, _ arena: inout CallArena) throws(CallError) {
    guard let word = try narrowWord(as: type) else { return try write(as: type, to: place, &arena) }
    place.storeBytes(of: word, as: UInt64.self)
  }

  /// The word of a narrow integer type; nil for any other type.
  func narrowWord(as type: CType) throws(CallError) -> UInt64? {
    guard let integer = type.integer, integer.width < 64, case .integer(let value) = try converted(to: type) else { return nil }
    return UInt64(truncatingIfNeeded: value)
  }

  /// Throws if a member's buffer has fewer elements than another member, its length, says. C would read or write beyond its end.
  private static func checkLengths(
    _ members: [(member: CType.Record.Member, value: Value)], _ record: CType.Record, at place: UnsafeRawPointer
  ) throws(CallError) {
    for (member, value) in members {
      guard case .sequence(let element, let length) = member.type, let count = value.bufferCount,
        let needed = length.count(elementSize: element.size, siblings(record, at: place)), needed > count
      else { continue }
      throw CallError.shortBuffer(count, needed: needed, element).within(member.name)
    }
  }

  private var isStructure: Bool { if case .structure = self { true } else { false } }

  /// The size of the elements that the value has for the flexible array member of a type, and of a zero behind them.
  private func flexibleSize(_ type: CType) -> Int {
    guard case .record(let record) = type, let member = record.members.last, case .flexible(let element, _) = member.type else {
      return 0
    }
    return ((self[member.name] ?? elements?.last)?.elementCount ?? 0) * element.size + element.size
  }

  /// Allocates and writes the elements of a buffer, and a zero behind them if that ends it.
  func allocateElements(
    as type: CType, _ length: LengthExpression, _ arena: inout CallArena
  ) throws(CallError) -> UnsafeMutableRawPointer {
    let count = elementCount ?? 0
    let size = (count + (length.isTerminated ? 1 : 0)).multipliedReportingOverflow(by: type.size)
    guard !size.overflow, let place = arena.allocate(size.partialValue) else { throw .noRoom(Int128(count), type) }
    // No element has room for a flexible array member.
    let end = arena.end
    arena.end = nil
    defer { arena.end = end }
    try writeElements(as: type, to: place, &arena)
    return place
  }

  /// Writes the elements of a buffer; of single bytes also those of a text.
  func writeElements(as type: CType, to place: UnsafeMutableRawPointer, _ arena: inout CallArena) throws(CallError) {
    var bytes: [UInt8]?
    if type.isByte {
      if case .bytes(let given) = self { bytes = given }
      if case .string(let text?) = self { bytes = Array(text.utf8) }
    }
    if let bytes {
      Self.copy(bytes, to: place)
    } else if let elements {
      try Self.write(elements, as: type, to: place, &arena)
    } else {
      throw .wrongBuffer(shown, type)
    }
  }

  private static func copy(_ bytes: [UInt8], to place: UnsafeMutableRawPointer) {
    UnsafeMutableRawBufferPointer(start: place, count: bytes.count).copyBytes(from: bytes)
  }

  /// Writes elements behind each other.
  static func write(
    _ elements: some Collection<Value>, as type: CType, to place: UnsafeMutableRawPointer, _ arena: inout CallArena
  ) throws(CallError) {
    if let packed = elements as? PackedArray, packed.elementType.hasSameMemory(as: type) {
      return UnsafeMutableRawBufferPointer(start: place, count: packed.bytes.count).copyMemory(from: packed.bytes)
    }
    let size = type.size
    if let kind = ScalarKind(type), let array = elements as? [Value], array.storeWords(kind, size: size, to: place) {
      return
    }
    for (index, element) in elements.enumerated() {
      try within("[\(index)]") { () throws(CallError) in try element.write(as: type, to: place + index * size, &arena) }
    }
  }

  /// Whether a union's memory has the value of one of its members. Every NaN is the same value.
  private func isStored(as type: CType, at place: UnsafeRawPointer) throws(CallError) -> Bool {
    switch type {
    case .record(let record):
      for (member, value) in try members(record) where try !value.isStored(as: member.type, at: place + member.offset) {
        return false
      }
      return true
    case .array(let element, let count):
      if let bytes = try asBytes(type, count) { return bytes.elementsEqual(UnsafeRawBufferPointer(start: place, count: count)) }
      return try Self.areStored(try elements(type, count), as: element, at: place)
    case .complex(let real): return try Self.areStored(try parts(real), as: real.type, at: place)
    default:
      switch (try converted(to: type), try Self.read(type, at: place, isShared: true)) {
      case (.float(let value), .float(let stored)):
        return value.bitPattern == stored.bitPattern || value.isNaN && stored.isNaN
      case (.double(let value), .double(let stored)):
        return value.bitPattern == stored.bitPattern || value.isNaN && stored.isNaN
      case (.longDouble(let value), .longDouble(let stored)):
        let (value, stored) = (value.number, stored.number)
        return value == stored && value.sign == stored.sign || value.isNaN && stored.isNaN
      case (let value, let stored): return value == stored || value == .string(nil) && stored == .null
      }
    }
  }

  private static func areStored(
    _ elements: some Collection<Value>, as type: CType, at place: UnsafeRawPointer
  ) throws(CallError) -> Bool {
    for (index, element) in elements.enumerated() where try !element.isStored(as: type, at: place + index * type.size) {
      return false
    }
    return true
  }

  /// Stores a value that has been converted to a scalar type.
  private func store(_ type: CType, to place: UnsafeMutableRawPointer, _ arena: inout CallArena) throws(CallError) {
    switch self {
    case .bool(let bool): place.storeBytes(of: bool ? 1 : 0, as: UInt8.self)
    case .integer(let integer):
      // Two's complement needs no look at the sign.
      let bits = UInt64(truncatingIfNeeded: integer)
      withUnsafeBytes(of: bits.littleEndian) { place.copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: type.size) }
    case .float(let float): place.storeBytes(of: float, as: Float.self)
    case .double(let double): place.storeBytes(of: double, as: Double.self)
    case .longDouble(let number): place.storeBytes(of: number.number, as: LongDouble.Number.self)
    case .string(let string):
      guard let string else { return place.storeBytes(of: 0, as: UInt.self) }
      if case .wideString(let integer) = type {
        let units: [Value] =
          integer.width == 16
          ? string.utf16.map { .integer(Int128($0)) } : string.unicodeScalars.map { .integer(Int128($0.value)) }
        let copy = try Value.array(units).allocateElements(as: .integer(integer), .terminated, &arena)
        return place.storeBytes(of: copy, as: UnsafeMutableRawPointer.self)
      }
      guard let copy = arena.copy(string) else { throw .noRoom(Int128(string.utf8.count), .integer(.byte)) }
      place.storeBytes(of: copy, as: UnsafeMutableRawPointer.self)
    case .pointer(let pointer): place.storeBytes(of: pointer.address, as: UInt.self)
    case .callback(let callback):
      arena.keep(callback)
      place.storeBytes(of: UInt(bitPattern: callback.address), as: UInt.self)
    case .handle(let handle):
      try arena.use(handle)
      place.storeBytes(of: handle.address.address, as: UInt.self)
    case .memory(let memory):
      arena.keep(memory)
      place.storeBytes(of: memory.address.address, as: UInt.self)
    case .void, .bytes, .array, .packedArray, .structure: break
    }
  }

  /// Reads a value of a type.
  ///
  /// - Parameters:
  ///   - isShared: Whether the memory is a union's, whose strings may be other values. They are read as pointers.
  ///   - limit: The most bytes that its texts and the values of its elements may take.
  ///   - end: Where the memory ends that a flexible array member may fill; nil if that is unknown.
  ///   - siblings: The values of the parameters or members that lengths depend on.
  /// - Throws: A `CallError` with the code `resultText` for a string that is not UTF-8, with `resultLength` beyond the limit.
  static func read(
    _ type: CType, at place: UnsafeRawPointer, isShared: Bool = false, limit: Int = .max, end: UnsafeRawPointer? = nil,
    siblings: (LengthExpression.Factor) -> Int128? = { _ in nil }
  ) throws(CallError) -> Value {
    var budget = ReadBudget(limit: limit, end: end)
    return try read(type, at: place, isShared: isShared, &budget, siblings)
  }

  /// Returns the integer members of a record, for the lengths of others.
  static func siblings(_ record: CType.Record, at place: UnsafeRawPointer) -> (LengthExpression.Factor) -> Int128? {
    { factor in
      guard case .parameter(let index) = factor else { return nil }
      let member = record.members[index]
      return member.type.integer.map { integer($0, at: place + member.offset) }
    }
  }

  /// Reads several elements: as many as a length says, or up to the first that is zero.
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
    return try readBuffer(element, count: count, at: place, limit: budget.left)
  }

  private static func read(
    _ type: CType, at place: UnsafeRawPointer, isShared: Bool, _ budget: inout ReadBudget,
    _ siblings: (LengthExpression.Factor) -> Int128? = { _ in nil }
  ) throws(CallError) -> Value {
    // Where a union's memory holds another member, nothing may be read through it.
    if isShared, type.isReadThrough { return .pointer(Pointer(address: place.loadUnaligned(as: UInt.self))) }
    // Other memory ends elsewhere.
    let end = budget.end
    if type.isReadThrough { budget.end = nil }
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
    case .pointer(let pointer):
      let address = Pointer(address: place.loadUnaligned(as: UInt.self))
      guard let pointee = pointer.pointee, let start = UnsafeRawPointer(address.rawPointer) else { return .pointer(address) }
      return try read(pointee, at: start, isShared: false, &budget)
    case .function: return .pointer(Pointer(address: place.loadUnaligned(as: UInt.self)))
    case .handle(let handle):
      guard let address = UnsafeRawPointer(bitPattern: place.loadUnaligned(as: UInt.self)) else { return .null }
      return .handle(ForeignHandle(type: handle.name, address: address))
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
        let value = try read(member.type, at: place + member.offset, isShared: isShared, &budget, siblings)
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
  /// - Parameter limit: The most bytes that the texts and the values of the elements may take.
  static func readBuffer(_ element: CType, count: Int, at place: UnsafeRawPointer, limit: Int) throws(CallError) -> Value {
    let array = CType.array(element, count: 0)
    guard element.isPackable, !array.isBytes else {
      var budget = ReadBudget(limit: limit)
      return try read(element, count: count, at: place, isText: array.isText, isShared: false, &budget)
    }
    guard let copy = PackedArray(element, count: count, copying: place) else { throw .noRoom(Int128(count), element) }
    return .packedArray(copy)
  }

  /// Reads elements that lie behind each other: as text if they are `char` and nothing is lost by that, and as bytes if they are
  /// single bytes.
  private static func read(
    _ element: CType, count: Int, at place: UnsafeRawPointer, isText: Bool, isShared: Bool, _ budget: inout ReadBudget
  ) throws(CallError) -> Value {
    if case .integer(let integer) = element, integer.width == 8 {
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

/// The bytes that the texts and the values of the elements of a result may take.
private struct ReadBudget {
  let limit: Int
  private(set) var left: Int
  /// Where the memory ends that a flexible array member may fill; nil if that is unknown.
  var end: UnsafeRawPointer?

  init(limit: Int, end: UnsafeRawPointer? = nil) { (self.limit, left, self.end) = (limit, limit, end) }

  /// Throws a `CallError` with the code `resultLength` if less is left.
  mutating func take(_ count: Int, each size: Int = 1) throws(CallError) {
    let (bytes, isTooLarge) = count.multipliedReportingOverflow(by: size)
    guard !isTooLarge, bytes <= left else { throw .resultExceeds(limit: limit) }
    left -= bytes
  }
}

extension CType {
  /// Whether reading a value follows a pointer.
  var isReadThrough: Bool {
    switch self {
    case .string, .wideString, .sequence: true
    case .pointer(let pointer): pointer.pointee != nil
    default: false
    }
  }

  /// The order in which the members of a union are written.
  fileprivate var precedence: (Int, Int) { (isExact ? 1 : 0, size) }

  /// Whether a value has all bits that a member of a union has, unlike a NaN or `true`.
  private var isExact: Bool {
    switch self {
    case .bool, .float, .double, .longDouble, .complex: false
    case .array(let element, _): element.isExact
    case .record(let record): record.members.allSatisfy(\.type.isExact)
    default: true
    }
  }
}
