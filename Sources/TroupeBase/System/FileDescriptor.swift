package import Glibc

/// An open file descriptor, which is closed at the end of its life: the one place that opens, reads, writes and closes files.
package struct FileDescriptor: ~Copyable, Sendable {
  /// The number of the descriptor. Valid for as long as this value, and until `close`.
  package private(set) var number: Int32

  /// Takes ownership of an open descriptor.
  package init(owning number: Int32) { self.number = number }

  /// Opens a file, see open(2). Throws a `SystemError`.
  ///
  /// - Parameters:
  ///   - flags: The flags besides `O_CLOEXEC`, which is always set.
  ///   - mode: The permissions of a file that is created.
  package init(opening path: String, _ flags: Int32, mode: mode_t = 0) throws(SystemError) {
    try self.init(result: open(path, flags | O_CLOEXEC, mode))
  }

  /// Opens an entry of a directory, see openat(2). Throws a `SystemError`; `ELOOP` for a link.
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

  /// Closes the descriptor. Throws a `SystemError` if the system reports a failed write only now, as network file systems do.
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

  /// The status of the file, see fstat(2). Throws a `SystemError`.
  package func status() throws(SystemError) -> stat {
    var status = stat()
    guard fstat(number, &status) == 0 else { throw SystemError(code: errno) }
    return status
  }

  /// Reads bytes into memory, at the position of the descriptor or from an offset. Returns their number, zero at the end. Throws a
  /// `SystemError`; `EAGAIN` if a non-blocking descriptor has no bytes.
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

  /// Reads all bytes from the position of the descriptor, in pieces of any size. Throws a `SystemError`.
  package func readToEnd() throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    while case let piece = try readPiece(), !piece.isEmpty { bytes += piece }
    return bytes
  }

  /// Reads at most 16 KiB. Returns no bytes at the end. Throws what `read(into:at:)` throws.
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

  /// Writes all of the bytes. Throws a `SystemError`.
  package func write(_ bytes: [UInt8]) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
      if count >= 0 { rest = rest.dropFirst(count) } else if errno != EINTR { throw SystemError(code: errno) }
    }
  }
}

extension FileDescriptor {
  /// Opens the file a second time, as dup(2) does, with the lowest free number from one on. Throws a `SystemError`.
  package func copy(from lowest: Int32) throws(SystemError) -> FileDescriptor {
    try FileDescriptor(result: fcntl(number, F_DUPFD_CLOEXEC, lowest))
  }
}

/// An open file with several owners. Closed with the last of them.
package final class SharedDescriptor: Sendable {
  private let descriptor: FileDescriptor

  package init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

  /// The number of the descriptor. Valid for as long as this object.
  package var number: Int32 { descriptor.number }
}
