internal import Glibc

/// Bump allocator for the strings, buffers and copied structs of one call.
///
///     given      [ string | buffer | free … ]      on the stack of the caller
///     blocks     [ large buffer ], [ … ]           from malloc, for what does not fit
///
/// It also retains the objects behind addresses that the call passes: callbacks, memory, and references that nothing may release meanwhile.
/// Everything ends with the arena, when the call has returned and its result has been read.
struct CallArena: ~Copyable {
  /// An arena whose memory C may use after the call. It retains references and does not prevent their release, as C does not.
  final class Retained: @unchecked Sendable {
    // Sendable because nothing uses the arena before its deinitializer.
    private let arena: CallArena
    init(_ arena: consuming CallArena) { self.arena = arena }
  }

  private struct Block {
    let memory: UnsafeMutableRawBufferPointer
    /// The arena frees it.
    var isOwned: Bool
  }

  private let given: UnsafeMutableRawBufferPointer
  /// The rest of `given`.
  private var free: UnsafeMutableRawBufferPointer
  private var blocks: [Block] = []
  private var objects: [any AnyObject & Sendable] = []
  /// Memory among the objects that earlier calls have allocated for arguments.
  private var guarded: [ForeignMemory] = []
  /// The references in arrays and structs.
  private var references: [ForeignReference] = []
  /// The arena becomes a `Retained`.
  private let isLasting: Bool
  /// The function that the arena is for; nil for memory that any function may get.
  private let function: UnsafeRawPointer?
  /// The end of the memory that is being written, up to which a flexible array member may reach. Nil if there is room for none.
  var end: UnsafeRawPointer?

  /// - Parameters:
  ///   - memory: Memory that outlives the arena.
  ///   - isLasting: The arena becomes a `Retained`.
  ///   - function: The function that the arena is for.
  init(
    _ memory: UnsafeMutableRawBufferPointer = UnsafeMutableRawBufferPointer(start: nil, count: 0), end: UnsafeRawPointer? = nil,
    isLasting: Bool = false, function: UnsafeRawPointer? = nil
  ) {
    (given, free, self.end, self.isLasting, self.function) = (memory, memory, end, isLasting, function)
  }

  deinit {
    for reference in references { reference.endUse() }
    for block in blocks where block.isOwned { Glibc.free(block.memory.baseAddress) }
  }

  /// Returns zeroed memory that is aligned for any type; nil if the system has no memory.
  mutating func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    // What follows in the free memory begins at a multiple of 16 again.
    let size = byteCount.addingReportingOverflow(16)
    guard !size.overflow else { return nil }
    let whole = max(byteCount, 1).roundedUp(to: 16)
    if whole <= free.count, let start = free.baseAddress {
      free = UnsafeMutableRawBufferPointer(rebasing: free[whole...])
      memset(start, 0, whole)
      return start
    }
    guard let block = calloc(1, whole) else { return nil }
    blocks.append(Block(memory: UnsafeMutableRawBufferPointer(start: block, count: whole), isOwned: true))
    hasAllocated = true
    return block
  }

  /// Something lies in memory of the arena's own.
  private(set) var hasAllocated = false
  var isEmpty: Bool { blocks.isEmpty && objects.isEmpty }

  /// Takes over memory that was allocated for a value.
  mutating func adopt(_ memory: ForeignMemory) {
    hasAllocated = true
    keep(memory)
  }

  /// Retains memory of the caller until the arena ends.
  mutating func keep(_ memory: ForeignMemory) {
    if memory.isGuarded { guarded.append(memory) }
    objects.append(memory)
  }

  /// Throws if the function has written behind memory that an earlier call has allocated for an argument.
  borrowing func checkEnds() throws(CallError) {
    for memory in guarded { try memory.checkEnd(after: function) }
  }

  /// Retains an object until the arena ends.
  mutating func keep(_ object: any AnyObject & Sendable) { objects.append(object) }

  /// Retains a callback that C gets.
  mutating func keep(_ callback: Callback) {
    if let function { callback.pass(to: function) }
    objects.append(callback)
  }

  /// Prevents the release of a reference until the arena ends. Throws if it has been released.
  mutating func use(_ reference: ForeignReference) throws(CallError) {
    try reference.beginUse()
    guard !isLasting else {
      reference.endUse()
      // One that owns nothing may lead back to the memory that the arena belongs to.
      if reference.isOwner { objects.append(reference) }
      return
    }
    references.append(reference)
  }

  /// Records memory of the caller that the function may use.
  mutating func lend(_ memory: UnsafeMutableRawBufferPointer) { blocks.append(Block(memory: memory, isOwned: false)) }

  /// Transfers the ownership of a block to the caller if at least half of it is used.
  mutating func handOver(_ start: UnsafeMutableRawPointer, using byteCount: Int) -> Bool {
    guard let index = blocks.firstIndex(where: { $0.isOwned && $0.memory.baseAddress == start }),
      byteCount >= blocks[index].memory.count / 2
    else { return false }
    blocks[index].isOwned = false
    return true
  }

  /// Returns true for a pointer anywhere into memory that the function got: a function may have advanced it within a text.
  borrowing func owns(_ pointer: UnsafeMutableRawPointer) -> Bool {
    func isWithin(_ memory: UnsafeMutableRawBufferPointer) -> Bool {
      guard let start = memory.baseAddress else { return false }
      return start <= pointer && pointer < start + memory.count
    }
    return isWithin(given) || blocks.contains { isWithin($0.memory) }
  }

  /// Copies a string with a NUL behind it. Returns nil if the system has no memory.
  mutating func copy(_ string: String) -> UnsafeMutableRawPointer? {
    var string = string
    let count = string.utf8.count
    guard let start = allocate(count + 1) else { return nil }
    string.withUTF8 { utf8 in
      if let bytes = utf8.baseAddress { start.copyMemory(from: bytes, byteCount: count) }
    }
    return start
  }
}
