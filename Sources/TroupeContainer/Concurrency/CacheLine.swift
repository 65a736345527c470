/// Allocation of the data that readers use, in cache lines without other data. A write to a line, for example of a reference count,
/// takes the line from all other processors, and each of their resolves would wait for it.
enum CacheLine {
  /// The length in bytes, the same on x86-64 and on most of AArch64.
  private static var length: Int { 64 }

  /// Returns uninitialized memory that shares no cache line with other data.
  static func allocate(byteCount: Int, alignment: Int = 16) -> UnsafeMutableRawPointer {
    let whole = (byteCount + length - 1) / length * length
    return .allocate(byteCount: max(whole, length), alignment: max(alignment, length))
  }

  /// Fills the cache line at the end of a heap object, which begins at a multiple of 16.
  struct Padding {
    private let words = InlineArray<6, UInt64>(repeating: 0)
  }
}
