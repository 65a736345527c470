public import Synchronization

/// A list of entries in the order of registration, for one writer at a time and readers that never wait.
///
/// A list is one word, so that the many lists of a single entry need no further memory: 0 for an empty list, the address of the
/// entry for one entry, or the address of a block, with the lowest bit set, for more. A block grows by doubling into a new block.
/// To append to a block, the writer stores the new entry behind the last one, then increments the count. A removed entry leaves a
/// tombstone, twice its sequence number plus one, so that the block stays sorted. A block of which half are tombstones is replaced.
/// An entry that replaces another one has the same sequence number, and follows it until the old one is removed.
@usableFromInline
enum EntryList {
  /// The header of a block; the words of its entries follow it.
  @frozen @usableFromInline
  struct Header: ~Copyable {
    let capacity: Int
    /// The number of words in use.
    @usableFromInline let count: Atomic<Int>
    /// The number of tombstones. Only the writer uses it, while readers read the neighboring words.
    let removed: Atomic<Int>
  }

  @usableFromInline typealias Block = UnsafeMutablePointer<Header>

  /// Calls a closure for each entry, in order, until it returns false.
  @inlinable @inline(__always)
  static func forEach(_ list: UInt, _ body: (Unmanaged<Entry>) throws -> Bool) rethrows {
    guard let block = block(list) else {
      if let entry = entry(list) { _ = try body(entry) }
      return
    }
    let words = words(block)
    for index in 0..<block.pointee.count.load(ordering: .acquiring) {
      guard let entry = entry((words + index).pointee.load(ordering: .acquiring)) else { continue }
      if try !body(entry) { return }
    }
  }

  /// Returns an upper bound of the number of entries, with removed ones. Cost: constant.
  @inlinable @inline(__always)
  static func bound(_ list: UInt) -> Int {
    block(list).map { $0.pointee.count.load(ordering: .relaxed) } ?? (list == 0 ? 0 : 1)
  }

  /// Returns the list with one more entry, whose sequence number is the highest. Passes a replaced block to `retire`.
  static func appending(
    _ new: Unmanaged<Entry>, to list: UInt, retire: (UnsafeMutableRawPointer) -> Void
  ) -> UInt {
    guard list != 0 else { return word(new) }
    if let block = block(list) {
      let count = block.pointee.count.load(ordering: .relaxed)
      if count < block.pointee.capacity {
        (words(block) + count).pointee.store(word(new), ordering: .relaxed)
        block.pointee.count.store(count + 1, ordering: .releasing)
        return list
      }
    }
    return replacing(list, appending: new, retire: retire)
  }

  /// Returns the list without an entry. Passes a replaced block to `retire`.
  static func removing(
    _ old: Unmanaged<Entry>, from list: UInt, retire: (UnsafeMutableRawPointer) -> Void
  ) -> UInt {
    guard let block = block(list) else { return list == word(old) ? 0 : list }
    guard let index = index(of: old, in: block) else { return list }
    (words(block) + index).pointee.store(UInt(sequence(old)) << 1 | 1, ordering: .releasing)
    let removed = block.pointee.removed.add(1, ordering: .relaxed).newValue
    let count = block.pointee.count.load(ordering: .relaxed)
    return removed * 2 >= count ? replacing(list, appending: nil, retire: retire) : list
  }

  /// Returns the list with more entries, sorted by their sequence numbers. A new entry follows the entries with the same number.
  /// Passes a replaced block to `retire`.
  ///
  /// Cost: proportional to the length of the list.
  static func merging(
    _ new: [Unmanaged<Entry>], into list: UInt, retire: (UnsafeMutableRawPointer) -> Void
  ) -> UInt {
    var entries: [Unmanaged<Entry>] = []
    entries.reserveCapacity(bound(list) + new.count)
    var next = 0
    forEach(list) { entry in
      while next < new.count, sequence(new[next]) < sequence(entry) {
        entries.append(new[next])
        next += 1
      }
      entries.append(entry)
      return true
    }
    return replacing(list, by: entries + new[next...], retire: retire)
  }

  /// Frees the block of a list without readers.
  static func free(_ list: UInt) {
    block(list).map { UnsafeMutableRawPointer($0).deallocate() }
  }

  /// Returns a list of the same entries without tombstones, with room for as many again.
  private static func replacing(
    _ list: UInt, appending new: Unmanaged<Entry>?, retire: (UnsafeMutableRawPointer) -> Void
  ) -> UInt {
    var entries: [Unmanaged<Entry>] = []
    forEach(list) {
      entries.append($0)
      return true
    }
    if let new { entries.append(new) }
    return replacing(list, by: entries, retire: retire)
  }

  /// Returns a list of other entries, with room for as many again.
  private static func replacing(
    _ list: UInt, by entries: [Unmanaged<Entry>], retire: (UnsafeMutableRawPointer) -> Void
  ) -> UInt {
    block(list).map { retire(UnsafeMutableRawPointer($0)) }
    guard entries.count > 1 else { return entries.first.map(word) ?? 0 }
    let capacity = entries.count <= 2 ? 2 : entries.count * 2
    let size = MemoryLayout<Header>.stride + capacity * MemoryLayout<Atomic<UInt>>.stride
    let memory = CacheLine.allocate(byteCount: size)
    let block = memory.bindMemory(to: Header.self, capacity: 1)
    block.initialize(to: Header(capacity: capacity, count: Atomic(entries.count), removed: Atomic(0)))
    let words = UnsafeMutableRawPointer(block + 1).bindMemory(to: Atomic<UInt>.self, capacity: capacity)
    for index in 0..<capacity { (words + index).initialize(to: Atomic(index < entries.count ? word(entries[index]) : 0)) }
    return UInt(bitPattern: block) | 1
  }

  /// Returns the index of an entry, by binary search for its sequence number; nil if the list does not have the entry.
  private static func index(of old: Unmanaged<Entry>, in block: Block) -> Int? {
    let words = words(block)
    let wanted = sequence(old)
    let count = block.pointee.count.load(ordering: .relaxed)
    func number(at index: Int) -> Int {
      let word = (words + index).pointee.load(ordering: .relaxed)
      return entry(word).map(sequence) ?? Int(word >> 1)
    }
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if number(at: middle) < wanted { low = middle + 1 } else { high = middle }
    }
    while low < count, number(at: low) == wanted {
      if (words + low).pointee.load(ordering: .relaxed) == word(old) { return low }
      low += 1
    }
    return nil
  }

  private static func sequence(_ entry: Unmanaged<Entry>) -> Int { entry._withUnsafeGuaranteedRef { $0.sequence } }

  private static func word(_ entry: Unmanaged<Entry>) -> UInt { UInt(bitPattern: entry.toOpaque()) }

  /// The entry of a word; nil for a tombstone and for 0.
  @inlinable @inline(__always)
  static func entry(_ word: UInt) -> Unmanaged<Entry>? {
    guard word & 1 == 0, let pointer = UnsafeRawPointer(bitPattern: word) else { return nil }
    return Unmanaged.fromOpaque(pointer)
  }

  /// The entry of a list with one entry, if it is visible at a version.
  @inlinable @inline(__always)
  static func entry(_ list: UInt, visibleAt version: UInt64) -> Unmanaged<Entry>? {
    guard let entry = entry(list), entry._withUnsafeGuaranteedRef({ $0.isVisible(at: version) }) else { return nil }
    return entry
  }

  @inlinable @inline(__always)
  static func block(_ list: UInt) -> Block? {
    list & 1 == 0 ? nil : Block(bitPattern: list & ~1)
  }

  @inlinable @inline(__always)
  static func words(_ block: Block) -> UnsafeMutablePointer<Atomic<UInt>> {
    UnsafeMutableRawPointer(block + 1).assumingMemoryBound(to: Atomic<UInt>.self)
  }
}
