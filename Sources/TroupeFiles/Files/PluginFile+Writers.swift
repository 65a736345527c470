internal import CLinux
internal import Glibc
internal import TroupeBase

/// Detection of files that are still being written.
extension PluginFile {
  /// Whether a process has a file open for writing. The system grants a read lease (fcntl(2)) only if no process has. Returns false if
  /// leases are not supported or the file belongs to another user.
  ///
  /// A forked process holds its parent's descriptors until it runs another program. This function therefore waits a tenth of a second,
  /// or up to `patience` if all writers are such processes.
  package static func isBeingWritten(_ path: String, patience: Duration = patience) -> Bool {
    guard let file = try? FileDescriptor(opening: path, flags) else { return false }
    return isBeingWritten(descriptor: file.number, patience: patience)
  }

  /// Whether a process has an open file open for writing. The descriptor must be open for reading; close it soon if the result is
  /// false, since it holds a lease.
  package static func isBeingWritten(descriptor: Int32, patience: Duration = patience) -> Bool {
    // A process that opens the file for writing breaks the lease, and the system then sends a signal: by default SIGIO, which ends a
    // program without a handler. SIGURG is ignored by default.
    _ = fcntl(descriptor, linux_set_signal, SIGURG)
    let start = SuspendingClock.now
    while isLeaseRefused(descriptor) {
      let waited = SuspendingClock.now - start
      if waited >= patience { return true }
      // Checked again, since the last writer may have closed the file during the lookup of writers.
      if waited > .milliseconds(100), !FileWriters(of: descriptor).willRunAnotherProgram { return isLeaseRefused(descriptor) }
      usleep(5000)
    }
    return false
  }

  private static func isLeaseRefused(_ descriptor: Int32) -> Bool {
    fcntl(descriptor, linux_set_lease, Int32(F_RDLCK)) != 0 && errno == EAGAIN
  }

  /// A forked process runs another program within milliseconds, or within seconds on a busy machine.
  package static let patience: Duration = .seconds(10)

  /// The problem of a file that a process has open for writing, as the end of a sentence that begins with the file.
  package static func writtenProblem(_ path: String) -> String {
    var writer: FileWriters.Writer?
    if let file = try? FileDescriptor(opening: path, flags) { writer = FileWriters(of: file.number).first }
    return "is open for writing" + (writer.map { " in \($0)" } ?? "")
  }
}
