/// C strings that Swift owns.
package enum CString {
  /// Copies a text up to its first NUL. Release the copy with `deallocate()`.
  package static func copy(_ text: String) -> UnsafeMutablePointer<CChar> {
    text.withCString { source in
      var count = 0
      while source[count] != 0 { count += 1 }
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: count + 1)
      copy.initialize(from: source, count: count + 1)
      return copy
    }
  }
}
