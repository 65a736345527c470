internal import Glibc
internal import TroupeBase

/// The largest file that this process may write, as set by `ulimit -f` (setrlimit(2)).
package enum FileSizeLimit {
  /// Throws a `SystemError` with `EFBIG` if a file of that many bytes exceeds the limit. A write beyond the limit raises SIGXFSZ, which
  /// ends the process by default. The host does not change the signal handlers of the program that embeds it.
  package static func check(_ count: UInt64) throws(SystemError) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0, count > limit.rlim_cur else { return }
    throw SystemError(code: EFBIG)
  }
}
