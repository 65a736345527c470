package import Glibc

/// An open file descriptor with one owner, which closes it.
///
/// The descriptor is not copyable, so nobody can use it after it was closed, or close it twice and hit a file that was opened under
/// the same raw value meanwhile:
///
/// ```swift
/// let file = try FileDescriptor(opening: path, O_RDONLY)
/// let bytes = try file.readToEnd()
/// // Closed here. `try file.close()` reports a failed write; `file.release()` hands the raw value to its next owner.
/// ```
///
/// All files of Troupe are opened, read and written through this type. It sets `O_CLOEXEC` and repeats calls that a signal
/// interrupts. Every failure is a `SystemError` with the `errno` of the call. ``SharedDescriptor`` has several owners.
package struct FileDescriptor: ~Copyable, Sendable {
  /// Valid for as long as this value, and until `close`.
  package private(set) var rawValue: Int32

  package init(owning rawValue: Int32) { self.rawValue = rawValue }

  /// Opens a file; see open(2).
  ///
  /// - Parameters:
  ///   - flags: The flags besides `O_CLOEXEC`, which is always set.
  ///   - mode: The permissions of a file that is created.
  package init(opening path: String, _ flags: Int32, mode: mode_t = 0) throws(SystemError) {
    try self.init(result: open(path, flags | O_CLOEXEC, mode))
  }

  /// Opens an entry of a directory; see openat(2). The error of a symbolic link is `ELOOP`.
  ///
  /// - Parameter nameStart: The byte offset of the entry's name in the path.
  package init(
    openingEntry path: String, from nameStart: Int = 0, of directory: borrowing FileDescriptor, _ flags: Int32
  ) throws(SystemError) {
    let parent = directory.rawValue
    try self.init(result: path.withCString { openat(parent, $0 + nameStart, flags | O_CLOEXEC | O_NOFOLLOW) })
  }

  fileprivate init(result: Int32) throws(SystemError) {
    guard result >= 0 else { throw SystemError(code: errno) }
    rawValue = result
  }

  deinit {
    if rawValue >= 0 { Glibc.close(rawValue) }
  }

  /// Closes the descriptor. Network file systems report a failed write only now.
  package mutating func close() throws(SystemError) {
    let closed = rawValue
    rawValue = -1
    // Linux closes the descriptor also if a signal interrupts it, see close(2).
    guard Glibc.close(closed) == 0 || errno == EINTR else { throw SystemError(code: errno) }
  }

  /// Returns the raw value without closing the descriptor.
  package consuming func release() -> Int32 {
    let rawValue = rawValue
    discard self
    return rawValue
  }

  package func status() throws(SystemError) -> stat {
    var status = stat()
    guard fstat(rawValue, &status) == 0 else { throw SystemError(code: errno) }
    return status
  }

  /// Reads bytes at the position of the descriptor or from an offset. Returns their number, which is 0 at the end. The error of a
  /// non-blocking descriptor without bytes is `EAGAIN`.
  package func read(into memory: UnsafeMutableRawBufferPointer, at offset: off_t? = nil) throws(SystemError) -> Int {
    while true {
      let count =
        if let offset { pread(rawValue, memory.baseAddress, memory.count, offset) } else {
          Glibc.read(rawValue, memory.baseAddress, memory.count)
        }
      if count >= 0 { return count }
      guard errno == EINTR else { throw SystemError(code: errno) }
    }
  }

  /// Reads from the position of the descriptor to the end. The size need not be known, as for files in `/proc`.
  package func readToEnd() throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    while case let piece = try readPiece(), !piece.isEmpty { bytes += piece }
    return bytes
  }

  /// Reads at most 16 KiB. Returns no bytes at the end.
  package func readPiece() throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let piece = [UInt8](unsafeUninitializedCapacity: 1 << 14) { memory, count in
      do throws(SystemError) {
        count = try read(into: UnsafeMutableRawBufferPointer(memory))
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return piece
  }

  /// Writes all bytes, in several calls if one takes only a part.
  package func write(_ bytes: [UInt8]) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(rawValue, $0.baseAddress, $0.count) }
      if count >= 0 { rest = rest.dropFirst(count) } else if errno != EINTR { throw SystemError(code: errno) }
    }
  }

  /// Duplicates the descriptor, as dup(2) does.
  ///
  /// - Parameter lowest: The least number that the new descriptor may have.
  package func copy(from lowest: Int32) throws(SystemError) -> FileDescriptor {
    try FileDescriptor(result: fcntl(rawValue, F_DUPFD_CLOEXEC, lowest))
  }
}

/// A file descriptor with several owners. Closed with the last reference.
package final class SharedDescriptor: Sendable {
  private let descriptor: FileDescriptor

  package init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

  /// Valid for as long as this object.
  package var rawValue: Int32 { descriptor.rawValue }
}
