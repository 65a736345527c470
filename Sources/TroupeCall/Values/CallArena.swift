internal import Glibc

/// Memory for one call: strings, buffers and what else the function gets a pointer to. It ends with the call.
struct CallArena: ~Copyable {
  /// Memory outside of what the arena was given.
  private struct Block {
    let memory: UnsafeMutableRawBufferPointer
    /// Whether the arena frees it.
    var isOwned: Bool
  }

  /// The memory that the arena was given.
  private let given: UnsafeMutableRawBufferPointer
  /// The free part of it.
  private var free: UnsafeMutableRawBufferPointer
  private var blocks: [Block] = []
  /// What the arena keeps alive besides.
  private var objects: [any AnyObject & Sendable] = []
  /// The handles in arrays and structs, which nothing may release meanwhile.
  private var handles: [ForeignHandle] = []
  /// The end of the memory that is written, up to which a flexible array member may reach; nil if there is room for none.
  var end: UnsafeRawPointer?

  /// Begins with some memory that outlives the arena.
  init(
    _ memory: UnsafeMutableRawBufferPointer = UnsafeMutableRawBufferPointer(start: nil, count: 0), end: UnsafeRawPointer? = nil
  ) {
    (given, free, self.end) = (memory, memory, end)
  }

  deinit {
    for handle in handles { handle.endUse() }
    for block in blocks where block.isOwned { Glibc.free(block.memory.baseAddress) }
  }

  /// Memory that is all zero, aligned for any type; nil if there is not so much.
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
    return block
  }

  /// Keeps an object for as long as the arena.
  mutating func keep(_ object: any AnyObject & Sendable) { objects.append(object) }

  /// Keeps a handle from being released for as long as the arena. Throws if it has been.
  mutating func use(_ handle: ForeignHandle) throws(CallError) {
    try handle.beginUse()
    handles.append(handle)
  }

  /// Notes memory that the caller lends to the function.
  mutating func lend(_ memory: UnsafeMutableRawBufferPointer) { blocks.append(Block(memory: memory, isOwned: false)) }

  /// Gives the memory at an address to the caller, who frees it, if it was allocated by itself and is used at least by half.
  mutating func handOver(_ start: UnsafeMutableRawPointer, using byteCount: Int) -> Bool {
    guard let index = blocks.firstIndex(where: { $0.isOwned && $0.memory.baseAddress == start }),
      byteCount >= blocks[index].memory.count / 2
    else { return false }
    blocks[index].isOwned = false
    return true
  }

  /// Whether a pointer leads into memory that the function was lent, not only to the beginning of it: a function may have moved on
  /// in a text.
  borrowing func owns(_ pointer: UnsafeMutableRawPointer) -> Bool {
    func isWithin(_ memory: UnsafeMutableRawBufferPointer) -> Bool {
      guard let start = memory.baseAddress else { return false }
      return start <= pointer && pointer < start + memory.count
    }
    return isWithin(given) || blocks.contains { isWithin($0.memory) }
  }

  /// A copy of a string with a NUL behind it; nil if there is no memory for it.
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
