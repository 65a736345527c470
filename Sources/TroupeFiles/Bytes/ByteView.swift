internal import Glibc

/// A part of a byte array, read as little-endian numbers and NUL-terminated texts. Shares the memory of the array.
///
/// `ByteSource.view` creates a view of bytes that exist; an offset outside of the view is a mistake of the parser and traps.
package struct ByteView {
  private let bytes: [UInt8]
  private let start: Int
  let count: Int

  init(_ bytes: [UInt8]) { self.init(bytes, from: 0, count: bytes.count) }

  /// The array must contain the range.
  init(_ bytes: [UInt8], from start: Int, count: Int) {
    precondition(start >= 0 && count >= 0 && start <= bytes.count - count, "the part lies within the bytes")
    self.bytes = bytes
    self.start = start
    self.count = count
  }

  func uint8(_ offset: Int) -> UInt8 { number(offset, as: UInt8.self) }
  func uint16(_ offset: Int) -> UInt16 { number(offset, as: UInt16.self) }
  func uint32(_ offset: Int) -> UInt32 { number(offset, as: UInt32.self) }
  func uint64(_ offset: Int) -> UInt64 { number(offset, as: UInt64.self) }

  /// A copy of the bytes.
  var array: [UInt8] { Array(bytes[start..<start + count]) }

  /// Returns whether the bytes at an offset equal `prefix`; false if they would reach beyond the end.
  func has(_ prefix: [UInt8], at offset: Int) -> Bool {
    guard offset >= 0, offset <= count - prefix.count else { return false }
    return bytes[start + offset..<start + offset + prefix.count].withUnsafeBytes { bytes in
      prefix.withUnsafeBytes { prefix in
        guard let own = bytes.baseAddress, let other = prefix.baseAddress else { return true }
        return memcmp(own, other, prefix.count) == 0
      }
    }
  }

  /// Returns nil if no NUL follows the offset. The offset must not exceed the count.
  func terminatedText(at offset: Int) -> String? {
    bytes[start + offset..<start + count].withUnsafeBytes { text in
      guard let first = text.baseAddress, let end = memchr(first, 0, text.count) else { return nil }
      return String(decoding: UnsafeRawBufferPointer(start: first, count: UnsafeRawPointer(end) - first), as: UTF8.self)
    }
  }

  /// Returns the first string between NULs that contains a pattern. The pattern must not be empty.
  func text(containing pattern: [UInt8]) -> String? {
    let part = bytes[start..<start + count]
    return part.withUnsafeBytes { part in
      let beginning = pattern[0]
      for found in part.indices where part[found] == beginning {
        guard part[found...].starts(with: pattern) else { continue }
        let first = part[..<found].lastIndex(of: 0).map { $0 + 1 } ?? 0
        return String(decoding: part[first...].prefix { $0 != 0 }, as: UTF8.self)
      }
      return nil
    }
  }

  /// Returns an empty text for an offset outside of the view. Cuts a text after `maximumTextLength` bytes, more than any real name has, so
  /// that a name table without a NUL does not cost megabytes for each name.
  func text(at offset: Int) -> String {
    guard (0..<count).contains(offset) else { return "" }
    let text = bytes[start + offset..<start + count].prefix(Self.maximumTextLength).prefix { $0 != 0 }
    return String(decoding: text, as: UTF8.self)
  }

  private static let maximumTextLength = 256

  private func number<Number: FixedWidthInteger>(_ offset: Int, as type: Number.Type) -> Number {
    precondition(offset >= 0 && offset <= count - MemoryLayout<Number>.size, "the number lies within the view")
    return Number(littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start + offset, as: type) })
  }
}
