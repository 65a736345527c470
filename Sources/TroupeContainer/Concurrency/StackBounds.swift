internal import Glibc

/// The bounds of a thread's stack, to stop a recursion of factories before it overflows the stack.
struct StackBounds {
  private let bounds: Range<UInt>?

  /// Reads the bounds of the calling thread's stack. Cost: some microseconds, so keep them.
  init() { bounds = Self.current() }

  /// True if less than an eighth of the stack is left, at least 64 KB and at most 256 KB or half of the stack: enough for the error and
  /// for other calls of the factory. Nil if the bounds are unknown or the caller runs on another stack.
  var isNearEnd: Bool? {
    let here = withUnsafeTemporaryAllocation(byteCount: 16, alignment: 16) { UInt(bitPattern: $0.baseAddress) }
    guard let bounds, bounds.contains(here) else { return nil }
    let size = UInt(bounds.count)
    // Stacks grow downwards.
    return here - bounds.lowerBound < min(max(size / 8, 64 << 10), 256 << 10, size / 2)
  }

  private static func current() -> Range<UInt>? {
    var attributes = pthread_attr_t()
    guard let getAttributes, getAttributes(pthread_self(), &attributes) == 0 else { return nil }
    defer { pthread_attr_destroy(&attributes) }
    var base: UnsafeMutableRawPointer?
    var size = 0
    guard pthread_attr_getstack(&attributes, &base, &size) == 0 else { return nil }
    return UInt(bitPattern: base)..<UInt(bitPattern: base) + UInt(size)
  }

  /// `pthread_getattr_np`, which the headers declare only for sources with GNU extensions. Looked up by name, so that a program that uses
  /// the container alone needs no C module.
  private static let getAttributes = dlsym(nil, "pthread_getattr_np").map {
    unsafeBitCast($0, to: (@convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> CInt).self)
  }
}
