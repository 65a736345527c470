internal import CProbe
internal import Glibc

/// A probe's end of what connects it with its host.
struct ProbeChannel: Sendable {
  let descriptor: Int32

  /// Takes over a descriptor and moves it to a number that nothing else is likely to have, so that what a plugin prints, or a
  /// program that it starts, cannot get into the way.
  init(moving descriptor: Int32) {
    let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, Self.leastNumber)
    self.descriptor = moved >= 0 ? moved : descriptor
    if moved >= 0 { close(descriptor) } else { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
  }

  /// 180, or what a program comes to that may have fewer open.
  private static var leastNumber: Int32 {
    var limits = rlimit()
    getrlimit(Int32(RLIMIT_NOFILE.rawValue), &limits)
    return Int32(max(min(limits.rlim_cur, 188), 16)) - 8
  }

  /// Everything that the host says, or nil if it cannot be read.
  func readAll() -> [UInt8]? {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &piece, piece.count)
      if count < 0 && errno == EINTR { continue }
      if count < 0 { return nil }
      if count == 0 { return bytes }
      bytes += piece[..<count]
    }
  }

  /// Sends a message, and tells whether that went well. On one thread at a time.
  @discardableResult
  func send(_ kind: Int, _ content: [UInt8] = []) -> Bool {
    content.withUnsafeBytes { troupe_probe_send(descriptor, UInt8(kind), $0.baseAddress, $0.count) != 0 }
  }
}
