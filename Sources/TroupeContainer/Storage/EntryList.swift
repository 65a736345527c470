public import Synchronization

/// The registrations under one key, in order. One writer changes a list while any number of readers scan it without a lock.
///
/// Most keys have exactly one registration, so a list is a tagged word and needs a block only from the second entry on:
///
///     0                      no entry
///     Entry address          one entry
///     Block address | 1      [ capacity | count | removed | entry, entry, tombstone, entry, … ]
///
/// **Append** stores the entry behind the last one and then publishes the new count: a reader with the old count does not see it.
/// **Remove** overwrites the entry with a tombstone that keeps its sequence number (`2n + 1`), so the block stays sorted. When half of
/// the words are tombstones, the writer copies the live entries to a new block.
/// **Merge** gives entries the sequence numbers of those that they replace. An entry follows the one with the same number until that one
/// is removed.
///
/// Each change returns the new list, which the writer stores in place of the old one. A replaced block goes to the closure `retire`:
/// deallocate it once no reader of the epoch is left. A list does not retain its entries; a `TypeTable` owns one reference to each. Readers
/// need an `EpochGuard`, and ignore entries that are not visible at their version.
@frozen @usableFromInline
struct EntryList {
  @usableFromInline let word: UInt

  @inlinable @inline(__always)
  init(word: UInt) { self.word = word }

  private init(_ entry: Unmanaged<Entry>) { word = Self.word(entry) }

  @inlinable @inline(__always)
  static var empty: EntryList { EntryList(word: 0) }

  @inlinable @inline(__always)
  var isEmpty: Bool { word == 0 }

  // MARK: Readers

  /// Calls a closure for each entry, in order, until it returns false.
  @inlinable @inline(__always)
  func scan(while body: (Unmanaged<Entry>) throws -> Bool) rethrows {
    guard let block else {
      if let entry = Self.entry(word) { _ = try body(entry) }
      return
    }
    let words = Self.words(block)
    for index in 0..<block.pointee.count.load(ordering: .acquiring) {
      guard let entry = Self.entry((words + index).pointee.load(ordering: .acquiring)) else { continue }
      if try !body(entry) { return }
    }
  }

  @inline(__always)
  func forEach(_ body: (Unmanaged<Entry>) -> Void) {
    scan { entry in
      body(entry)
      return true
    }
  }

  /// Returns the entries that readers see at a version and that a closure accepts.
  @inline(__always)
  func entries(visibleAt version: UInt64, where isWanted: (Entry) -> Bool) -> [Entry] {
    var entries: [Entry] = []
    forEach { entry in
      entry._withUnsafeGuaranteedRef { if $0.isVisible(at: version), isWanted($0) { entries.append($0) } }
    }
    return entries
  }

  /// The number of entries and tombstones. Cost: constant.
  @inlinable @inline(__always)
  var upperBound: Int {
    block.map { $0.pointee.count.load(ordering: .relaxed) } ?? (isEmpty ? 0 : 1)
  }

  /// Returns the entry of a list without a block, if it is visible at a version.
  @inlinable @inline(__always)
  func onlyEntry(visibleAt version: UInt64) -> Unmanaged<Entry>? {
    guard let entry = Self.entry(word), entry._withUnsafeGuaranteedRef({ $0.isVisible(at: version) }) else { return nil }
    return entry
  }

  // MARK: The writer

  /// Returns the list with one more entry, whose sequence number is the highest.
  func appending(_ new: Unmanaged<Entry>, retire: (UnsafeMutableRawPointer) -> Void) -> EntryList {
    if isEmpty { return EntryList(new) }
    if let block {
      let count = block.pointee.count.load(ordering: .relaxed)
      if count < block.pointee.capacity {
        (Self.words(block) + count).pointee.store(Self.word(new), ordering: .relaxed)
        block.pointee.count.store(count + 1, ordering: .releasing)
        return self
      }
    }
    return replaced(by: entries(and: new), retire: retire)
  }

  /// Returns the list without an entry.
  func removing(_ old: Unmanaged<Entry>, retire: (UnsafeMutableRawPointer) -> Void) -> EntryList {
    guard let block else { return word == Self.word(old) ? .empty : self }
    guard let index = Self.index(of: old, in: block) else { return self }
    (Self.words(block) + index).pointee.store(UInt(Self.sequence(old)) << 1 | 1, ordering: .releasing)
    let removed = block.pointee.removed.add(1, ordering: .relaxed).newValue
    let count = block.pointee.count.load(ordering: .relaxed)
    return removed * 2 >= count ? replaced(by: entries(), retire: retire) : self
  }

  /// Returns the list with more entries, given in the order of their sequence numbers.
  ///
  /// Cost: proportional to the length of the list.
  func merging(_ new: [Unmanaged<Entry>], retire: (UnsafeMutableRawPointer) -> Void) -> EntryList {
    var entries: [Unmanaged<Entry>] = []
    entries.reserveCapacity(upperBound + new.count)
    var next = 0
    forEach { entry in
      while next < new.count, Self.sequence(new[next]) < Self.sequence(entry) {
        entries.append(new[next])
        next += 1
      }
      entries.append(entry)
    }
    return replaced(by: entries + new[next...], retire: retire)
  }

  /// Deallocates the block of a list without readers.
  func free() {
    block.map { UnsafeMutableRawPointer($0).deallocate() }
  }

  private func entries(and new: Unmanaged<Entry>? = nil) -> [Unmanaged<Entry>] {
    var entries: [Unmanaged<Entry>] = []
    forEach { entries.append($0) }
    if let new { entries.append(new) }
    return entries
  }

  /// Returns a list of other entries, with room for as many again.
  private func replaced(by entries: [Unmanaged<Entry>], retire: (UnsafeMutableRawPointer) -> Void) -> EntryList {
    block.map { retire(UnsafeMutableRawPointer($0)) }
    guard entries.count > 1 else { return entries.first.map(EntryList.init) ?? .empty }
    let capacity = entries.count <= 2 ? 2 : entries.count * 2
    let size = MemoryLayout<Header>.stride + capacity * MemoryLayout<Atomic<UInt>>.stride
    let block = CacheLine.allocate(byteCount: size).bindMemory(to: Header.self, capacity: 1)
    block.initialize(to: Header(capacity: capacity, count: Atomic(entries.count), removed: Atomic(0)))
    let words = UnsafeMutableRawPointer(block + 1).bindMemory(to: Atomic<UInt>.self, capacity: capacity)
    for index in 0..<capacity {
      (words + index).initialize(to: Atomic(index < entries.count ? Self.word(entries[index]) : 0))
    }
    return EntryList(word: UInt(bitPattern: block) | 1)
  }

  /// Returns the index of an entry, by binary search for its sequence number, or nil.
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

  // MARK: Words

  /// The begin of a block; the words of its entries follow it in the same allocation.
  @frozen @usableFromInline
  struct Header: ~Copyable {
    let capacity: Int
    /// The number of words in use, with tombstones.
    @usableFromInline let count: Atomic<Int>
    /// The number of tombstones. Only the writer uses it; atomic because readers read the neighboring words.
    let removed: Atomic<Int>
  }

  @usableFromInline typealias Block = UnsafeMutablePointer<Header>

  /// Nil for a list of at most one entry.
  @inlinable @inline(__always)
  var block: Block? {
    word & 1 == 0 ? nil : Block(bitPattern: word & ~1)
  }

  @inlinable @inline(__always)
  static func words(_ block: Block) -> UnsafeMutablePointer<Atomic<UInt>> {
    UnsafeMutableRawPointer(block + 1).assumingMemoryBound(to: Atomic<UInt>.self)
  }

  private static func word(_ entry: Unmanaged<Entry>) -> UInt { UInt(bitPattern: entry.toOpaque()) }

  /// Returns the entry whose address a word is. Returns nil for 0, a tombstone and a block.
  @inlinable @inline(__always)
  static func entry(_ word: UInt) -> Unmanaged<Entry>? {
    guard word & 1 == 0, let pointer = UnsafeRawPointer(bitPattern: word) else { return nil }
    return Unmanaged.fromOpaque(pointer)
  }
}
