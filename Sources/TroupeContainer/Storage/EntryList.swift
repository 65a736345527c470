import Synchronization

/// The registrations under one key, in order. One writer changes a list while any number of readers scan it without a lock.
///
/// Most keys have exactly one registration, so a list is a tagged word and needs a block only from the second entry on:
///
///     0                      no entry
///     Entry address          one entry
///     Block address | 1      [ capacity | count | removed | entry, entry, tombstone, entry, … ]
///                                                             ↓ successor
///                                                           entry
///
/// **Append** stores the entry behind the last one and then publishes the new count: a reader with the old count does not see it.
/// **Remove** overwrites the entry with a tombstone that keeps its sequence number (`2n + 1`), so the block stays sorted. When half of
/// the words are tombstones, the writer copies the live entries to a new block.
/// **Replace** gives an entry the sequence number of the one that it replaces, which has the same key and so is in the same lists. It
/// becomes the `successor` of that entry: no list changes. Readers visit an entry, its successor, and so on, of which at most one is visible
/// at a version. When the replaced entry is removed, its successor takes its word.
///
/// Each change returns the new list, which the writer stores in place of the old one. A replaced block goes to the closure `retire`:
/// deallocate it once no reader of the epoch is left. A list does not retain its entries; a `TypeTable` owns one reference to each. Readers
/// need an `EpochGuard`, and ignore entries that are not visible at their version.
struct EntryList {
  let word: UInt

  @inline(__always)
  init(word: UInt) { self.word = word }

  private init(_ entry: Unmanaged<Entry>) { word = Self.word(entry) }

  @inline(__always)
  static var empty: EntryList { EntryList(word: 0) }

  @inline(__always)
  var isEmpty: Bool { word == 0 }

  // MARK: Readers

  /// Calls a closure for each entry, in order, until it returns false.
  @inline(__always)
  func scan(while body: (Unmanaged<Entry>) throws -> Bool) rethrows {
    guard let block else {
      _ = try Self.scanChain(word, while: body)
      return
    }
    let words = Self.words(block)
    for index in 0..<block.pointee.count.load(ordering: .acquiring) {
      if try !Self.scanChain((words + index).pointee.load(ordering: .acquiring), while: body) { return }
    }
  }

  /// Calls a closure for the entry of a word and its successors until it returns false. Returns false then.
  @inline(__always)
  static func scanChain(_ word: UInt, while body: (Unmanaged<Entry>) throws -> Bool) rethrows -> Bool {
    var next = entry(word)
    while let entry = next {
      if try !body(entry) { return false }
      next = successor(of: entry)
    }
    return true
  }

  /// Returns the entries that a closure accepts, in order.
  @inline(__always)
  func entries(where isWanted: (Entry) -> Bool) -> [Entry] {
    var entries: [Entry] = []
    scan { entry in
      entry._withUnsafeGuaranteedRef { if isWanted($0) { entries.append($0) } }
      return true
    }
    return entries
  }

  /// The number of words in use. Each leads to at most one entry that is visible at a version, so a list has no more visible entries.
  /// Cost: constant.
  @inline(__always)
  var upperBound: Int { block.map { $0.pointee.count.load(ordering: .relaxed) } ?? (isEmpty ? 0 : 1) }

  /// Returns the entry of a list without a block, if it is visible at a version.
  @inline(__always)
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
    guard let block else { return EntryList(word: Self.chain(word, without: old)) }
    guard let index = Self.index(of: Self.sequence(old), in: block) else { return self }
    let words = Self.words(block)
    let rest = Self.chain((words + index).pointee.load(ordering: .relaxed), without: old)
    (words + index).pointee.store(rest == 0 ? UInt(Self.sequence(old)) << 1 | 1 : rest, ordering: .releasing)
    guard rest == 0 else { return self }
    let removed = block.pointee.removed.add(1, ordering: .relaxed).newValue
    return removed * 2 >= block.pointee.count.load(ordering: .relaxed) ? replaced(by: entries(), retire: retire) : self
  }

  /// Takes an entry out of the entry of a word and its successors, and so out of all lists. Returns the new word.
  private static func chain(_ word: UInt, without old: Unmanaged<Entry>) -> UInt {
    if word == Self.word(old) { return successorWord(of: old) }
    var next = entry(word)
    while let entry = next {
      next = successor(of: entry)
      guard next?.toOpaque() == old.toOpaque() else { continue }
      entry._withUnsafeGuaranteedRef { $0.successor.store(successorWord(of: old), ordering: .releasing) }
      break
    }
    return word
  }

  /// Puts an entry behind another one with the same key and sequence number, in all lists of that one.
  static func replace(_ old: Unmanaged<Entry>, by new: Unmanaged<Entry>) {
    var last = old
    while let next = successor(of: last) { last = next }
    last._withUnsafeGuaranteedRef { $0.successor.store(word(new), ordering: .releasing) }
  }

  /// Deallocates the block of a list without readers.
  func free() { block.map { UnsafeMutableRawPointer($0).deallocate() } }

  /// Returns the entries of the words, without their successors.
  private func entries(and new: Unmanaged<Entry>? = nil) -> [Unmanaged<Entry>] {
    var entries: [Unmanaged<Entry>] = []
    if let block {
      let words = Self.words(block)
      for index in 0..<block.pointee.count.load(ordering: .relaxed) {
        if let entry = Self.entry((words + index).pointee.load(ordering: .relaxed)) { entries.append(entry) }
      }
    } else if let entry = Self.entry(word) {
      entries.append(entry)
    }
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

  /// Returns the index of the word with a sequence number, or nil. Cost: a binary search.
  private static func index(of wanted: Int, in block: Block) -> Int? {
    let words = words(block)
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
    return low < count && number(at: low) == wanted ? low : nil
  }

  private static func sequence(_ entry: Unmanaged<Entry>) -> Int { entry._withUnsafeGuaranteedRef { $0.sequence } }

  // MARK: Words

  /// The header of a block; the words of its entries follow it in the same allocation.
  struct Header: ~Copyable {
    let capacity: Int
    /// The number of words in use, with tombstones.
    let count: Atomic<Int>
    /// The number of tombstones. Only the writer uses it; atomic because readers read the neighboring words.
    let removed: Atomic<Int>
  }

  typealias Block = UnsafeMutablePointer<Header>

  /// Nil for a list of at most one entry.
  @inline(__always)
  var block: Block? { word & 1 == 0 ? nil : Block(bitPattern: word & ~1) }

  @inline(__always)
  static func words(_ block: Block) -> UnsafeMutablePointer<Atomic<UInt>> {
    UnsafeMutableRawPointer(block + 1).assumingMemoryBound(to: Atomic<UInt>.self)
  }

  private static func word(_ entry: Unmanaged<Entry>) -> UInt { UInt(bitPattern: entry.toOpaque()) }

  /// Returns 0 for the last one.
  @inline(__always)
  static func successorWord(of entry: Unmanaged<Entry>) -> UInt {
    entry._withUnsafeGuaranteedRef { $0.successor.load(ordering: .acquiring) }
  }

  @inline(__always)
  static func successor(of entry: Unmanaged<Entry>) -> Unmanaged<Entry>? { Self.entry(successorWord(of: entry)) }

  /// Returns the entry whose address a word is. Returns nil for 0, a tombstone and a block.
  @inline(__always)
  static func entry(_ word: UInt) -> Unmanaged<Entry>? {
    guard word & 1 == 0, let pointer = UnsafeRawPointer(bitPattern: word) else { return nil }
    return Unmanaged.fromOpaque(pointer)
  }
}
