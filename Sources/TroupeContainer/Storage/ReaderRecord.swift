public import Synchronization

/// What one thread keeps for reading containers: whether it is reading, which entries it keeps, and what it is building.
///
/// Records are made by `Readers`, one for each thread that ever resolves, 128 bytes apart so that no two threads write to the
/// same cache lines, and never freed: a thread that ends leaves its record to the next that begins.
@frozen @usableFromInline
struct ReaderRecord: ~Copyable {
  /// The epoch in which the thread began to read, or 0 while it is not reading. Written by the thread, read by writers.
  @usableFromInline let announced = Atomic<UInt>(0)
  /// Whether a thread has this record.
  let isTaken = Atomic<Bool>(true)
  /// The next record of the process; constant once the record is in the list.
  var next: UnsafeMutablePointer<ReaderRecord>?
  /// The addresses of the entries whose factories run on the thread, outermost first, as far as there is room. Written by the
  /// thread, read by writers, who free none of them.
  @usableFromInline let kept: InlineArray<4, Atomic<UInt>>
  /// How many entries the thread keeps. Only the thread itself touches it. Atomic so that a change of it is no change of the whole
  /// record, which other threads are reading.
  @usableFromInline let keptCount = Atomic<Int>(0)
  /// The innermost factory that runs on the thread. Only the thread itself touches it.
  @usableFromInline var building: UnsafeMutablePointer<BuildFrame>?

  /// The stack of the thread, once it has been asked for. Only the thread itself touches it.
  var stack: ThreadStack?

  init() {
    kept = InlineArray { _ in Atomic(0) }
  }

  /// Keeps an entry, which was found while reading, alive beyond the end of reading.
  ///
  /// It is announced to writers as a hazard pointer (M. Michael, Hazard Pointers, 2004), which costs a store where a reference
  /// would cost an exchange. A reader that finds it needs no fence: a writer looks here only after it has seen that the thread
  /// does not read any more, or began later, and both are said after this. Beyond the fourth a reference is taken.
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

  /// Keeps the entry that was kept last no longer.
  @inlinable @inline(__always)
  func release(_ entry: Unmanaged<Entry>) {
    let count = keptCount.load(ordering: .relaxed) - 1
    keptCount.store(count, ordering: .relaxed)
    if count < kept.count {
      // As where reading ends, the fence keeps retains before the store.
      atomicMemoryFence(ordering: .releasing)
      kept[count].store(0, ordering: .relaxed)
    } else {
      entry.release()
    }
  }
}

/// A factory that runs on a thread; it lives on that thread's stack.
@frozen @usableFromInline
struct BuildFrame {
  /// The entry whose factory it is.
  @usableFromInline let entry: Unmanaged<Entry>
  /// The factory that asked for it, on the same thread.
  @usableFromInline let outer: UnsafeMutablePointer<BuildFrame>?

  @inlinable
  init(entry: Unmanaged<Entry>, outer: UnsafeMutablePointer<BuildFrame>?) {
    self.entry = entry
    self.outer = outer
  }
}
