internal import Glibc

/// The system's own words for an `errno`.
struct SystemError: Error, CustomStringConvertible {
  let code: Int32

  /// The sentence that `strerror` has for the code, in lower case as the rest of our sentences.
  var description: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress, strerror_r(code, start, buffer.count) == 0 else { return "error \(code)" }
      let text = String(cString: start)
      return text.prefix(1).lowercased() + text.dropFirst()
    }
  }
}
