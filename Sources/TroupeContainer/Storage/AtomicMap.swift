public import Synchronization

/// A map from words to pairs of words for one writer at a time and any number of readers that never wait.
///
/// Open addressing with linear probing, at most three quarters full. A cell, once it has a key, keeps it until the map grows,
/// so a reader that finds a key may go on to its value. Growing makes a new table; the old one is handed to the writer to be
/// freed when no reader looks at it any more.
@frozen @usableFromInline
package struct AtomicMap: ~Copyable {
  /// A key and its two values; the key 0 means that the cell is free. Two in one cell, since whoever looks for the one often
  /// wants the other, too, and in a large table each look waits for memory.
  @frozen @usableFromInline
  package struct Cell: ~Copyable {
    @usableFromInline let key = Atomic<UInt>(0)
    @usableFromInline package let value = Atomic<UInt>(0)
    @usableFromInline package let second = Atomic<UInt>(0)
    init() {}
  }

  /// A table's cells lie behind this header.
  @frozen @usableFromInline
  struct Header: ~Copyable {
    /// The number of cells less one; the number is a power of two.
    @usableFromInline let mask: Int
    /// How many cells have a key. Only the writer touches it, while readers look at what lies beside it.
    let used: Atomic<Int>

    init(mask: Int, used: Int) {
      self.mask = mask
      self.used = Atomic(used)
    }
  }

  @usableFromInline typealias Table = UnsafeMutablePointer<Header>

  @usableFromInline let table: Atomic<Table?>

  @usableFromInline
  package init() {
    table = Atomic(nil)
  }

  deinit {
    table.load(ordering: .relaxed).map { UnsafeMutableRawPointer($0).deallocate() }
  }

  /// The value of a key, 0 if there is none. The key is not 0.
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

  /// The second value of a key, 0 if there is none. The key is not 0.
  package func second(_ key: UInt) -> UInt {
    guard let table = table.load(ordering: .acquiring) else { return 0 }
    return Self.probe(table, key).pointee.second.load(ordering: .acquiring)
  }

  /// The cell of a key, made if there is none. For the writer. A table that became too small goes to `retire`.
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

  /// Every key that has a value, with both.
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

  /// Where probing begins: the key's bits are spread by Fibonacci hashing (Knuth, volume 3, section 6.4). A product's bits
  /// depend on none above them, so the upper half comes into the lower one first: the hashes of texts and UUIDs that differ in
  /// their last characters alone, as numbered ones do, differ in their highest bits alone.
  @inlinable @inline(__always)
  static func start(_ key: UInt) -> Int {
    Int(truncatingIfNeeded: ((key ^ key >> 32) &* 0x9E37_79B9_7F4A_7C15) >> 24)
  }

  /// The cell of a key, or the free one in which it belongs; there is always a free one.
  private static func probe(_ table: Table, _ key: UInt) -> UnsafeMutablePointer<Cell> {
    var index = start(key) & table.pointee.mask
    while true {
      let cell = cells(table) + index
      let found = cell.pointee.key.load(ordering: .acquiring)
      if found == key || found == 0 { return cell }
      index = (index + 1) & table.pointee.mask
    }
  }

  /// Publishes a table that has room for one more key; keys without a value are left behind.
  private func grow(_ old: Table?, retire: (UnsafeMutableRawPointer) -> Void) -> Table {
    var live = 1
    forEach { _, _, _ in live += 1 }
    var capacity = 4
    while live * 2 > capacity { capacity *= 2 }
    let size = MemoryLayout<Header>.size + capacity * MemoryLayout<Cell>.stride
    let memory = CacheLine.allocate(byteCount: size)
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
