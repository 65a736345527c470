/// What readers look at lies in lines of the processor's cache that hold nothing else. A line that one thread writes to, say to
/// count the references of an instance, is taken from all the others, who would wait for it at every resolve.
enum CacheLine {
  /// The length in bytes, the same on x86-64 and on most of AArch64.
  private static var length: Int { 64 }

  /// Uninitialized memory that shares no line with any other.
  static func allocate(byteCount: Int, alignment: Int = 16) -> UnsafeMutableRawPointer {
    let whole = (byteCount + length - 1) / length * length
    return .allocate(byteCount: max(whole, length), alignment: max(alignment, length))
  }

  /// Fills the line at the end of an object on the heap, which begins at a multiple of 16.
  struct Padding {
    private let words = InlineArray<6, UInt64>(repeating: 0)
  }
}
