internal import Glibc
internal import TroupeBase

/// Bytes with bounds-checked random access: a file or an array.
///
/// Every read returns exactly the requested bytes or throws a `ReadError`, so a parser of foreign files needs no checks of its own.
package protocol ByteSource: AnyObject {
  var count: UInt64 { get }
  func read(at offset: UInt64, count: Int) throws(ReadError) -> [UInt8]
  /// Does not copy bytes that are in memory.
  func view(at offset: UInt64, count: Int) throws(ReadError) -> ByteView
}

extension ByteSource {
  package func view(at offset: UInt64, count: Int) throws(ReadError) -> ByteView {
    ByteView(try read(at: offset, count: count))
  }

  /// Returns false also if the end of the range overflows.
  func contains(offset: UInt64, count: UInt64) -> Bool {
    let (end, overflows) = offset.addingReportingOverflow(count)
    return !overflows && end <= self.count
  }

  fileprivate func check(_ offset: UInt64, _ count: Int) throws(ReadError) {
    guard count >= 0, contains(offset: offset, count: UInt64(count)), off_t(exactly: offset) != nil else {
      throw ReadError("is truncated: \(count) bytes at \(offset) reach beyond its end")
    }
  }
}

/// The bytes of an open file. Closed with the last reference.
///
/// The file is read, not mapped: if another process truncates it meanwhile, a read throws, while an access to a mapping would end the
/// process with SIGBUS. A system call costs more than copying a few kilobytes, so most reads are served from two windows in memory:
///
///     | headers, notes …  |          …          | symbols, section headers and names |
///     [head: 1.5 KiB]               [last: 4 KiB, around the last read elsewhere     ]
///
/// Most parts behind the headers are read from the back to the front, so the second window has more bytes before the requested ones than
/// after them.
package final class FileBytes: ByteSource {
  private struct Window {
    let start: UInt64
    /// The number of bytes that come from the file.
    let count: Int
    let bytes: [UInt8]

    /// Returns nil unless the window contains the whole range.
    func view(_ offset: UInt64, _ count: Int) -> ByteView? {
      guard offset >= start, offset - start <= UInt64(self.count), count <= self.count - Int(offset - start) else { return nil }
      return ByteView(bytes, from: Int(offset - start), count: count)
    }
  }

  package let count: UInt64
  package let descriptor: FileDescriptor
  private let memory: BufferPool
  private var head: Window?
  private var last: Window?

  /// The headers and notes of a library take less than a kilobyte.
  private static let headSize = 1536
  private static let windowSize = BufferPool.pieceSize
  /// The bytes of the window before the requested ones, if they fit.
  private static let before: UInt64 = 3072

  /// Takes ownership of the descriptor.
  ///
  /// - Parameter memory: Buffers to reuse.
  package init(_ descriptor: consuming FileDescriptor, size: UInt64, memory: BufferPool = BufferPool()) {
    self.descriptor = descriptor
    self.count = size
    self.memory = memory
  }

  deinit {
    release(&head)
    release(&last)
  }

  package func read(at offset: UInt64, count: Int) throws(ReadError) -> [UInt8] {
    guard count > Self.windowSize else { return try view(at: offset, count: count).array }
    try check(offset, count)
    return try complete(bytes(from: offset, count), count)
  }

  package func view(at offset: UInt64, count: Int) throws(ReadError) -> ByteView {
    try check(offset, count)
    if let view = head?.view(offset, count) ?? last?.view(offset, count) { return view }
    let limit = offset == 0 ? Self.headSize : Self.windowSize
    guard count <= limit else { return ByteView(try complete(bytes(from: offset, count), count)) }
    let size = Int(min(self.count, UInt64(limit)))
    let start = offset == 0 ? 0 : start(of: UInt64(size), around: offset, count)
    let view =
      start == 0
      ? try fill(&head, from: start, size).view(offset, count) : try fill(&last, from: start, size).view(offset, count)
    guard let view else { throw Self.shortened }
    return view
  }

  private func fill(_ window: inout Window?, from start: UInt64, _ size: Int) throws(ReadError) -> Window {
    release(&window)
    var bytes = memory.take()
    var failure: Int32 = 0
    let count = bytes.withUnsafeMutableBytes { bytes in
      read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<size]), from: start, &failure)
    }
    guard failure == 0 else { throw ReadError("cannot be read: \(SystemError(code: failure))") }
    let filled = Window(start: start, count: count, bytes: bytes)
    window = filled
    return filled
  }

  private func release(_ window: inout Window?) {
    guard let bytes = window?.bytes else { return }
    window = nil
    memory.give(bytes)
  }

  /// Returns where a window of a size begins that contains a range.
  private func start(of size: UInt64, around offset: UInt64, _ count: Int) -> UInt64 {
    let end = max(offset + UInt64(count), size, offset < Self.before ? size : offset - Self.before + size)
    return min(end, self.count) - size
  }

  private static var shortened: ReadError { ReadError("became shorter while it was read") }

  private func complete(_ bytes: [UInt8], _ count: Int) throws(ReadError) -> [UInt8] {
    guard bytes.count == count else { throw Self.shortened }
    return bytes
  }

  /// Returns fewer than `count` bytes at the end of the file.
  private func bytes(from offset: UInt64, _ count: Int) throws(ReadError) -> [UInt8] {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = read(into: UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count), from: offset, &failure)
    }
    guard failure == 0 else { throw ReadError("cannot be read: \(SystemError(code: failure))") }
    return bytes
  }

  /// Fills memory from an offset, up to the end of the file. Returns the number of bytes.
  ///
  /// - Parameter failure: Becomes `errno` if a read fails.
  private func read(into memory: UnsafeMutableRawBufferPointer, from offset: UInt64, _ failure: inout Int32) -> Int {
    var filled = 0
    while filled < memory.count {
      do throws(SystemError) {
        let count = try descriptor.read(
          into: UnsafeMutableRawBufferPointer(rebasing: memory[filled...]), at: off_t(offset) + off_t(filled))
        if count == 0 { break }
        filled += count
      } catch {
        failure = error.code
        break
      }
    }
    return filled
  }
}

/// Bytes in memory.
package final class MemoryBytes: ByteSource {
  private let bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package var count: UInt64 { UInt64(bytes.count) }

  package func read(at offset: UInt64, count: Int) throws(ReadError) -> [UInt8] {
    try view(at: offset, count: count).array
  }

  package func view(at offset: UInt64, count: Int) throws(ReadError) -> ByteView {
    try check(offset, count)
    return ByteView(bytes, from: Int(offset), count: count)
  }
}

/// Buffers for reading files one after the other. The next file reuses the buffers of the previous one.
///
/// Not thread-safe. A reader may keep a piece: an array with two references is copied before a change.
package final class BufferPool {
  static let pieceSize = 4096

  private var pieces: [[UInt8]] = []

  package init() {}

  /// The content of a piece is arbitrary.
  func take() -> [UInt8] { pieces.popLast() ?? Array(repeating: 0, count: Self.pieceSize) }

  func give(_ piece: consuming [UInt8]) { pieces.append(piece) }
}

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
