internal import Glibc

/// Bytes that can be read at any place, with bounds.
package protocol ByteSource {
  /// The number of bytes there are.
  var count: UInt64 { get }
  /// Exactly `count` bytes from `offset`. Throws an `ELFError` if they are not all there.
  func read(at offset: UInt64, count: Int) throws(ELFError) -> [UInt8]
}

extension ByteSource {
  /// Whether a range lies within the bytes; false when its end overflows.
  func contains(offset: UInt64, count: UInt64) -> Bool {
    let (end, overflows) = offset.addingReportingOverflow(count)
    return !overflows && end <= self.count
  }
}

/// The bytes of an open file.
///
/// They are read, not mapped: a file that somebody truncates while it is looked at then gives an error, where touching a
/// mapping would end the process.
struct FileBytes: ByteSource {
  private let descriptor: Int32
  /// What closes the descriptor.
  private let owner: AnyObject
  let count: UInt64

  /// Reads from a descriptor of a file of the given size; its owner stays alive for as long as this value.
  init(descriptor: Int32, size: UInt64, owner: AnyObject) {
    self.descriptor = descriptor
    self.owner = owner
    self.count = size
  }

  func read(at offset: UInt64, count: Int) throws(ELFError) -> [UInt8] {
    guard count >= 0, contains(offset: offset, count: UInt64(count)), let start = off_t(exactly: offset) else {
      throw ELFError("is truncated: \(count) bytes at \(offset) reach beyond its end")
    }
    defer { withExtendedLifetime(owner) {} }
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let read = pread(descriptor, buffer.baseAddress?.advanced(by: filled), count - filled, start + off_t(filled))
        if read < 0 && errno == EINTR { continue }
        if read <= 0 {
          failure = read < 0 ? errno : 0
          return
        }
        filled += read
      }
    }
    guard bytes.count == count else {
      throw ELFError(failure == 0 ? "became shorter while it was read" : "cannot be read: \(SystemError(code: failure))")
    }
    return bytes
  }
}

/// Bytes in memory.
package struct MemoryBytes: ByteSource {
  private let bytes: [UInt8]

  /// Reads from an array.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  package var count: UInt64 { UInt64(bytes.count) }

  package func read(at offset: UInt64, count: Int) throws(ELFError) -> [UInt8] {
    guard count >= 0, contains(offset: offset, count: UInt64(count)) else {
      throw ELFError("is truncated: \(count) bytes at \(offset) reach beyond its end")
    }
    return Array(bytes[Int(offset)..<Int(offset) + count])
  }
}
