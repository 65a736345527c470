/// The end of a process.
package enum ProcessEnd: Equatable, Sendable {
  /// It exited with a status.
  case exited(Int32)
  /// A signal killed it.
  case killed(Int32)
  /// Another part of this program received its exit status.
  case unknown

  /// Decodes a status of waitpid(2).
  package init(status: Int32) {
    self = status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(status & 0x7F)
  }
}
