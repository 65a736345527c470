package import TroupeFiles

/// The reason why a channel carries no message.
package enum ChannelError: Error, Sendable, Equatable {
  /// The deadline has passed.
  case timedOut
  /// The program does not want to wait any longer.
  case interrupted
  /// The channel was closed, as it is when the worker has ended.
  case closed
  /// The other side sent a message with a wrong number or length.
  case malformed
  /// The content of a message is larger than a line; the sizes in bytes.
  case tooLarge(size: Int, capacity: Int)
  /// The system does not provide the memory, with the error number.
  case unavailable(Int32)

  /// The error for the content of a message: `tooLarge` if its values need more memory than the reader may use, else `malformed`.
  ///
  /// - Parameter limit: The memory that the reader may use, in bytes.
  package init(_ error: ReadError, limit: Int) {
    self = error.memory.map { .tooLarge(size: $0, capacity: limit) } ?? .malformed
  }
}
