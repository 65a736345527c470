internal import CLinux
internal import Glibc

/// Runs code while standard output and standard error lead to a file in memory.
enum OutputCapture {
  /// Returns the beginning of the text that a closure prints. Throws `NotApplicable` if the system has no descriptor left.
  static func text(during body: () throws -> Void) throws -> String {
    let file = linux_memfd_create("output")
    guard file >= 0 else { throw NotApplicable("the system has no descriptor left") }
    linux_flush_stdout()
    let former = [STDOUT_FILENO, STDERR_FILENO].map { fcntl($0, F_DUPFD_CLOEXEC, 3) }
    for stream in [STDOUT_FILENO, STDERR_FILENO] { dup2(file, stream) }
    defer {
      for (stream, copy) in zip([STDOUT_FILENO, STDERR_FILENO], former) where copy >= 0 {
        dup2(copy, stream)
        close(copy)
      }
      close(file)
    }
    try body()
    linux_flush_stdout()
    var bytes = [UInt8](repeating: 0, count: 200)
    let count = pread(file, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }
}
