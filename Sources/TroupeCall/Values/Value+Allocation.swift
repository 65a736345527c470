internal import TroupeBase

/// Memory for pointers whose signature does not say how long their targets are.
///
/// `int *` says nothing of what it leads to: one number, an array, room for a result. So the caller gives an array, a text, or a size, and the
/// call allocates memory of just that size, passes its address, and returns the contents if the function may have written them:
///
///     double (double x, int *exp)      [8.5, [0]]              {"result": 0.53125, "exp": [4]}
///     char *(char *buffer, size_t n)   [{"bytes": 64}, 64]     room for 64 bytes
extension Value {
  /// The only member of an object that stands for a number of zero bytes.
  package static var sizeName: String { "bytes" }

  /// Returns memory with the value for a pointer; nil if the value is passed as it is or fits no such pointer.
  ///
  /// - Parameter isKept: The memory outlives the call, also if the function only reads it.
  func allocated(for type: CType, isKept: Bool = false) throws(CallError) -> ForeignMemory? {
    switch type {
    case .pointer(let pointer): try allocated(for: pointer)
    case .reference(let reference): try allocated(for: reference, isKept: isKept)
    default: nil
    }
  }

  private func allocated(for pointer: CType.Pointer) throws(CallError) -> ForeignMemory? {
    guard pointer.target != nil || pointer.spelling.hasSuffix("void *") else { return nil }
    let element = pointer.target ?? .integer(.byte)
    let isWritten = !pointer.isConstant
    if let size = byteCount {
      guard size >= element.size else { throw .tooSmall(size, element) }
      // C's authors use bytes for objects of any type.
      return try ForeignMemory(
        guarded: element, count: size.dividedRoundingUp(by: element.size), alignment: element.isByte ? 16 : element.alignment,
        allocation: .array(isWritten: isWritten))
    }
    switch self {
    case .string(let text?) where element.isByte:
      if text.utf8.contains(0) { throw .embeddedNUL(shown) }
      let memory = try ForeignMemory(guarded: element, count: text.utf8.count + 1, allocation: .array(isWritten: isWritten))
      memory.withUnsafeMutableBytes { $0.copyBytes(from: text.utf8) }
      return memory
    case .bytes where element.isByte, .array where pointer.target != nil, .packedArray where pointer.target != nil:
      // C declares text that it does not change as `char **`, too.
      let isText = element == .pointer(.toChar) && elements?.contains { $0.isText } ?? false
      return try allocatedArray(of: isText ? .string : element, isWritten: isWritten)
    default: return nil
    }
  }

  private func allocated(for reference: CType.Reference, isKept: Bool) throws(CallError) -> ForeignMemory? {
    let isWritten = !reference.isConstant
    if let size = byteCount, reference.record?.memberNames.contains(Self.sizeName) != true {
      guard let record = reference.record else {
        guard size > 0 else { throw .tooSmall(size, .integer(.byte)) }
        // Only the library knows what it means.
        return try ForeignMemory(
          guarded: .integer(.byte), count: size, alignment: 16, allocation: .array(isWritten: false))
      }
      guard size >= record.size else { throw .tooSmall(size, .record(record)) }
      let count = size.dividedRoundingUp(by: record.size)
      return try ForeignMemory(
        guarded: .record(record), count: count,
        allocation: count == 1 ? .object(isWritten: isWritten) : .array(isWritten: isWritten))
    }
    guard let literal = literal(for: reference) else { return nil }
    switch literal.type {
    case .array(let record, _): return try literal.value.allocatedArray(of: record, isWritten: isWritten)
    // The arena of the call has room for a struct that the function only reads during the call, and for elements behind its end.
    case .record(let record) where (isWritten || isKept) && !record.hasFlexibleMember:
      let memory =
        isWritten
        ? try ForeignMemory(guarded: .record(record), count: 1, allocation: .object(isWritten: true))
        : try ForeignMemory(.record(record))
      try memory.write(literal.value)
      return memory
    default: return nil
    }
  }

  private func allocatedArray(of element: CType, isWritten: Bool) throws(CallError) -> ForeignMemory {
    let count = elementCount ?? 0
    let memory = try ForeignMemory(guarded: element, count: max(count, 1), allocation: .array(isWritten: isWritten))
    if count == 1, let first = elements?.first {
      try memory.write(first)
    } else if count > 0 {
      try memory.write(self)
    }
    return memory
  }

  /// The elements of a buffer for which the caller gives a number of zero bytes, as for a pointer; nil for another value.
  func zeros(of element: CType) throws(CallError) -> Value? {
    guard let size = byteCount else { return nil }
    if size == 0 { return .array([]) }
    guard size >= element.size, size % element.size == 0 else { throw .tooSmall(size, element) }
    if element.isByte { return .bytes(Array(repeating: 0, count: size)) }
    let memory = try ForeignMemory(element, count: size / element.size)
    return try Value.readBuffer(element, count: memory.count, at: memory.start, limit: .max)
  }

  /// Follows a path of names and indices, such as `name`, `[2]` or `next.marks[0]`, through structures, arrays, references and memory.
  ///
  /// - Throws: A `CallError` that says why it leads nowhere, as `ForeignReference.read(_:)` does.
  package func member(at path: Substring) throws(CallError) -> Value {
    if path.isEmpty { return self }
    let name = path.prefix { $0 != "." && $0 != "[" }
    switch self {
    case .reference(let reference): return try reference.read(String(path))
    case .memory(let memory) where memory.count == 1 && path.hasPrefix("[0]"):
      return try memory.read().member(at: path.dropFirst(3).trimmedDot)
    case .memory(let memory): return try memory.read(String(path))
    case .structure where !name.isEmpty:
      if let member = self[String(name)] { return try member.member(at: path.dropFirst(name.count).trimmedDot) }
    default:
      guard let elements, name.isEmpty, let end = path.firstIndex(of: "]"), let index = Int(path[..<end].dropFirst()),
        index >= 0, let element = elements.dropFirst(index).first
      else { break }
      return try element.member(at: path[path.index(after: end)...].trimmedDot)
    }
    throw .noMember(path, self)
  }

  /// A call allocates memory for the value if a parameter is such a pointer.
  func canBeAllocated(for pointer: CType.Pointer) -> Bool {
    guard pointer.target != nil || pointer.spelling.hasSuffix("void *") else { return false }
    let isBytes = pointer.target?.isByte ?? true
    return switch self {
    case .string(_?), .bytes: isBytes
    case .array, .packedArray: pointer.target != nil
    default: byteCount != nil
    }
  }

  /// As `canBeAllocated(for:)`, for a pointer to a struct, which takes a number of bytes unless the struct has a member of that name.
  func canBeAllocated(for reference: CType.Reference) -> Bool {
    byteCount != nil && reference.record?.memberNames.contains(Self.sizeName) != true
  }

  /// The size that an object such as `{"bytes": 64}` asks for.
  var byteCount: Int? {
    guard case .structure(let fields) = self, fields.count == 1, fields[0].name == Self.sizeName,
      case .integer(let size) = fields[0].value
    else { return nil }
    return Int(exactly: size)
  }
}

extension Int {
  func dividedRoundingUp(by divisor: Int) -> Int { self / divisor + (self % divisor == 0 ? 0 : 1) }
}

extension Substring {
  /// Without a dot in front.
  fileprivate var trimmedDot: Substring { first == "." ? dropFirst() : self }
}

extension CType.Record {
  fileprivate var hasFlexibleMember: Bool { if case .flexible? = members.last?.type { true } else { false } }
}

extension CallError {
  fileprivate static func noMember(_ path: Substring, _ value: Value) -> CallError {
    if value == .null || value == .string(nil) {
      return CallError(
        .argumentType, "null has no member \(String(path).quoted())", remedy: "find out why the function returned null")
    }
    if case .structure(let fields) = value {
      return .noMember(String(path), of: value.shown, among: fields.map(\.name))
    }
    let count = value.elements?.count ?? 0
    return CallError(
      .argumentType, "\(value.shown) has no member or element \(String(path).quoted())",
      remedy: count > 0 ? "name an element from [0] to [\(count - 1)]" : "use the value without a member")
  }

  fileprivate static func tooSmall(_ size: Int, _ type: CType) -> CallError {
    CallError(
      .argumentRange, "\(size) bytes are too few for \(type.shortDescription), which has \(type.size)",
      remedy: "give {\"bytes\": \(type.size)} or more")
  }
}
