internal import Glibc

/// The limits of a process that runs a plugin's code for a probe or a check.
package enum ChildLimits {
  /// Replaces standard input, and sets the limits of the calling process.
  ///
  /// - Parameters:
  ///   - memory: The private memory that can be written, in bytes; nil for no limit. Ignored with the runtime of a sanitizer. Not the
  ///     address space, of which the JVM, V8, CUDA and others reserve tens of gigabytes.
  ///   - descriptors: The number of descriptors.
  package static func set(memory: UInt64?, descriptors: UInt64) {
    replaceInput()
    limit(RLIMIT_CORE, 0)
    limit(RLIMIT_FSIZE, fileLimit)
    if let memory, !Sanitizer.isLoaded { limit(RLIMIT_DATA, memory) }
    limit(RLIMIT_NOFILE, descriptors)
  }

  /// Replaces standard input by a pipe at its end, so that a plugin that replaces it again is detected.
  private static func replaceInput() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    dup2(ends[0], STDIN_FILENO)
    for end in ends where end != STDIN_FILENO { close(end) }
  }

  /// The largest size of a file in bytes, memory files included. No plugin needs more to be loaded.
  private static let fileLimit: UInt64 = 1 << 30

  private static func limit(_ resource: __rlimit_resource, _ value: UInt64) {
    var limits = rlimit()
    guard getrlimit(Int32(resource.rawValue), &limits) == 0 else { return }
    limits.rlim_cur = min(rlim_t(value), limits.rlim_max)
    limits.rlim_max = limits.rlim_cur
    setrlimit(Int32(resource.rawValue), &limits)
  }
}
