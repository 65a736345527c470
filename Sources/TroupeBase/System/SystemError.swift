internal import CLinux
internal import Glibc

/// A failed system call: an `errno` with the system's description.
///
/// A sandbox around the program, such as that of a container, can make any call fail with `EPERM` or `ENOSYS`. `checkCalls` finds that out
/// before a subsystem starts, and its error names the denied call.
package struct SystemError: Error, Equatable, CustomStringConvertible {
  /// An `errno`.
  package let code: Int32
  /// The system call that a filter around this program denies with the code.
  package let refusedCall: String?

  package init(code: Int32, refusedCall: String? = nil) { (self.code, self.refusedCall) = (code, refusedCall) }

  /// The text of `strerror`, in lower case as in all messages of Troupe.
  package var description: String {
    if let refusedCall {
      return "the system call \(refusedCall) is refused (\(linux_error_name(code).map { String(cString: $0) } ?? "\(code)"))"
    }
    if code == ESRCH, let fault = Self.procFault { return fault.problem }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress, strerror_r(code, start, buffer.count) == 0 else { return "error \(code)" }
      let text = String(cString: start)
      return text.prefix(1).lowercased() + text.dropFirst()
    }
  }
}

extension SystemError {
  /// A part of Troupe that needs certain system calls.
  package enum Need {
    /// Files, and the sources and timers of Dispatch.
    case program
    case events, probe, worker
  }

  /// Throws an error with `refusedCall` if this program may not make a system call.
  package static func checkCalls(for need: Need) throws(SystemError) {
    let needs =
      switch need {
      case .program: LINUX_NEEDED_BY_FILES | LINUX_NEEDED_BY_EVENTS
      case .events: LINUX_NEEDED_BY_EVENTS
      case .probe: LINUX_NEEDED_BY_PROBES
      case .worker: LINUX_NEEDED_BY_WORKERS
      }
    let refused = linux_denied_syscall(UInt32(needs))
    if let name = refused.name { throw SystemError(code: refused.error, refusedCall: String(cString: name)) }
  }

  /// The remedy for an error with `refusedCall`.
  package static let sandboxRemedy = "allow it in the sandbox or container that runs this program"

  /// The problem and the remedy for a process that could not be started.
  package var startFailure: (problem: String, remedy: String) {
    if refusedCall != nil { return ("\(self)", Self.sandboxRemedy) }
    guard access("/dev/null", R_OK | W_OK) == 0 else {
      return ("/dev/null cannot be opened", "create it with mknod -m 666 /dev/null c 1 3, and try again")
    }
    if let fault = Self.procFault { return fault }
    let remedy =
      switch code {
      case EMFILE: "close files, or raise the limit of open files of a process (ulimit -n), and try again"
      case ENFILE: "close files, or raise the limit of open files of the system (fs.file-max), and try again"
      case EAGAIN: "end some processes, or raise the limit of processes (ulimit -u), and try again"
      case ENOMEM: "make memory available, and try again"
      default: "remove the reason, and try again"
      }
    return ("no process can be started (\(self))", remedy)
  }

  /// Throws `ESRCH` if `/proc` does not show this process and its children. In a new PID namespace it shows the processes of the old one
  /// until it is mounted again, and other processes have the PIDs of this one's children there.
  package static func checkProc() throws(SystemError) {
    if procFault != nil { throw SystemError(code: ESRCH) }
  }

  private static var procFault: (problem: String, remedy: String)? {
    let size = 16
    let target = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = buffer.baseAddress.map { max(readlink("/proc/self", $0, size), 0) } ?? 0
    }
    let mount = "mount -t proc proc /proc, and try again"
    guard !target.isEmpty else { return ("/proc is not mounted", "mount it with \(mount)") }
    guard String(decoding: target, as: UTF8.self) != "\(getpid())" else { return nil }
    return ("/proc shows the processes of another PID namespace", "mount that of this PID namespace with \(mount)")
  }
}
