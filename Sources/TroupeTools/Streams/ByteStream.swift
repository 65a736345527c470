internal import Glibc
package import TroupeHost

/// A standard stream, or an open file that the user named. Errors name it.
///
/// Reads and writes are repeated after interruptions, and wait for streams that another process has made non-blocking. The caller owns
/// the descriptor.
package struct ByteStream {
  package static let input = ByteStream(descriptor: STDIN_FILENO, name: "standard input")
  package static let output = ByteStream(descriptor: StandardOutput.descriptor, name: "standard output")
  package static let error = ByteStream(descriptor: STDERR_FILENO, name: "standard error")

  package let descriptor: Int32
  private let name: String

  package init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  /// Writes all of the bytes.
  package func write(_ bytes: Span<UInt8>) throws(Diagnosis) {
    StandardOutput.endForkedProcess()
    var failure: Int32 = 0
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let written = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if written < 0 && isWorthAnotherTry(POLLOUT) { continue }
        guard written >= 0 else {
          failure = errno
          return
        }
        rest = rest.dropFirst(written)
      }
    }
    if failure != 0 { throw Self.failed("write to \(name)", failure) }
  }

  /// Reads at most as many bytes as the buffer holds. Returns their number, zero at the end.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(Diagnosis) -> Int {
    while true {
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      if !isWorthAnotherTry(POLLIN) { throw Self.failed("read \(name)", errno) }
    }
  }

  /// Reads all bytes up to the end. Throws a `Diagnosis` if there are more than a limit.
  package func content(limit: Int) throws(Diagnosis) -> [UInt8] {
    var content: [UInt8] = []
    // The size of a file; zero for a pipe.
    content.reserveCapacity(min(status.map { Int($0.st_size) } ?? 0, limit))
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { piece.deallocate() }
    while case let count = try read(into: piece), count > 0 {
      guard content.count + count <= limit else {
        throw Diagnosis(.invalidData, name, problem: "has more than \(limit) bytes", remedy: "give less")
      }
      content += piece[..<count]
    }
    return content
  }

  /// True for a terminal or `/dev/zero`.
  var isDevice: Bool { status.map { [S_IFCHR, S_IFBLK].contains($0.st_mode & S_IFMT) } ?? false }

  /// Removes the content of a regular file. Does nothing for any other file.
  func truncate() throws(Diagnosis) {
    guard let status, status.st_mode & S_IFMT == S_IFREG else { return }
    if ftruncate(descriptor, 0) != 0 { throw Self.failed("write to \(name)", errno) }
  }

  /// The file behind the stream; nil if it is not a regular file with content.
  var contentIdentity: FileIdentity? {
    guard let status, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return nil }
    return FileIdentity(status)
  }

  /// True if reading this stream would read what is written to the output, without end.
  func isSameFile(as output: ByteStream) -> Bool {
    contentIdentity.map { $0 == output.contentIdentity } ?? false
  }

  private var status: stat? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status : nil
  }

  /// Decides from `errno` whether to repeat a call, and waits for a non-blocking stream.
  private func isWorthAnotherTry(_ events: Int32) -> Bool {
    if errno == EINTR { return true }
    guard errno == EAGAIN else { return false }
    var request = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    return poll(&request, 1, -1) >= 0 || errno == EINTR
  }

  private static func failed(_ what: String, _ code: Int32) -> Diagnosis {
    let error = SystemError(code: code)
    return Diagnosis(.inputOutput, problem: "cannot \(what): \(error)", remedy: error.fileRemedy ?? "")
  }
}

extension SystemError {
  /// The code of a failed access to a file that the user named.
  ///
  /// - Parameter code: The code of other errors than a missing permission or resource.
  func fileCode(else code: Diagnosis.Code) -> Diagnosis.Code {
    switch self.code {
    case EACCES, EPERM, EROFS: .notPermitted
    case EMFILE, ENFILE, ENOMEM: .missingResource
    default: code
    }
  }

  /// The remedy of a missing resource; nil for other errors.
  var fileRemedy: String? {
    switch code {
    case EMFILE: "raise the limit of open files with ulimit -n, or give fewer jobs"
    case ENFILE: "close files, or raise the limit of open files of the system (fs.file-max)"
    case ENOMEM: "make memory available"
    case ENOSPC, EDQUOT: "make room on the disk, and repeat the command"
    default: nil
    }
  }
}
