/// Prevents false sharing: gives data that many threads read cache lines without other data.
///
/// A write to a line, such as a change of a reference count, invalidates the line in the caches of all other processors. A resolve on each
/// of them would then wait for memory.
enum CacheLine {
  /// In bytes, on x86-64 and on most of AArch64.
  private static var length: Int { 64 }

  /// Returns uninitialized memory that shares no cache line with other allocations.
  static func allocate(byteCount: Int, alignment: Int = 16) -> UnsafeMutableRawPointer {
    let whole = (byteCount + length - 1) / length * length
    return .allocate(byteCount: max(whole, length), alignment: max(alignment, length))
  }

  /// The last member of a class whose instances must not share their last cache line. Heap objects are aligned to 16 bytes.
  struct Padding {
    private let words = InlineArray<6, UInt64>(repeating: 0)
  }
}
