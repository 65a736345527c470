import Glibc
import Troupe

/// A POSIX extended regular expression, compiled once. See regcomp(3).
///
/// The C library's matcher works on bytes, so it accepts bytes that are not UTF-8.
final class Pattern {
  private var compiled = regex_t()
  private let isEmpty: Bool

  /// Throws a `TransformError` with the library's message if the text is not a regular expression.
  init(_ text: String) throws {
    isEmpty = text.isEmpty
    let status = regcomp(&compiled, text, REG_EXTENDED | REG_NOSUB)
    guard status == 0 else {
      let message = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
        _ = regerror(status, &compiled, buffer.baseAddress, buffer.count)
        return buffer.baseAddress.map { String(cString: $0) } ?? "invalid"
      }
      throw TransformError("the pattern \"\(text)\" is not a regular expression: \(message)")
    }
  }

  deinit { regfree(&compiled) }

  /// Returns true if the pattern occurs in a line.
  func matches(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    if isEmpty { return true }
    // With REG_STARTEND the line needs no NUL at its end and may contain NULs.
    var match = regmatch_t(rm_so: 0, rm_eo: regoff_t(line.count))
    return line.withMemoryRebound(to: CChar.self) { text in
      // An empty line may have no address.
      regexec(&compiled, text.baseAddress ?? Self.nothing, 1, &match, REG_STARTEND) == 0
    }
  }

  // Safe to share: the byte is written once, here.
  nonisolated(unsafe) private static let nothing: UnsafePointer<CChar> = {
    let byte = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
    byte.initialize(to: 0)
    return UnsafePointer(byte)
  }()
}
