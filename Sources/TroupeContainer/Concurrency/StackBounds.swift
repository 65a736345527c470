internal import Glibc

/// The bounds of a thread's stack.
@frozen @usableFromInline
struct StackBounds {
  private let low: UInt
  private let high: UInt

  /// Reads the bounds of the calling thread's stack, which takes some microseconds. The bounds are empty if they are not known.
  init() {
    (low, high) = Self.bounds() ?? (0, 0)
  }

  /// Whether less than an eighth of the stack is left, clamped to 64 KB and 256 KB, and at most half of the stack; nil if the
  /// caller runs on another stack. The rest is for the error and for other calls of the factory.
  var isNearEnd: Bool? {
    let here = withUnsafeTemporaryAllocation(byteCount: 16, alignment: 16) { UInt(bitPattern: $0.baseAddress) }
    guard low <= here, here < high else { return nil }
    let size = high - low
    return here - low < min(max(size / 8, 64 << 10), 256 << 10, size / 2)
  }

  private static func bounds() -> (low: UInt, high: UInt)? {
    var attributes = pthread_attr_t()
    guard let getAttributes, getAttributes(pthread_self(), &attributes) == 0 else { return nil }
    defer { pthread_attr_destroy(&attributes) }
    var base: UnsafeMutableRawPointer?
    var size = 0
    guard pthread_attr_getstack(&attributes, &base, &size) == 0 else { return nil }
    return (UInt(bitPattern: base), UInt(bitPattern: base) + UInt(size))
  }

  /// `pthread_getattr_np`, which returns a status. The headers declare it only for sources with GNU extensions. Looked up by name, so that
  /// a program that uses the container alone needs no C module.
  private static let getAttributes = dlsym(nil, "pthread_getattr_np").map {
    unsafeBitCast($0, to: (@convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> CInt).self)
  }
}
