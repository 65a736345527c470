internal import Glibc

/// An `errno` with the system's description.
package struct SystemError: Error, Equatable, CustomStringConvertible {
  package let code: Int32

  package init(code: Int32) { self.code = code }

  /// The text of `strerror`, in lower case as in all messages of Troupe.
  package var description: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress, strerror_r(code, start, buffer.count) == 0 else { return "error \(code)" }
      let text = String(cString: start)
      return text.prefix(1).lowercased() + text.dropFirst()
    }
  }
}

extension SystemError {
  /// The problem and the remedy if a process could not be started for this error.
  package var startFailure: (problem: String, remedy: String) {
    guard access("/dev/null", R_OK | W_OK) == 0 else {
      return ("/dev/null cannot be opened", "create it with mknod -m 666 /dev/null c 1 3, and try again")
    }
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
}
