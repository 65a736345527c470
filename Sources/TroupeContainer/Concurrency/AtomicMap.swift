package import Synchronization

/// A map from nonzero words to pairs of words. One writer changes it while any number of readers look up keys without a lock.
///
/// The map points to a table for open addressing with linear probing, at most three quarters full:
///
///     table ─→ [ mask | used ][ key | value | second ][ 0 | 0 | 0 ][ key | value | second ] …
///                 header          cell                   free cell
///
/// **Insert** claims a free cell: the writer stores the key, then the caller stores the values. **Remove** stores 0 as the values. The
/// key stays for the life of the table, so a reader that has found a cell can read its values at any later time. **Grow** copies the keys
/// that have a value to a larger table, publishes it and passes the old one to `retire`: readers may still be probing it.
///
/// The value 0 stands for no value. The map does not own what its words refer to.
package struct AtomicMap: ~Copyable {
  /// A key and its two values, in one cell because a caller often needs both and each access to a large table is a cache miss.
  package struct Cell: ~Copyable {
    let key = Atomic<UInt>(0)
    package let value = Atomic<UInt>(0)
    package let second = Atomic<UInt>(0)
  }

  /// The header of a table; the cells follow it in the same allocation.
  struct Header: ~Copyable {
    /// The number of cells, a power of two, less one.
    let mask: Int
    /// How many cells have a key. Only the writer uses it; atomic because readers read the neighboring words.
    let used: Atomic<Int>

    init(mask: Int, used: Int) {
      self.mask = mask
      self.used = Atomic(used)
    }
  }

  typealias Table = UnsafeMutablePointer<Header>

  let table: Atomic<Table?>

  /// Gives each table cache lines of its own, for maps that many threads read.
  private let hasOwnLines: Bool

  package init(hasOwnLines: Bool = true) {
    table = Atomic(nil)
    self.hasOwnLines = hasOwnLines
  }

  deinit {
    table.load(ordering: .relaxed).map { UnsafeMutableRawPointer($0).deallocate() }
  }

  /// The first value of a nonzero key, or 0.
  @inline(__always)
  package subscript(key: UInt) -> UInt {
    guard let table = table.load(ordering: .acquiring) else { return 0 }
    let (cell, isFound) = Self.probe(table, key)
    return isFound ? cell.pointee.value.load(ordering: .acquiring) : 0
  }

  /// Returns the second value of a nonzero key, or 0.
  package func second(_ key: UInt) -> UInt {
    guard let table = table.load(ordering: .acquiring) else { return 0 }
    let (cell, isFound) = Self.probe(table, key)
    return isFound ? cell.pointee.second.load(ordering: .acquiring) : 0
  }

  /// Returns the cell of a key for the writer, and inserts it if necessary.
  ///
  /// - Parameter retire: Receives a replaced table, which readers may still use. Deallocate it once they do not.
  package func cell(for key: UInt, retire: (UnsafeMutableRawPointer) -> Void) -> UnsafeMutablePointer<Cell> {
    let old = table.load(ordering: .relaxed)
    let isFull = old.map { ($0.pointee.used.load(ordering: .relaxed) + 1) * 4 > ($0.pointee.mask + 1) * 3 } ?? true
    guard let current = isFull ? grow(old, retire: retire) : old else { preconditionFailure("growing gives a table") }
    let (cell, isFound) = Self.probe(current, key)
    if !isFound {
      current.pointee.used.add(1, ordering: .relaxed)
      cell.pointee.key.store(key, ordering: .releasing)
    }
    return cell
  }

  /// Calls a closure for each key that has a value.
  package func forEach(_ body: (_ key: UInt, _ value: UInt, _ second: UInt) -> Void) {
    guard let table = table.load(ordering: .acquiring) else { return }
    for index in 0...table.pointee.mask {
      let cell = Self.cells(table) + index
      let key = cell.pointee.key.load(ordering: .acquiring)
      let (value, second) = (cell.pointee.value.load(ordering: .acquiring), cell.pointee.second.load(ordering: .acquiring))
      if key != 0, value != 0 || second != 0 { body(key, value, second) }
    }
  }

  @inline(__always)
  static func cells(_ table: Table) -> UnsafeMutablePointer<Cell> {
    UnsafeMutableRawPointer(table + 1).assumingMemoryBound(to: Cell.self)
  }

  /// Returns the first index to probe, by Fibonacci hashing (Knuth, volume 3, section 6.4).
  ///
  /// A bit of a product depends only on lower bits of the key, so the halves of the key are combined first: the hashes of texts and UUIDs
  /// that differ only in their last characters differ only in their highest bits.
  @inline(__always)
  static func start(_ key: UInt) -> Int { Int(truncatingIfNeeded: ((key ^ key >> 32) &* 0x9E37_79B9_7F4A_7C15) >> 24) }

  /// Returns the cell of a key, or the free cell that ends the search for it. Another key may take that cell before a reader reads its values.
  @inline(__always)
  private static func probe(_ table: Table, _ key: UInt) -> (cell: UnsafeMutablePointer<Cell>, isFound: Bool) {
    let (cells, mask) = (cells(table), table.pointee.mask)
    var index = start(key) & mask
    while true {
      let found = (cells + index).pointee.key.load(ordering: .acquiring)
      if found == key || found == 0 { return (cells + index, found == key) }
      index = (index + 1) & mask
    }
  }

  /// Publishes a table without the keys that have no value, with room for at least one more.
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
      let cell = Self.probe(new, key).cell
      cell.pointee.value.store(value, ordering: .relaxed)
      cell.pointee.second.store(second, ordering: .relaxed)
      cell.pointee.key.store(key, ordering: .relaxed)
    }
    table.store(new, ordering: .releasing)
    old.map { retire(UnsafeMutableRawPointer($0)) }
    return new
  }
}
