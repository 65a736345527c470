internal import Glibc

/// Bytes that can be read at any place, with bounds.
package protocol ByteSource: AnyObject {
  /// The number of bytes there are.
  var count: UInt64 { get }
  /// Exactly `count` bytes from `offset`. Throws an `ELFError` if they are not all there.
  func read(at offset: UInt64, count: Int) throws(ELFError) -> [UInt8]
  /// The same bytes as numbers; not copied where the source has them in memory.
  func words(at offset: UInt64, count: Int) throws(ELFError) -> Words
}

extension ByteSource {
  /// Reads the bytes.
  package func words(at offset: UInt64, count: Int) throws(ELFError) -> Words { Words(try read(at: offset, count: count)) }

  /// Whether a range lies within the bytes; false when its end overflows.
  func contains(offset: UInt64, count: UInt64) -> Bool {
    let (end, overflows) = offset.addingReportingOverflow(count)
    return !overflows && end <= self.count
  }

  /// Throws an `ELFError` if a range does not lie within the bytes.
  fileprivate func check(_ offset: UInt64, _ count: Int) throws(ELFError) {
    guard count >= 0, contains(offset: offset, count: UInt64(count)), off_t(exactly: offset) != nil else {
      throw ELFError("is truncated: \(count) bytes at \(offset) reach beyond its end")
    }
  }
}

/// The bytes of an open file, which is closed when the last reference goes.
///
/// They are read, not mapped: a file that somebody truncates while it is looked at then gives an error, where touching a
/// mapping would end the process. A system call costs more than the bytes that it brings, so little is read at a time, and what is
/// asked for next comes from memory in most cases: a plugin's headers and notes lie at the beginning of its file, the headers of
/// its sections and their names at the end, and of what a linker puts elsewhere most is read from the back to the front.
package final class FileBytes: ByteSource {
  /// A part of the file that is in memory.
  private struct Window {
    let start: UInt64
    /// How many of the bytes are of the file.
    let count: Int
    let bytes: [UInt8]

    /// The bytes of a range, or nil if they are not all here.
    func words(_ offset: UInt64, _ count: Int) -> Words? {
      guard offset >= start, offset - start <= UInt64(self.count), count <= self.count - Int(offset - start) else { return nil }
      return Words(bytes, from: Int(offset - start), count: count)
    }
  }

  package let count: UInt64
  /// The open file. Closed with this object.
  let descriptor: Int32
  private let memory: ReadMemory
  /// The beginning, once something of it has been read.
  private var head: Window?
  /// What was read last elsewhere.
  private var last: Window?

  /// How much is read at the beginning: the headers and notes of a library take less than a kilobyte.
  private static let headSize = 1536
  /// How much is read elsewhere.
  private static let windowSize = ReadMemory.pieceSize
  /// How much of that lies before what is asked for, if it fits.
  private static let before: UInt64 = 3072

  /// Takes over the descriptor of a file of the given size.
  ///
  /// - Parameter memory: What is read into, if there is some already.
  package init(descriptor: Int32, size: UInt64, memory: ReadMemory = ReadMemory()) {
    self.descriptor = descriptor
    self.count = size
    self.memory = memory
  }

  deinit {
    close(descriptor)
    release(&head)
    release(&last)
  }

  package func read(at offset: UInt64, count: Int) throws(ELFError) -> [UInt8] {
    guard count > Self.windowSize else { return try words(at: offset, count: count).array }
    try check(offset, count)
    return try complete(bytes(from: offset, count), count)
  }

  package func words(at offset: UInt64, count: Int) throws(ELFError) -> Words {
    try check(offset, count)
    if let words = head?.words(offset, count) ?? last?.words(offset, count) { return words }
    let limit = offset == 0 ? Self.headSize : Self.windowSize
    guard count <= limit else { return Words(try complete(bytes(from: offset, count), count)) }
    let size = Int(min(self.count, UInt64(limit)))
    let start = offset == 0 ? 0 : start(of: UInt64(size), around: offset, count)
    let words =
      start == 0
      ? try fill(&head, from: start, size).words(offset, count) : try fill(&last, from: start, size).words(offset, count)
    guard let words else { throw Self.shortened }
    return words
  }

  /// Reads another part of the file into a window.
  private func fill(_ window: inout Window?, from start: UInt64, _ size: Int) throws(ELFError) -> Window {
    release(&window)
    var bytes = memory.take()
    var failure: Int32 = 0
    let count = bytes.withUnsafeMutableBytes { bytes in
      read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<size]), from: start, &failure)
    }
    guard failure == 0 else { throw ELFError("cannot be read: \(SystemError(code: failure))") }
    let filled = Window(start: start, count: count, bytes: bytes)
    window = filled
    return filled
  }

  private func release(_ window: inout Window?) {
    guard let bytes = window?.bytes else { return }
    window = nil
    memory.give(bytes)
  }

  /// Where a part of a size begins that holds some bytes, and of what is around them more of what comes before.
  private func start(of size: UInt64, around offset: UInt64, _ count: Int) -> UInt64 {
    let end = max(offset + UInt64(count), size, offset < Self.before ? size : offset - Self.before + size)
    return min(end, self.count) - size
  }

  private static var shortened: ELFError { ELFError("became shorter while it was read") }

  private func complete(_ bytes: [UInt8], _ count: Int) throws(ELFError) -> [UInt8] {
    guard bytes.count == count else { throw Self.shortened }
    return bytes
  }

  /// As many bytes from an offset as are there, at most `count`.
  private func bytes(from offset: UInt64, _ count: Int) throws(ELFError) -> [UInt8] {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = read(into: UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count), from: offset, &failure)
    }
    guard failure == 0 else { throw ELFError("cannot be read: \(SystemError(code: failure))") }
    return bytes
  }

  /// Fills memory with the bytes from an offset, as far as there are some, and gives their number.
  ///
  /// - Parameter failure: Becomes the system's error number, if they cannot be read.
  private func read(into memory: UnsafeMutableRawBufferPointer, from offset: UInt64, _ failure: inout Int32) -> Int {
    var filled = 0
    while filled < memory.count {
      let place = off_t(offset) + off_t(filled)
      let read = pread(descriptor, memory.baseAddress?.advanced(by: filled), memory.count - filled, place)
      if read < 0 && errno == EINTR { continue }
      if read < 0 { failure = errno }
      if read <= 0 { break }
      filled += read
    }
    return filled
  }
}

/// Bytes in memory.
package final class MemoryBytes: ByteSource {
  private let bytes: [UInt8]

  /// Reads from an array.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  package var count: UInt64 { UInt64(bytes.count) }

  package func read(at offset: UInt64, count: Int) throws(ELFError) -> [UInt8] {
    try words(at: offset, count: count).array
  }

  package func words(at offset: UInt64, count: Int) throws(ELFError) -> Words {
    try check(offset, count)
    return Words(bytes, from: Int(offset), count: count)
  }
}
