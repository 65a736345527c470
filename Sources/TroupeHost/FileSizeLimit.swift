internal import Glibc

/// How large a file this process may write, as `ulimit -f` says it (setrlimit(2)).
enum FileSizeLimit {
  /// Throws a `SystemError` with `EFBIG` for a file of so many bytes that is too large. Whoever writes without asking is ended
  /// by the signal SIGXFSZ, unless the program has seen to that; this is somebody else's program, and its signals are its own.
  static func check(_ count: UInt64) throws(SystemError) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0, count > limit.rlim_cur else { return }
    throw SystemError(code: EFBIG)
  }
}
