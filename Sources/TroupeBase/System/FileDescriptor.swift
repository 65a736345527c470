package import Glibc

/// An open file descriptor with one owner, which closes it.
///
/// The descriptor is not copyable, so nobody can use it after it was closed, or close it twice and hit a file that was opened under
/// the same number meanwhile:
///
/// ```swift
/// let file = try FileDescriptor(opening: path, O_RDONLY)
/// let bytes = try file.readToEnd()
/// // Closed here. `try file.close()` reports a failed write; `file.release()` hands the number to its next owner.
/// ```
///
/// All files of Troupe are opened, read and written through this type. It sets `O_CLOEXEC` and repeats calls that a signal
/// interrupts. Every failure is a `SystemError` with the `errno` of the call. ``SharedDescriptor`` has several owners.
package struct FileDescriptor: ~Copyable, Sendable {
  /// Valid for as long as this value, and until `close`.
  package private(set) var number: Int32

  package init(owning number: Int32) { self.number = number }

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
    let number = directory.number
    try self.init(result: path.withCString { openat(number, $0 + nameStart, flags | O_CLOEXEC | O_NOFOLLOW) })
  }

  fileprivate init(result: Int32) throws(SystemError) {
    guard result >= 0 else { throw SystemError(code: errno) }
    number = result
  }

  deinit {
    if number >= 0 { Glibc.close(number) }
  }

  /// Closes the descriptor. Network file systems report a failed write only now.
  package mutating func close() throws(SystemError) {
    let closed = number
    number = -1
    // Linux closes the descriptor also if a signal interrupts it, see close(2).
    guard Glibc.close(closed) == 0 || errno == EINTR else { throw SystemError(code: errno) }
  }

  /// Returns the number without closing the descriptor.
  package consuming func release() -> Int32 {
    let number = number
    discard self
    return number
  }

  package func status() throws(SystemError) -> stat {
    var status = stat()
    guard fstat(number, &status) == 0 else { throw SystemError(code: errno) }
    return status
  }

  /// Reads bytes at the position of the descriptor or from an offset. Returns their number, which is 0 at the end. The error of a
  /// non-blocking descriptor without bytes is `EAGAIN`.
  package func read(into memory: UnsafeMutableRawBufferPointer, at offset: off_t? = nil) throws(SystemError) -> Int {
    while true {
      let count =
        if let offset { pread(number, memory.baseAddress, memory.count, offset) } else {
          Glibc.read(number, memory.baseAddress, memory.count)
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
      let count = rest.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
      if count >= 0 { rest = rest.dropFirst(count) } else if errno != EINTR { throw SystemError(code: errno) }
    }
  }

  /// Duplicates the descriptor, as dup(2) does.
  ///
  /// - Parameter lowest: The least number that the new descriptor may have.
  package func copy(from lowest: Int32) throws(SystemError) -> FileDescriptor {
    try FileDescriptor(result: fcntl(number, F_DUPFD_CLOEXEC, lowest))
  }
}

/// A file descriptor with several owners. Closed with the last reference.
package final class SharedDescriptor: Sendable {
  private let descriptor: FileDescriptor

  package init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

  /// Valid for as long as this object.
  package var number: Int32 { descriptor.number }
}
