internal import Glibc
internal import Synchronization
internal import TroupeBase

/// Memory of a C type at one address, which any number of calls can use: a struct that a library keeps its state in, an array.
///
///     let point = try ForeignMemory("struct point { double x, y; int32_t marks[4]; }")
///     try point.write(.double(1.5), to: "x")
///     try point.write(.integer(7), to: "marks[2]")
///     print(try point.read("x"))  // 1.5
///
/// Pass it as ``Value/memory(_:)`` for a pointer to its type, for `void *`, for a buffer of its type, or as a member of other
/// memory. The address is constant, and the memory is zero at first. It keeps its content alive: texts, buffers, callbacks and
/// other memory live until they are overwritten by `write` or the memory ends. C may overwrite pointers; then the former
/// targets live for as long.
///
/// It may go from thread to thread. While a call or another thread writes to it, no other thread may use it.
public final class ForeignMemory: Sendable {
  /// The target of a pointer in the memory.
  private final class Kept: @unchecked Sendable {
    // Sendable because nothing uses the arena before its deinitializer.
    private let arena: CallArena
    init(_ arena: consuming CallArena) { self.arena = arena }
  }

  /// The type of an element.
  public let type: CType
  /// The number of elements; 1 unless it is an array.
  public let count: Int
  /// The size in bytes.
  public let size: Int
  /// The address, aligned for any type.
  public let address: Value.Pointer
  /// Whether the memory was allocated here.
  private let isOwned: Bool
  /// Keeps memory that was not allocated here.
  private let library: (any AnyObject & Sendable)?
  /// The targets of the pointers that were written, by the bytes of each write.
  private let kept = Mutex<[(bytes: Range<Int>, kept: Kept)]>([])

  /// Allocates memory.
  ///
  /// - Parameters:
  ///   - type: A type in the grammar of `Signature`, with declarations in front of it: `struct point { double x, y; }`.
  ///   - count: The number of elements, at least 1.
  ///   - flexibleCount: The number of elements of the struct's flexible array member.
  /// - Throws: A `SignatureError` for the type, or a ``CallError`` with the code `noMemory`.
  public convenience init(_ type: String, count: Int = 1, flexibleCount: Int = 0) throws {
    try self.init(CType(parsing: type), count: count, flexibleCount: flexibleCount)
  }

  /// Allocates memory of a type.
  ///
  /// - Parameters:
  ///   - count: The number of elements, at least 1.
  ///   - flexibleCount: The number of elements of the struct's flexible array member.
  /// - Throws: A ``CallError`` with the code `noMemory`.
  public init(_ type: CType, count: Int = 1, flexibleCount: Int = 0) throws(CallError) {
    precondition(count >= 1 && flexibleCount >= 0, "memory has at least one element")
    let (elements, overflow) = type.size.multipliedReportingOverflow(by: count)
    let (flexible, overflow2) = type.flexibleElement?.size.multipliedReportingOverflow(by: flexibleCount) ?? (0, false)
    let (size, overflow3) = elements.addingReportingOverflow(flexible)
    guard !overflow, !overflow2, !overflow3, let start = calloc(max(size, 1), 1) else { throw .noRoom(Int128(count), type) }
    (self.type, self.count, self.size, address, isOwned, library) = (type, count, size, Value.Pointer(start), true, nil)
  }

  /// Wraps memory that a library has, such as a data symbol.
  ///
  ///     let environ = try ForeignMemory(CType(parsing: "char **"), at: dlsym(nil, "environ"))
  ///
  /// - Parameters:
  ///   - address: The address of the first element, aligned for the type. It must stay valid for as long as the memory is used.
  ///   - count: The number of elements, at least 1.
  ///   - library: An object that keeps the memory valid.
  public init(
    _ type: CType, at address: UnsafeMutableRawPointer, count: Int = 1, library: (any AnyObject & Sendable)? = nil
  ) {
    precondition(count >= 1, "memory has at least one element")
    (self.type, self.count, size, isOwned, self.library) = (type, count, count * type.size, false, library)
    self.address = Value.Pointer(address)
  }

  deinit { if isOwned { free(address.rawPointer) } }

  private var start: UnsafeMutableRawPointer {
    guard let start = address.rawPointer else { fatalError("the memory has been allocated") }
    return start
  }

  /// Reads a member or element.
  ///
  /// - Parameter path: Which, such as `x`, `marks[2]`, `[3].x`; empty for the whole.
  /// - Returns: The value; an array for several elements.
  /// - Throws: A ``CallError`` with the code `argumentType` if there is none of that name, or `resultText` or `resultLength`
  ///   as for a result of that type.
  public func read(_ path: String = "") throws(CallError) -> Value {
    if path.isEmpty, count > 1 { return try Value.readBuffer(type, count: count, at: start, limit: .max) }
    let place = try locate(path)
    return try Value.read(place.type, at: start + place.offset, end: start + size, siblings: place.siblings(start))
  }

  /// Writes a member or element.
  ///
  /// - Parameters:
  ///   - value: What to write; converted as ``Value/converted(to:)`` says. A length that is missing is computed from its buffer.
  ///   - path: Where; empty for the whole.
  /// - Throws: A ``CallError`` with the code `argumentType` or `argumentRange`; the memory may then have been written in part.
  public func write(_ value: Value, to path: String = "") throws(CallError) {
    let place = path.isEmpty ? Place(type: type) : try locate(path)
    var arena = CallArena(end: start + size)
    var fault: CallError?
    do throws(CallError) {
      try write(value, to: place, isWhole: path.isEmpty, &arena)
    } catch {
      fault = error
    }
    let new = Kept(arena)
    var end = path.isEmpty ? size : place.offset + place.type.size
    if case .flexible = place.type { end = size }
    let bytes = place.offset..<end
    // A write that fails, or of less than an earlier one, leaves what the memory may still point to.
    let old = kept.withLock { kept in
      let old = fault == nil ? kept.filter { bytes.contains($0.bytes) } : []
      if fault == nil { kept.removeAll { bytes.contains($0.bytes) } }
      kept.append((bytes, new))
      return old
    }
    withExtendedLifetime(old) {}
    guard let fault else { return }
    throw path.isEmpty ? fault : fault.within(path)
  }

  private func write(_ value: Value, to place: Place, isWhole: Bool, _ arena: inout CallArena) throws(CallError) {
    if isWhole, count > 1 {
      return try value.write(as: .array(type, count: count), to: start, &arena)
    }
    try value.write(as: place.type, to: start + place.offset, &arena)
    if let (index, count) = place.computedLength(value), let record = place.record {
      let member = record.members[index]
      try Value.integer(Int128(count)).write(as: member.type, to: start + place.recordOffset + member.offset, &arena)
    }
  }

  /// Calls a closure with the memory, which is valid until the closure returns.
  public func withUnsafeMutableBytes<Result, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(self) {} }
    return try body(UnsafeMutableRawBufferPointer(start: start, count: size))
  }

  /// Whether C may use the memory through a pointer.
  func fits(_ pointer: CType.Pointer) -> Bool {
    let target = pointer.spelling.replacing("const ", with: "")
    let own = type.shortDescription.replacing("const ", with: "")
    if target == "void *" || target == own + (own.hasSuffix("*") ? "*" : " *") { return true }
    return type.isByte && CType.Integer.all.contains { $0.width == 8 && target == $0.name + " *" }
  }
}

extension ForeignMemory: Equatable {
  /// Whether both are the same memory.
  public static func == (left: ForeignMemory, right: ForeignMemory) -> Bool { left === right }
}

// MARK: Paths

extension ForeignMemory {
  /// Where a member or element is.
  private struct Place {
    var offset = 0
    var type: CType
    /// The struct that it is a member of, and the offset of that.
    var record: CType.Record?
    var recordOffset = 0

    /// Returns the integer members beside it, for its length.
    func siblings(_ start: UnsafeRawPointer) -> (LengthExpression.Factor) -> Int128? {
      guard let record else { return { _ in nil } }
      return Value.siblings(record, at: start + recordOffset)
    }

    /// Returns the member that is the length of this buffer, and its value; nil if there is none.
    func computedLength(_ value: Value) -> (index: Int, count: Int)? {
      guard case .sequence(let element, let length) = type, let index = length.parameter, let count = value.bufferCount else {
        return nil
      }
      return (index, length.isInBytes ? count * element.size : count)
    }
  }

  /// Follows a path of names and indices.
  private func locate(_ path: String) throws(CallError) -> Place {
    var place = Place(type: type)
    var rest = path[...]
    if count > 1 {
      guard let index = Self.index(&rest), index < count else { throw .noPlace(path, type, count: count) }
      place.offset = index * type.size
    }
    while !rest.isEmpty {
      if let index = Self.index(&rest) {
        switch place.type {
        case .array(let element, let count) where index < count:
          place = Place(offset: place.offset + index * element.size, type: element)
        case .flexible(let element, _) where index < (size - place.offset) / element.size:
          place = Place(offset: place.offset + index * element.size, type: element)
        default: throw .noPlace(path, type, count: count)
        }
        continue
      }
      // The first name has no dot in front of it, unless an index precedes it.
      if rest.startIndex > path.startIndex, rest.removeFirst() != "." { throw .noPlace(path, type, count: count) }
      let name = rest.prefix { $0 != "." && $0 != "[" }
      rest = rest[name.endIndex...]
      guard !name.isEmpty, case .record(let record) = place.type, let found = record.find(String(name)) else {
        throw .noPlace(path, type, count: count)
      }
      let start = place.offset + found.recordOffset
      place = Place(
        offset: start + found.member.offset, type: found.member.type, record: found.record, recordOffset: start)
    }
    return place
  }

  /// Reads `[3]`.
  private static func index(_ rest: inout Substring) -> Int? {
    guard rest.first == "[", let end = rest.firstIndex(of: "]"), let index = Int(rest[..<end].dropFirst()), index >= 0 else {
      return nil
    }
    rest = rest[rest.index(after: end)...]
    return index
  }
}

extension CType {
  /// The type of an element of the flexible array member; nil if it has none.
  fileprivate var flexibleElement: CType? {
    if case .record(let record) = self, case .flexible(let element, _)? = record.members.last?.type { element } else { nil }
  }
}

extension CType.Record {
  /// Finds a member by its name, also within anonymous members.
  fileprivate func find(_ name: String) -> (record: CType.Record, recordOffset: Int, member: Member)? {
    if let member = members.first(where: { $0.name == name }) { return (self, 0, member) }
    for member in members where member.name.isEmpty {
      guard case .record(let record) = member.type, let found = record.find(name) else { continue }
      return (found.record, member.offset + found.recordOffset, found.member)
    }
    return nil
  }
}

// MARK: Errors

extension CallError {
  fileprivate static func noPlace(_ path: String, _ type: CType, count: Int) -> CallError {
    let memory = (count > 1 ? "memory of \(count) elements of type " : "") + type.shortDescription
    return CallError(
      .argumentType, "\(memory) has no member or element \(path.quoted())",
      remedy: count > 1
        ? "name an element from [0] to [\(count - 1)], or one of its members, such as [0].a"
        : "name one of its members, such as a.b or a[2], within its bounds")
  }
}
