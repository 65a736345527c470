internal import Glibc

/// Files that are still being written.
extension PluginFile {
  /// Whether a process has a file open for writing. The system grants a lease for reading (fcntl(2)) only if no process has. Where
  /// there are no leases, or the file is another user's, this is unknown and counts as false.
  ///
  /// A forked process has open what its parent had, until it runs another program. So this waits: for a tenth of a second, and for
  /// up to `patience` if all writers are such processes.
  static func isBeingWritten(_ path: String, patience: Duration = patience) -> Bool {
    let descriptor = open(path, flags)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return isBeingWritten(descriptor: descriptor, patience: patience)
  }

  /// The same for a file that is open for reading. Close the descriptor soon if the result is false: it holds a lease.
  static func isBeingWritten(descriptor: Int32, patience: Duration = patience) -> Bool {
    // A process that opens the file for writing breaks the lease, which the system reports by a signal: by SIGIO, which ends a
    // program that has no handler, unless another one is requested. SIGURG is ignored by default.
    _ = fcntl(descriptor, setSignal, SIGURG)
    let start = SuspendingClock.now
    while isLeaseRefused(descriptor) {
      let waited = SuspendingClock.now - start
      if waited >= patience { return true }
      // Asked again, since the last writer may have closed the file while the writers were looked up.
      if waited > .milliseconds(100), !FileWriters(of: descriptor).willRunAnotherProgram { return isLeaseRefused(descriptor) }
      usleep(5000)
    }
    return false
  }

  private static func isLeaseRefused(_ descriptor: Int32) -> Bool {
    fcntl(descriptor, setLease, Int32(F_RDLCK)) != 0 && errno == EAGAIN
  }

  /// A forked process runs another program within milliseconds, or seconds on a busy machine.
  static let patience: Duration = .seconds(10)

  /// The problem of a file that a process has open for writing, as the end of a sentence that begins with the file.
  static func writtenProblem(_ path: String) -> String {
    let descriptor = open(path, flags)
    defer { if descriptor >= 0 { close(descriptor) } }
    let writer = descriptor >= 0 ? FileWriters(of: descriptor).first : nil
    return "is open for writing" + (writer.map { " in \($0)" } ?? "")
  }

  /// `F_SETLEASE` and `F_SETSIG` in fcntl.h, extensions of GNU that Swift's Glibc does not show.
  private static let setLease: Int32 = 1024
  private static let setSignal: Int32 = 10
}
