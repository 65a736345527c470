/// The options of a call over columns.
public struct MapOptions: Sendable {
  /// The effect of a row whose call fails, if the signature says how to recognize a failure.
  public enum RowFailure: Sendable, Hashable {
    /// The failure ends the call. Rows before it have their results.
    case ends
    /// The row becomes null.
    case isNull
  }

  /// Takes the failure of a row that becomes null, on the thread that computed it. Several threads may call it at once.
  public typealias Report = @Sendable (_ row: Int, CallError) -> Void

  /// The effect of a failing row.
  public var rowFailure: RowFailure
  /// The number of threads that share the rows; at most 1 for the caller's thread alone. The function must be callable on any thread.
  public var threads: Int
  /// Takes the failures of rows that become null; nil to ignore them.
  public var report: Report?
  /// Returns whether to cancel the call: called about every 50 ms, on the caller's thread. Nil to ask the task alone.
  package var isInterrupted: (@Sendable () -> Bool)?

  /// Creates options.
  public init(rowFailure: RowFailure = .ends, threads: Int = 1, report: Report? = nil) {
    (self.rowFailure, self.threads, self.report) = (rowFailure, threads, report)
  }
}
