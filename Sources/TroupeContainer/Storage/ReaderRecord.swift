public import Synchronization

/// A thread's state for reading containers: its epoch, the entries that it keeps, and its running factories.
///
/// `Readers` creates one record for each thread that resolves, 128 bytes apart so that no two threads write to the same cache
/// lines. Records are never freed: a new thread reuses the record of an ended one.
@frozen @usableFromInline
struct ReaderRecord: ~Copyable {
  /// The epoch in which the thread began to read, or 0 while it is not reading. Written by the thread, read by writers.
  @usableFromInline let announced = Atomic<UInt>(0)
  /// Whether a thread owns this record.
  let isTaken = Atomic<Bool>(true)
  /// The next record of the process; constant once the record is in the list.
  var next: UnsafeMutablePointer<ReaderRecord>?
  /// The addresses of the entries whose factories run on the thread, outermost first, as far as there is room. Written by the
  /// thread, read by writers, which do not free these entries.
  @usableFromInline let kept: InlineArray<4, Atomic<UInt>>
  /// The number of entries that the thread keeps. Only the thread itself uses it. Atomic, so that a change does not access the
  /// whole record, which other threads read.
  @usableFromInline let keptCount = Atomic<Int>(0)
  /// The innermost factory that runs on the thread. Only the thread itself uses it.
  @usableFromInline var building: UnsafeMutablePointer<BuildFrame>?

  /// The stack of the thread; nil before its first use. Only the thread itself uses it.
  var stack: ThreadStack?

  init() {
    kept = InlineArray { _ in Atomic(0) }
  }

  /// Keeps an entry, which the thread has found while reading, alive after it stops reading.
  ///
  /// The address is a hazard pointer (M. Michael, Hazard Pointers, 2004), which costs a store instead of the exchange of a
  /// reference count. It needs no fence: a writer reads the hazard pointers only after it has seen that the thread stopped reading,
  /// or began later, and the thread writes both after the hazard pointer. From the fifth entry on, the function retains the entry.
  @inlinable @inline(__always)
  func keep(_ entry: Unmanaged<Entry>) {
    let count = keptCount.load(ordering: .relaxed)
    if count < kept.count {
      kept[count].store(UInt(bitPattern: entry.toOpaque()), ordering: .releasing)
    } else {
      _ = entry.retain()
    }
    keptCount.store(count + 1, ordering: .relaxed)
  }

  /// Releases the entry that was kept last.
  @inlinable @inline(__always)
  func release(_ entry: Unmanaged<Entry>) {
    let count = keptCount.load(ordering: .relaxed) - 1
    keptCount.store(count, ordering: .relaxed)
    if count < kept.count {
      // As at the end of reading, the fence keeps retains before the store.
      atomicMemoryFence(ordering: .releasing)
      kept[count].store(0, ordering: .relaxed)
    } else {
      entry.release()
    }
  }
}

/// A running factory; it lives on its thread's stack.
@frozen @usableFromInline
struct BuildFrame {
  /// The entry of the factory.
  @usableFromInline let entry: Unmanaged<Entry>
  /// The factory on the same thread that requested it.
  @usableFromInline let outer: UnsafeMutablePointer<BuildFrame>?

  @inlinable
  init(entry: Unmanaged<Entry>, outer: UnsafeMutablePointer<BuildFrame>?) {
    self.entry = entry
    self.outer = outer
  }
}
