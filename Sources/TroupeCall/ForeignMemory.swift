internal import Glibc
internal import Synchronization
internal import TroupeBase

/// Memory of a C type that outlives a call: a struct in which a library keeps its state, an array that several calls fill.
///
/// A call copies a struct or array that is a ``Value`` and forgets the copy. Memory has one address for all calls.
///
///     let point = try ForeignMemory("struct point { double x, y; int32_t marks[4]; }")
///     try point.write(.double(1.5), to: "x")
///     try point.write(.integer(7), to: "marks[2]")
///     print(try point.read("x"))  // 1.5
///
/// Pass it as ``Value/memory(_:)`` for a pointer to its type, for `void *`, for a buffer of its type, or as a member of other memory. The
/// memory is zero at first.
///
/// The targets of pointers that `write` stores, such as texts, buffers, callbacks and other memory, live until `write` overwrites the
/// pointer or the memory ends, also if C has overwritten the pointer before.
///
/// It may go from thread to thread. While a call or a thread writes to it, no other thread may use it.
public final class ForeignMemory: Sendable {
  /// The owner of the memory, who frees it.
  private enum Storage: Sendable {
    /// The deinitializer frees it.
    case allocated
    /// Pages of its own, behind which no memory is accessible; see `init(guarded:count:)`.
    case guarded(GuardedPages)
    /// Somebody else.
    case borrowed
  }

  /// The type of an element.
  public let type: CType
  /// The number of elements, 1 for a single value.
  public let count: Int
  /// In bytes.
  public let size: Int
  /// Aligned for any type.
  public let address: Value.Pointer
  /// The end of the memory; nil if only C knows it, so that a flexible array member is as long as the other members say.
  private var end: UnsafeRawPointer? { isBounded ? UnsafeRawPointer(start + size) : nil }
  private let isBounded: Bool
  private let storage: Storage

  /// Why a call has allocated the memory.
  enum Allocation: Sendable {
    /// For the elements behind a pointer.
    case array(isWritten: Bool)
    /// For one struct behind a reference.
    case object(isWritten: Bool)
  }

  /// Nil for memory that no call has allocated for an argument.
  private let allocation: Allocation?
  /// Keeps memory that a library has valid.
  private let library: (any AnyObject & Sendable)?
  /// What each `write` has stored pointers to, with the bytes that it has written.
  private let retained = Mutex<[(bytes: Range<Int>, arena: CallArena.Retained)]>([])

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
    (self.type, self.count, self.size, address, storage, library) = (type, count, size, Value.Pointer(start), .allocated, nil)
    (isBounded, allocation) = (true, nil)
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
    (self.type, self.count, size, storage, self.library) = (type, count, count * type.size, .borrowed, library)
    self.address = Value.Pointer(address)
    (isBounded, allocation) = (true, nil)
  }

  /// The memory behind a reference, which the reference keeps valid.
  init(behind record: CType.Record, at address: UnsafeMutableRawPointer) {
    (type, count, size, storage, library) = (.record(record), 1, record.size, .borrowed, nil)
    self.address = Value.Pointer(address)
    (isBounded, allocation) = (false, nil)
  }

  /// Allocates memory for a pointer whose signature does not say how long its target is. C that reads or writes behind it crashes.
  ///
  /// - Throws: A ``CallError`` with the code `noMemory`.
  init(guarded type: CType, count: Int, alignment: Int? = nil, allocation: Allocation) throws(CallError) {
    let size = type.size.multipliedReportingOverflow(by: count)
    guard !size.overflow, let pages = GuardedPages(size.partialValue, alignment: alignment ?? type.alignment) else {
      throw .noRoom(Int128(count), type)
    }
    (self.type, self.count, self.size, storage, library) = (type, count, size.partialValue, .guarded(pages), nil)
    address = Value.Pointer(pages.start)
    (isBounded, self.allocation) = (true, allocation)
  }

  deinit {
    switch storage {
    case .allocated: free(address.rawPointer)
    case .guarded(let pages): pages.free()
    case .borrowed: break
    }
  }

  /// Says which argument a call has allocated the memory for.
  func note(_ argument: CallError.Argument, of function: UnsafeRawPointer) {
    if case .guarded(let pages) = storage { pages.note(argument, of: function) }
  }

  /// Throws if the function has written behind memory that a call has allocated for an argument.
  func checkEnd(after function: UnsafeRawPointer?) throws(CallError) {
    if case .guarded(let pages) = storage { try pages.checkEnd(after: function) }
  }

  /// A call has allocated the memory for an argument.
  var isGuarded: Bool { if case .guarded = storage { true } else { false } }

  /// A call has allocated the memory for an argument that the function may have written.
  var isWrittenByC: Bool {
    switch allocation {
    case .array(let isWritten), .object(let isWritten): isWritten
    case nil: false
    }
  }

  /// The content for the caller of the function: a struct, or an array of any number of elements.
  func contents() throws(CallError) -> Value {
    if case .array = allocation { return try Value.readBuffer(type, count: count, at: start, limit: .max, owner: self) }
    return try read()
  }

  private func locate(_ path: String) throws(CallError) -> (MemberLocation, rest: String) {
    try MemberLocation.find(path, in: type, count: count, size: isBounded ? size : nil)
  }

  var start: UnsafeMutableRawPointer {
    guard let start = address.rawPointer else { fatalError("the memory has been allocated") }
    return start
  }

  /// Reads a member or element.
  ///
  /// - Parameter path: The names and indices that lead to it, such as `x`, `marks[2]`, `[3].x`; empty for the whole.
  ///   A name behind a member that is a reference is a member of its target.
  /// - Returns: The value; an array for several elements.
  /// - Throws: A ``CallError`` with the code `argumentType` if there is none of that name, or `resultText` or `resultLength`
  ///   as for a result of that type.
  public func read(_ path: String = "") throws(CallError) -> Value { try read(path, owner: self) }

  /// - Parameter owner: What references in the value retain.
  func read(_ path: String, owner: any AnyObject & Sendable) throws(CallError) -> Value {
    if path.isEmpty, count > 1 { return try Value.readBuffer(type, count: count, at: start, limit: .max, owner: owner) }
    let (location, rest) = try locate(path)
    let value: Value
    do throws(CallError) {
      value = try Value.read(
        location.type, at: start + location.offset, end: end, owner: owner, siblings: location.siblings(start))
    } catch {
      throw path.isEmpty ? error : error.within(path)
    }
    guard !rest.isEmpty else { return value }
    guard case .reference(let reference) = value else { throw .nullMember(path, rest) }
    return try reference.read(rest)
  }

  /// Writes a member or element.
  ///
  /// - Parameters:
  ///   - value: Converted as ``Value/converted(to:)`` says. A missing length is computed from its buffer.
  ///   - path: The names and indices that lead to it; empty for the whole.
  /// - Throws: A ``CallError`` with the code `argumentType` or `argumentRange`; the memory may then have been written in part.
  public func write(_ value: Value, to path: String = "") throws(CallError) {
    let (location, rest) = path.isEmpty ? (MemberLocation(type: type), "") : try locate(path)
    guard rest.isEmpty else {
      let target = try Value.read(location.type, at: start + location.offset, owner: self)
      guard case .reference(let reference) = target else { throw .nullMember(path, rest) }
      return try reference.write(value, to: rest)
    }
    var arena = CallArena(end: end, isLasting: true)
    var failure: CallError?
    do throws(CallError) {
      try write(value, to: location, isWhole: path.isEmpty, &arena)
    } catch {
      failure = error
    }
    let new = CallArena.Retained(arena)
    var end = path.isEmpty ? size : location.offset + location.type.size
    if case .flexible = location.type { end = size }
    let bytes = location.offset..<end
    // A write that fails, or of less than an earlier one, leaves what the memory may still point to.
    let old = retained.withLock { retained in
      let old = failure == nil ? retained.filter { bytes.contains($0.bytes) } : []
      if failure == nil { retained.removeAll { bytes.contains($0.bytes) } }
      retained.append((bytes, new))
      return old
    }
    withExtendedLifetime(old) {}
    guard let failure else { return }
    throw path.isEmpty ? failure : failure.within(path)
  }

  private func write(_ value: Value, to location: MemberLocation, isWhole: Bool, _ arena: inout CallArena) throws(CallError) {
    if isWhole, count > 1 {
      return try value.write(as: .array(type, count: count), to: start, &arena)
    }
    try value.write(as: location.type, to: start + location.offset, &arena)
    if let (index, count) = location.computedLength(value), let record = location.record {
      let member = record.members[index]
      try Value.integer(Int128(count)).write(as: member.type, to: start + location.recordOffset + member.offset, &arena)
    }
  }

  /// Calls a closure with the memory, which is valid until the closure returns.
  public func withUnsafeMutableBytes<Result, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(self) {} }
    return try body(UnsafeMutableRawBufferPointer(start: start, count: size))
  }

  /// Returns true if C may use the memory through a pointer type.
  func fits(_ pointer: CType.Pointer) -> Bool {
    guard let target = pointer.target else { return pointer.spelling.hasSuffix("void *") }
    if type.hasSameLayout(as: target) || type.isByte && target.isByte { return true }
    // C's authors are not of one mind about `const`, as in `char **` and `const char **`.
    return type.shortDescription.replacing("const ", with: "") == target.shortDescription.replacing("const ", with: "")
  }

  /// Returns true if C may use the memory through a reference.
  func fits(_ reference: CType.Reference) -> Bool {
    guard case .record(let record) = type else { return type.isByte && reference.record == nil }
    return record.name.map { "\(record.kind.rawValue) \($0)" == reference.name } ?? (record == reference.record)
  }
}

extension ForeignMemory: Equatable {
  /// Compares identities.
  public static func == (left: ForeignMemory, right: ForeignMemory) -> Bool { left === right }
}

// MARK: Paths

/// A member or element of memory, found by a path such as `marks[2].x`.
struct MemberLocation {
  var offset = 0
  var type: CType
  /// The struct with the member, and its offset.
  var record: CType.Record?
  var recordOffset = 0

  /// Follows a path of names and indices up to its end, or to a reference, behind which `rest` leads on.
  ///
  /// - Parameters:
  ///   - count: The number of elements. A path into several begins with an index.
  ///   - size: The size of the memory in bytes; nil if only C knows it.
  static func find(
    _ path: String, in type: CType, count: Int, size: Int?
  ) throws(CallError) -> (location: MemberLocation, rest: String) {
    var location = MemberLocation(type: type)
    var rest = path[...]
    if count > 1 {
      guard let index = index(&rest), index < count else { throw .noPlace(path, type, count: count) }
      location.offset = index * type.size
    }
    while !rest.isEmpty {
      if let index = index(&rest) {
        switch location.type {
        case .array(let element, let count) where index < count:
          location = MemberLocation(offset: location.offset + index * element.size, type: element)
        case .flexible(let element, _) where index < ((size ?? Int.max) - location.offset) / max(1, element.size):
          location = MemberLocation(offset: location.offset + index * element.size, type: element)
        default: throw .noPlace(path, type, count: count)
        }
        continue
      }
      // The first name has no dot in front of it, unless an index precedes it.
      if rest.startIndex > path.startIndex, rest.removeFirst() != "." { throw .noPlace(path, type, count: count) }
      if case .reference = location.type { return (location, String(rest)) }
      let name = rest.prefix { $0 != "." && $0 != "[" }
      rest = rest[name.endIndex...]
      guard !name.isEmpty, case .record(let record) = location.type else { throw .noPlace(path, type, count: count) }
      guard let found = record.find(String(name)) else {
        throw .noMember(String(name), of: location.type.shortDescription, among: record.memberNames)
      }
      let start = location.offset + found.recordOffset
      location = MemberLocation(
        offset: start + found.member.offset, type: found.member.type, record: found.record, recordOffset: start)
    }
    return (location, "")
  }

  /// The type that a path leads to, also through references.
  static func type(_ path: String, in record: CType.Record) throws(CallError) -> CType {
    var (location, rest) = try find(path, in: .record(record), count: 1, size: nil)
    while !rest.isEmpty {
      guard case .reference(let reference) = location.type, let record = reference.record else {
        throw .noPlace(rest, location.type, count: 1)
      }
      (location, rest) = try find(rest, in: .record(record), count: 1, size: nil)
    }
    return location.type
  }

  /// Reads `[3]`.
  private static func index(_ rest: inout Substring) -> Int? {
    guard rest.first == "[", let end = rest.firstIndex(of: "]"), let index = Int(rest[..<end].dropFirst()), index >= 0 else {
      return nil
    }
    rest = rest[rest.index(after: end)...]
    return index
  }

  /// Returns the integer members beside it, on which its length depends.
  func siblings(_ start: UnsafeRawPointer) -> (LengthExpression.Factor) -> Int128? {
    guard let record else { return { _ in nil } }
    return Value.siblings(record, at: start + recordOffset)
  }

  /// Returns the member that is the length of this buffer, with its value.
  func computedLength(_ value: Value) -> (index: Int, count: Int)? {
    guard case .sequence(let element, let length) = type, let index = length.parameter, let count = value.bufferCount else {
      return nil
    }
    return (index, length.isInBytes ? count * element.size : count)
  }
}

extension CType {
  /// The element type of the flexible array member.
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
  fileprivate static func nullMember(_ path: String, _ rest: String) -> CallError {
    CallError(
      .argumentType, "\(path.dropLast(rest.count + 1)) is null and has no member \(rest.quoted())",
      remedy: "read \(path.dropLast(rest.count + 1)) first")
  }

  fileprivate static func noPlace(_ path: String, _ type: CType, count: Int) -> CallError {
    let memory = (count > 1 ? "memory of \(count) elements of type " : "") + type.shortDescription
    return CallError(
      .argumentType, "\(memory) has no member or element \(path.quoted())",
      remedy: count > 1
        ? "name an element from [0] to [\(count - 1)], or one of its members, such as [0].a"
        : "name one of its members, such as a.b or a[2], within its bounds")
  }
}
