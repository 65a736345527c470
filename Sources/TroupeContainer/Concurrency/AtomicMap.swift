public import Synchronization

/// A map from words to pairs of words, for one writer at a time and any number of readers that never wait.
///
/// It uses open addressing with linear probing, and is at most three quarters full. A cell keeps its key until the map grows, so a
/// reader that finds a key can then read its values. The map grows into a new table; the writer frees the old one when no reader
/// uses it any more.
@frozen @usableFromInline
package struct AtomicMap: ~Copyable {
  /// A key and its two values; the key 0 means that the cell is free. One cell holds both values, because a caller that looks up
  /// one often needs the other as well, and each access to a large table waits for memory.
  @frozen @usableFromInline
  package struct Cell: ~Copyable {
    @usableFromInline let key = Atomic<UInt>(0)
    @usableFromInline package let value = Atomic<UInt>(0)
    @usableFromInline package let second = Atomic<UInt>(0)
    init() {}
  }

  /// The header of a table; the cells follow it.
  @frozen @usableFromInline
  struct Header: ~Copyable {
    /// The number of cells less one; the number is a power of two.
    @usableFromInline let mask: Int
    /// The number of cells with a key. Only the writer uses it, while readers read the neighboring words.
    let used: Atomic<Int>

    init(mask: Int, used: Int) {
      self.mask = mask
      self.used = Atomic(used)
    }
  }

  @usableFromInline typealias Table = UnsafeMutablePointer<Header>

  @usableFromInline let table: Atomic<Table?>

  /// Whether tables have cache lines of their own, for maps that many threads read.
  private let hasOwnLines: Bool

  @usableFromInline
  package init(hasOwnLines: Bool = true) {
    table = Atomic(nil)
    self.hasOwnLines = hasOwnLines
  }

  deinit {
    table.load(ordering: .relaxed).map { UnsafeMutableRawPointer($0).deallocate() }
  }

  /// The value of a key, or 0. The key must not be 0.
  @inlinable @inline(__always)
  package subscript(key: UInt) -> UInt {
    guard let table = table.load(ordering: .acquiring) else { return 0 }
    let cells = Self.cells(table)
    let mask = table.pointee.mask
    var index = Self.start(key) & mask
    while true {
      let found = (cells + index).pointee.key.load(ordering: .acquiring)
      if found == key { return (cells + index).pointee.value.load(ordering: .acquiring) }
      if found == 0 { return 0 }
      index = (index + 1) & mask
    }
  }

  /// Returns the second value of a key, or 0. The key must not be 0.
  @usableFromInline
  package func second(_ key: UInt) -> UInt {
    guard let table = table.load(ordering: .acquiring) else { return 0 }
    return Self.probe(table, key).pointee.second.load(ordering: .acquiring)
  }

  /// Returns the cell of a key, inserted if there is none. For the writer. Passes a replaced table to `retire`.
  package func cell(for key: UInt, retire: (UnsafeMutableRawPointer) -> Void) -> UnsafeMutablePointer<Cell> {
    let old = table.load(ordering: .relaxed)
    let isFull = old.map { ($0.pointee.used.load(ordering: .relaxed) + 1) * 4 > ($0.pointee.mask + 1) * 3 } ?? true
    guard let current = isFull ? grow(old, retire: retire) : old else { preconditionFailure("growing gives a table") }
    let cell = Self.probe(current, key)
    if cell.pointee.key.load(ordering: .relaxed) == 0 {
      current.pointee.used.add(1, ordering: .relaxed)
      cell.pointee.key.store(key, ordering: .releasing)
    }
    return cell
  }

  /// Calls a closure for each key that has a value, with both values.
  package func forEach(_ body: (_ key: UInt, _ value: UInt, _ second: UInt) -> Void) {
    guard let table = table.load(ordering: .acquiring) else { return }
    for index in 0...table.pointee.mask {
      let cell = Self.cells(table) + index
      let key = cell.pointee.key.load(ordering: .acquiring)
      let (value, second) = (cell.pointee.value.load(ordering: .acquiring), cell.pointee.second.load(ordering: .acquiring))
      if key != 0, value != 0 || second != 0 { body(key, value, second) }
    }
  }

  @inlinable @inline(__always)
  static func cells(_ table: Table) -> UnsafeMutablePointer<Cell> {
    UnsafeMutableRawPointer(table + 1).assumingMemoryBound(to: Cell.self)
  }

  /// Returns the first index to probe. Fibonacci hashing (Knuth, volume 3, section 6.4) spreads the bits of the key. A bit of a
  /// product depends only on lower bits, so the upper half is first combined with the lower one: hashes of texts and UUIDs that
  /// differ only in their last characters, as numbered ones do, differ only in their highest bits.
  @inlinable @inline(__always)
  static func start(_ key: UInt) -> Int {
    Int(truncatingIfNeeded: ((key ^ key >> 32) &* 0x9E37_79B9_7F4A_7C15) >> 24)
  }

  /// Returns the cell of a key, or the free cell for it; there is always a free one.
  private static func probe(_ table: Table, _ key: UInt) -> UnsafeMutablePointer<Cell> {
    var index = start(key) & table.pointee.mask
    while true {
      let cell = cells(table) + index
      let found = cell.pointee.key.load(ordering: .acquiring)
      if found == key || found == 0 { return cell }
      index = (index + 1) & table.pointee.mask
    }
  }

  /// Publishes a table with room for one more key, without the keys that have no value.
  private func grow(_ old: Table?, retire: (UnsafeMutableRawPointer) -> Void) -> Table {
    var live = 1
    forEach { _, _, _ in live += 1 }
    var capacity = 4
    while live * 2 > capacity { capacity *= 2 }
    let size = MemoryLayout<Header>.size + capacity * MemoryLayout<Cell>.stride
    let memory = hasOwnLines ? CacheLine.allocate(byteCount: size) : .allocate(byteCount: size, alignment: 16)
    let new = memory.bindMemory(to: Header.self, capacity: 1)
    new.initialize(to: Header(mask: capacity - 1, used: live - 1))
    let cells = UnsafeMutableRawPointer(new + 1).bindMemory(to: Cell.self, capacity: capacity)
    for index in 0..<capacity { (cells + index).initialize(to: Cell()) }
    forEach { key, value, second in
      let cell = Self.probe(new, key)
      cell.pointee.value.store(value, ordering: .relaxed)
      cell.pointee.second.store(second, ordering: .relaxed)
      cell.pointee.key.store(key, ordering: .relaxed)
    }
    table.store(new, ordering: .releasing)
    old.map { retire(UnsafeMutableRawPointer($0)) }
    return new
  }
}
