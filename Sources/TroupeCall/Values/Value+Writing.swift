internal import Glibc

/// Writes a value to memory as C lays it out.
///
/// A value is written by its type, not by its case: members at their offsets, elements behind each other, and what a pointer leads to
/// (texts, buffers, copies of structs) to a `CallArena` that lives as long as the memory is used.
extension Value {
  /// The memory must be zero.
  func write(as type: CType, to place: UnsafeMutableRawPointer, _ arena: inout CallArena) throws(CallError) {
    switch type {
    case .record(let record):
      var members = try members(record)
      let isShared = record.kind == .union && members.count > 1
      // A value of a smaller or inexact type may lack bits that another member has.
      if isShared { members.sort { $0.member.type.precedence < $1.member.type.precedence } }
      for (member, value) in members {
        try Self.within(member.name) { () throws(CallError) in
          if member.isNonnull, value.isNull { throw .null(member.type) }
          try value.write(as: member.type, to: place + member.offset, &arena)
        }
      }
      if isShared {
        for (member, value) in members where try !value.isStored(as: member.type, at: place + member.offset) {
          throw .conflictingUnionMembers(type)
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
      if case .memory(let memory) = self, !memory.type.hasSameLayout(as: element) { throw .wrongBuffer(shown, element) }
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
    case .pointer:
      guard let memory = try allocated(for: type) else { return try converted(to: type).store(type, to: place, &arena) }
      arena.adopt(memory)
      place.storeBytes(of: memory.start, as: UnsafeMutableRawPointer.self)
    case .reference(let reference):
      if canBeAllocated(for: reference), let memory = try allocated(for: type) {
        arena.adopt(memory)
        return place.storeBytes(of: memory.start, as: UnsafeMutableRawPointer.self)
      }
      guard let (literal, target) = literal(for: reference) else {
        return try converted(to: type).store(type, to: place, &arena)
      }
      let size = target.size + literal.flexibleSize(target)
      guard let copy = arena.allocate(size) else { throw .noRoom(1, target) }
      let end = arena.end
      arena.end = UnsafeRawPointer(copy + size)
      defer { arena.end = end }
      try literal.write(as: target, to: copy, &arena)
      place.storeBytes(of: copy, as: UnsafeMutableRawPointer.self)
    default: try converted(to: type).store(type, to: place, &arena)
    }
  }

  /// Writes the value, and extends a narrow integer to a whole word, as in a register.
  func writeWord(as type: CType, to place: UnsafeMutableRawPointer, _ arena: inout CallArena) throws(CallError) {
    guard let word = try narrowWord(as: type) else { return try write(as: type, to: place, &arena) }
    place.storeBytes(of: word, as: UInt64.self)
  }

  /// Returns the word for a narrow integer type; nil for any other type.
  func narrowWord(as type: CType) throws(CallError) -> UInt64? {
    guard let integer = type.integer, integer.width < 64, case .integer(let value) = try converted(to: type) else { return nil }
    return UInt64(truncatingIfNeeded: value)
  }

  /// Throws if a buffer has fewer elements than the member that is its length says. C would read or write beyond its end.
  private static func checkLengths(
    _ members: [(member: CType.Record.Member, value: Value)], _ record: CType.Record, at place: UnsafeRawPointer
  ) throws(CallError) {
    for (member, value) in members {
      let (element, length): (CType, LengthExpression)
      switch member.type {
      case .sequence(let type, let expression), .flexible(let type, let expression): (element, length) = (type, expression)
      default: continue
      }
      guard !length.isTerminated, let count = value.bufferCount,
        let needed = length.count(elementSize: element.size, siblings(record, at: place)), needed > count
      else { continue }
      throw CallError.shortBuffer(count, needed: needed, element).within(member.name)
    }
  }

  var isStructure: Bool { if case .structure = self { true } else { false } }

  /// The size of the elements for the flexible array member of a type, with a zero behind them.
  private func flexibleSize(_ type: CType) -> Int {
    guard case .record(let record) = type, let member = record.members.last, case .flexible(let element, _) = member.type else {
      return 0
    }
    return ((self[member.name] ?? elements?.last)?.elementCount ?? 0) * element.size + element.size
  }

  /// Writes the elements of a buffer to the arena, with a zero behind them if that ends the buffer.
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

  /// Writes the elements of a buffer. A text is a buffer of single bytes.
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
    if let packed = elements as? PackedArray, packed.elementType.hasSameLayout(as: type) {
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

  /// The memory of a union has the value of a member. Every NaN is the same value.
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
    case .reference(let reference):
      try arena.use(reference)
      place.storeBytes(of: reference.address.address, as: UInt.self)
    case .memory(let memory):
      arena.keep(memory)
      place.storeBytes(of: memory.address.address, as: UInt.self)
    case .void, .bytes, .array, .packedArray, .structure: break
    }
  }
}

extension [Value] {
  /// Stores scalars behind each other. Returns false at the first that needs a conversion or does not fit.
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

extension CType {
  /// The order in which the members of a union are written: the last one determines the bits.
  fileprivate var precedence: (Int, Int) { (isExact ? 1 : 0, size) }

  /// A value determines all bits of a member of a union, as a NaN or `true` does not.
  private var isExact: Bool {
    switch self {
    case .bool, .float, .double, .longDouble, .complex: false
    case .array(let element, _): element.isExact
    case .record(let record): record.members.allSatisfy(\.type.isExact)
    default: true
    }
  }
}
