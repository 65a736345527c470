public import Synchronization

/// The entries whose factories run on a thread, and the entries that it keeps.
extension ThreadRecord {
  /// Marks the factory of an entry as the innermost that runs on the thread. The caller has found the entry while reading, which may
  /// end now, or owns it.
  @inlinable @inline(__always)
  func push(_ entry: Unmanaged<Entry>) { push(UInt(bitPattern: entry.toOpaque())) }

  /// Keeps an entry, which the caller has found while reading, until `pop`.
  @inlinable @inline(__always)
  func keep(_ entry: Unmanaged<Entry>) { push(UInt(bitPattern: entry.toOpaque()) | 1) }

  /// Whether the factory of an entry runs on the thread, among the first of the addresses.
  @inlinable @inline(__always)
  func isRunning(_ entry: Entry, amongFirst count: Int) -> Bool {
    let address = UInt(bitPattern: Unmanaged.passUnretained(entry).toOpaque())
    var index = count
    while index > 0 {
      index -= 1
      if hazards.load(ordering: .relaxed)[index].load(ordering: .relaxed) == address { return true }
    }
    return false
  }

  /// Returns the entries whose factories run on the thread, outermost first.
  func runningEntries() -> [Entry] {
    let addresses = hazards.load(ordering: .relaxed)
    return (0..<hazardCount.load(ordering: .relaxed)).compactMap { index in
      let address = addresses[index].load(ordering: .relaxed)
      guard address & 1 == 0, let pointer = UnsafeRawPointer(bitPattern: address) else { return nil }
      return Unmanaged<Entry>.fromOpaque(pointer).takeUnretainedValue()
    }
  }
}
