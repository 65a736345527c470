internal import Synchronization
internal import TroupeHost

/// The failures of rows by their indices, which several threads may report.
final class Failures: Sendable {
  private let list = Mutex<[Int: CallError]>([:])

  /// The failures so far.
  var all: [Int: CallError] { list.withLock { $0 } }

  func add(_ error: CallError, row: Int) { list.withLock { $0[row] = error } }
}
