internal import Synchronization
internal import TroupeBase

/// A pointer to a struct in C, such as an open database or a node of a tree: its address, its type and its lifetime.
///
/// It is the address that C gave, so the object keeps its identity through calls, members and arrays. If the signature defines the struct,
/// ``read(_:)`` reads members where they are; nothing is copied unless the caller asks.
///
///     open ──► in use ──► released      by the last reference, `close()`, or a `consumed` parameter
///                │ ▲
///                └─┘ calls, and references that borrow from it, count as users
///
///     let signature = try Signature(
///       parsing: "struct sqlite3; int (const char *name, out owned(sqlite3_close) struct sqlite3 **db) error(nonzero)")
///     let open = try PreparedCall(signature: signature, function: function)
///     let outcome = try open.call([.string("points.db")])
///     if case .reference(let db)? = outcome["db"] { print(db.type) }  // struct sqlite3
///
/// A call accepts a reference only for a parameter of the same struct, or for `void *`. The deallocator that the signature names runs once: with the last
/// reference to the reference, in ``close()``, or inside the function, if its parameter is `consumed`. A reference that the signature declares with
/// `borrows` retains the references that it borrows from. A reference that was read from a member retains the object that it was read from, but
/// does not prevent its ``close()``, as in C.
///
/// Use a reference on any thread, also on several at once, if the library allows that. The last reference may end on any thread, which
/// then waits for other calls of the library, or for the object's worker up to its deadline.
public final class ForeignReference: Sendable {
  /// The function that releases the object, called with the lock of its library.
  struct Deallocator: @unchecked Sendable {
    // Sendable because it is constant, and the address is that of code.
    let address: UnsafeRawPointer
    /// Nil for a library whose functions may run at once.
    private let lock: CallLock?

    init(_ address: UnsafeRawPointer, _ lock: CallLock?) { (self.address, self.lock) = (address, lock) }

    func callAsFunction(_ object: UnsafeMutableRawPointer?) {
      lock?.lock(for: address)
      defer { lock?.unlock() }
      unsafeBitCast(address, to: (@convention(c) (UnsafeMutableRawPointer?) -> Void).self)(object)
    }
  }

  private struct Remote {
    let process: any AnyObject & Sendable
    let release: @Sendable () -> Void
    let read: @Sendable (String) throws(CallError) -> Value
  }

  private struct State {
    /// The calls that use the object, and the references that borrow from it.
    var users = 0
    var isReleased = false
    /// Arguments of calls whose parameters are `kept`: C may use them until the object is released.
    var kept: [any AnyObject & Sendable] = []
  }

  /// The struct, such as `struct sqlite3`.
  public let type: String
  private let definitions: CType.Definitions?
  /// Never 0, and valid until the release. For an object in another process it is the number of the object there.
  public let address: Value.Pointer
  private let deallocator: Deallocator?
  /// Nil for an object in this process.
  private let remote: Remote?
  // Only the deinitializer changes it.
  private nonisolated(unsafe) var borrowedFrom: [ForeignReference]
  /// Keeps the code of the deallocator loaded, or the object valid that this one was read from.
  private let owner: (any AnyObject & Sendable)?
  private let state = Mutex(State())
  /// Reads and writes the members, and keeps what a write has stored pointers to. Made by the first of them.
  private let members = Mutex<ForeignMemory?>(nil)

  /// Creates a reference of an object that somebody else releases.
  ///
  /// - Parameters:
  ///   - type: The struct, such as `struct sqlite3`.
  ///   - address: The object. It must stay valid for as long as the reference is used.
  public convenience init(type: String, address: UnsafeRawPointer) {
    self.init(CType.Reference(name: type), address: Value.Pointer(address), owner: nil)
  }

  /// - Parameters:
  ///   - borrowedFrom: References that the call keeps from release (`beginUse`). The new reference does so until its own release.
  ///   - owner: Keeps the library loaded, or the object valid that this one was read from.
  init(
    _ type: CType.Reference, address: Value.Pointer, deallocator: Deallocator? = nil, borrowedFrom: [ForeignReference] = [],
    owner: (any AnyObject & Sendable)?
  ) {
    (self.type, definitions, self.address, self.deallocator, self.borrowedFrom, self.owner) = (
      type.name, type.definitions, address, deallocator, borrowedFrom, owner
    )
    remote = nil
    for reference in borrowedFrom { reference.state.withLock { $0.users += 1 } }
  }

  /// Creates a reference of an object in another process.
  ///
  /// - Parameters:
  ///   - number: The number of the object in the process, not 0.
  ///   - process: The process. Only calls in it accept the reference.
  ///   - borrowedFrom: References that the call keeps from release (`beginUse`). The new reference does so until its own release.
  ///   - read: Reads a member of the object there.
  ///   - release: Releases the object.
  package init(
    _ type: CType.Reference, number: UInt, in process: any AnyObject & Sendable, borrowedFrom: [ForeignReference],
    read: @escaping @Sendable (String) throws(CallError) -> Value, release: @escaping @Sendable () -> Void
  ) {
    (self.type, definitions, address, deallocator, self.borrowedFrom, owner) = (
      type.name, type.definitions, Value.Pointer(address: number), nil, borrowedFrom, nil
    )
    remote = Remote(process: process, release: release, read: read)
    for reference in borrowedFrom { reference.state.withLock { $0.users += 1 } }
  }

  deinit {
    if !isReleased { release() }
    // Unlinks a chain of references in a loop, since nested deinitializers would take a stack as deep as the chain.
    var pending = borrowedFrom
    borrowedFrom = []
    while var reference = pending.popLast() {
      if isKnownUniquelyReferenced(&reference) { pending += reference.borrowedFrom }
    }
  }

  /// The object has been released, or a function has taken ownership of it.
  public var isReleased: Bool { state.withLock { $0.isReleased } }

  /// Releases the object now, or only ends its use if somebody else releases it.
  ///
  /// - Throws: A `CallError` with the code `reference` if it has been released, a call is using it, or another reference borrows from it.
  public func close() throws(CallError) {
    try take()
    release()
  }

  private func release() {
    if let remote { remote.release() } else { deallocator?(address.rawPointer) }
    endBorrows()
  }

  private func endBorrows() {
    for reference in borrowedFrom { reference.endUse() }
    // Its deinitializers run outside the lock.
    let kept = state.withLock { state in
      defer { state.kept = [] }
      return state.kept
    }
    withExtendedLifetime(kept) {}
  }

  /// Retains what C uses for as long as the object exists.
  func keep(_ object: any AnyObject & Sendable) { state.withLock { $0.kept.append(object) } }

  // MARK: Members

  /// The struct with its members; nil if it is opaque.
  public var record: CType.Record? { CType.Reference(name: type, definitions: definitions).record }

  /// Reads a member, or all of them.
  ///
  ///     print(try time.read("tm_year"))       // 126
  ///     print(try node.read("next.value"))    // follows the pointer `next`
  ///
  /// - Parameter path: The names and indices that lead to it, as in ``ForeignMemory/read(_:)``; empty for the whole struct. A name behind a
  ///   member that is a reference is a member of its target.
  /// - Returns: A copy of the value. A member that is a pointer to a struct is another reference, which retains this one.
  /// - Throws: A ``CallError``: `reference` if the object has been released, `argumentType` if there is no such member or the struct is opaque,
  ///   `resultText` or `resultLength` as for a result of that type.
  public func read(_ path: String = "") throws(CallError) -> Value {
    if let remote {
      guard let record else { throw .opaque(type, path) }
      let member = try MemberLocation.type(path, in: record)
      let value = try remote.read(path)
      guard value.fits(member) else { throw .wrongType(value.shown, member) }
      return value
    }
    try beginUse()
    defer { endUse() }
    return try memory(path).read(path, owner: root)
  }

  /// Writes a member.
  ///
  /// What the member then points to, such as a text, lives until another write replaces it or this reference ends.
  ///
  /// - Parameters:
  ///   - value: Converted as ``Value/converted(to:)`` says.
  ///   - path: As in ``read(_:)``.
  /// - Throws: A ``CallError``: `reference` if the object has been released or is in another process, `argumentType` or `argumentRange` as
  ///   ``ForeignMemory/write(_:to:)``.
  public func write(_ value: Value, to path: String = "") throws(CallError) {
    try beginUse()
    defer { endUse() }
    try memory(path).write(value, to: path)
  }

  private func memory(_ path: String) throws(CallError) -> ForeignMemory {
    if let known = members.withLock({ $0 }) { return known }
    guard let record, let start = address.rawPointer else { throw .opaque(type, path) }
    return members.withLock { members in
      // Another thread may have made it meanwhile.
      let memory = members ?? ForeignMemory(behind: record, at: start)
      members = memory
      return memory
    }
  }

  /// What references read from this one retain. A chain of them retains its first only, so that a walk through a list keeps nothing else.
  private var root: any AnyObject & Sendable {
    deallocator == nil && borrowedFrom.isEmpty ? (owner as? ForeignReference)?.root ?? self : self
  }

  /// The end of the reference releases the object.
  var isOwner: Bool { deallocator != nil || remote != nil }

  /// The object is in another process, so that its address means nothing here.
  package var isRemote: Bool { remote != nil }

  // MARK: Use by calls

  /// Prevents the release until `endUse`, which the caller must call. Throws if the object has been released, or is in another process than the call.
  ///
  /// - Parameter process: The process of the call; nil for this one.
  package func beginUse(in process: (any AnyObject & Sendable)? = nil) throws(CallError) {
    guard remote?.process === process else { throw .foreignReference(type) }
    let isReleased = state.withLock { state in
      if !state.isReleased { state.users += 1 }
      return state.isReleased
    }
    if isReleased { throw .releasedReference(type) }
  }

  package func endUse() { state.withLock { $0.users -= 1 } }

  /// Marks the object as released before a function releases it. The caller must then call `finishTake`. Throws if the object has been
  /// released, or is in use.
  package func take() throws(CallError) {
    let (wasReleased, users) = state.withLock { state in
      defer { if state.users == 0 { state.isReleased = true } }
      return (state.isReleased, state.users)
    }
    if wasReleased { throw .releasedReference(type) }
    if users > 0 { throw .usedReference(type, users: users) }
  }

  /// Ends the `take` of a call: the function has released the object, or has failed and left it.
  package func finishTake(isReleased: Bool) {
    if isReleased {
      endBorrows()
    } else {
      state.withLock { $0.isReleased = false }
    }
  }
}

extension ForeignReference: Equatable {
  /// Compares identities. Two references of one object differ.
  public static func == (left: ForeignReference, right: ForeignReference) -> Bool { left === right }
}

extension ForeignReference: CustomStringConvertible {
  /// The address, such as `0x7ffd01`.
  public var description: String { address.description }
}

// MARK: Errors

extension CallError {
  fileprivate static func opaque(_ type: String, _ path: String) -> CallError {
    CallError(
      .argumentType, "\(type) has no member \(path.quoted()) here, since the signature does not define it",
      remedy: "define the struct with its members in the signature")
  }

  fileprivate static func releasedReference(_ type: String) -> CallError {
    CallError(.handle, "the reference to \(type) has been released", remedy: "use it before that, or get another one")
  }

  fileprivate static func foreignReference(_ type: String) -> CallError {
    CallError(.handle, "a reference to \(type) belongs to another process", remedy: "pass it to functions of its own plugin")
  }

  fileprivate static func usedReference(_ type: String, users: Int) -> CallError {
    CallError(
      .handle,
      "the reference to \(type) is in use by \(users) other reference\(users == 1 ? "" : "s") or call\(users == 1 ? "" : "s")",
      remedy: "wait for the calls, and release the references that borrow from it first")
  }
}
