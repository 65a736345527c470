internal import CLinux
internal import Glibc
internal import TroupeBase

/// Detects files that are still being written, which must not be loaded.
///
/// The system grants a read lease (fcntl(2)) only if no process has the file open for writing. If it refuses, `/proc` tells who writes: a
/// forked process holds its parent's descriptors until it runs another program, and is waited for.
extension RegularFile {
  /// Returns false if leases are not supported or the file belongs to another user.
  ///
  /// - Parameter patience: How long to wait if all writers are forked processes. Others are waited for a tenth of a second.
  package static func isBeingWritten(_ path: String, patience: Duration = patience) -> Bool {
    guard let file = try? FileDescriptor(opening: path, flags) else { return false }
    return isBeingWritten(descriptor: file.rawValue, patience: patience)
  }

  /// Release the file soon if the result is false, since its descriptor holds a lease.
  package func isBeingWritten(patience: Duration) -> Bool {
    withExtendedLifetime(bytes) { Self.isBeingWritten(descriptor: bytes.descriptor.rawValue, patience: patience) }
  }

  /// The descriptor must be open for reading.
  private static func isBeingWritten(descriptor: Int32, patience: Duration) -> Bool {
    // A process that opens the file for writing breaks the lease, and the system then sends a signal: by default SIGIO, which ends a
    // program without a handler. SIGURG is ignored by default.
    _ = fcntl(descriptor, linux_f_setsig, SIGURG)
    let start = SuspendingClock.now
    while isLeaseRefused(descriptor) {
      let waited = SuspendingClock.now - start
      if waited >= patience { return true }
      // The last writer may have closed the file during the lookup of writers.
      if waited > .milliseconds(100), !FileWriters(of: descriptor).willRunAnotherProgram { return isLeaseRefused(descriptor) }
      usleep(5000)
    }
    return false
  }

  private static func isLeaseRefused(_ descriptor: Int32) -> Bool {
    fcntl(descriptor, linux_f_setlease, Int32(F_RDLCK)) != 0 && errno == EAGAIN
  }

  /// A forked process runs another program within milliseconds, or within seconds on a busy machine.
  package static let patience: Duration = .seconds(10)

  /// Returns the problem of such a file, as the end of a sentence that begins with the file.
  package static func writtenProblem(_ path: String) -> String {
    var writer: FileWriters.Writer?
    if let file = try? FileDescriptor(opening: path, flags) { writer = FileWriters(of: file.rawValue).first }
    return "is open for writing" + (writer.map { " in \($0)" } ?? "")
  }
}

/// The processes that have a file open for writing and that this process may inspect; see proc(5).
///
/// Cost: some microseconds for each process and each of its descriptors.
struct FileWriters {
  struct Writer: CustomStringConvertible {
    let processID: Int32
    /// The name of its program.
    let name: String
    /// It still runs the program of its parent.
    let isForked: Bool

    /// For example `the process 4711 (cp)`.
    var description: String { "the process \(processID) (\(name.onOneLine))" }
  }

  private var writers: [Writer] = []

  init(of descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, let processes = try? Path.entries(in: "/proc") else { return }
    for process in processes.compactMap(Int32.init) where Self.writes(process, FileIdentity(status)) {
      if let writer = Self.writer(process) { writers.append(writer) }
    }
  }

  /// The writer to report, if possible one that is not forked.
  var first: Writer? { writers.first { !$0.isForked } ?? writers.first }

  /// All writers are forked processes, which are about to run another program.
  var willRunAnotherProgram: Bool {
    !writers.isEmpty && writers.allSatisfy { $0.isForked && $0.processID != getpid() }
  }

  private static func writes(_ process: Int32, _ file: FileIdentity) -> Bool {
    let directory = "/proc/\(process)/fd"
    return ((try? Path.entries(in: directory)) ?? []).contains { descriptor in
      FileIdentity(of: "\(directory)/\(descriptor)") == file && isOpenForWriting("/proc/\(process)/fdinfo/\(descriptor)")
    }
  }

  private static func isOpenForWriting(_ path: String) -> Bool {
    let line = ProcessStatus.text(path).split(separator: "\n").first { $0.utf8.starts(with: "flags:".utf8) }
    guard let flags = line.flatMap({ Int32($0.dropFirst("flags:".count).drop { $0 == "\t" }, radix: 8) }) else { return false }
    return flags & O_ACCMODE != O_RDONLY
  }

  /// Parses the `stat` file of a process: the PID, the name in parentheses, and numbers. The seventh number holds the flags.
  private static func writer(_ process: Int32) -> Writer? {
    let text = ProcessStatus.text("/proc/\(process)/stat")
    guard let start = text.firstIndex(of: "("), let end = text.lastIndex(of: ")") else { return nil }
    let numbers = text[text.index(after: end)...].split(separator: " ")
    guard numbers.count > 6, let flags = UInt32(numbers[6]) else { return nil }
    return Writer(
      processID: process, name: String(text[text.index(after: start)..<end]), isForked: flags & forkedWithoutExec != 0)
  }

  /// `PF_FORKNOEXEC` in the kernel's linux/sched.h.
  private static let forkedWithoutExec: UInt32 = 0x40
}
