internal import CSandbox
internal import Glibc
internal import TroupeFiles

/// The probe's end of the channel to its host.
package struct ProbeChannel: Sendable {
  package let descriptor: Int32

  /// Moves a descriptor to a high number, which output of the plugin and programs that it starts are unlikely to use.
  package init(moving descriptor: Int32) {
    let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, Self.leastNumber)
    self.descriptor = moved >= 0 ? moved : descriptor
    if moved >= 0 { close(descriptor) } else { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
  }

  /// 180, or less under a lower limit of descriptors.
  private static var leastNumber: Int32 {
    var limits = rlimit()
    getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limits)
    return Int32(max(min(limits.rlim_cur, 188), 16)) - 8
  }

  /// Reads the request of the host; nil if that fails.
  package func readAll() -> [UInt8]? {
    let channel = FileDescriptor(owning: descriptor)
    let bytes = try? channel.readToEnd()
    _ = channel.release()
    return bytes
  }

  /// Sends a message and returns whether that succeeded. Not thread-safe.
  @discardableResult
  package func send(_ kind: Int, _ content: [UInt8] = []) -> Bool {
    content.withUnsafeBytes { troupe_probe_send(descriptor, UInt8(kind), $0.baseAddress, $0.count) != 0 }
  }
}
