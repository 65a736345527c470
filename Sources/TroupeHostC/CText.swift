/// A copy of a text in C's form, in memory of its own.
final class CText {
  /// The text, which ends with a NUL; valid for as long as the object.
  let pointer: UnsafePointer<CChar>

  init(_ text: String) {
    let bytes = text.utf8CString
    let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: bytes.count)
    _ = copy.initialize(from: bytes)
    // The buffer has at least the NUL.
    pointer = UnsafePointer(copy.baseAddress.unsafelyUnwrapped)
  }

  deinit { pointer.deallocate() }
}
