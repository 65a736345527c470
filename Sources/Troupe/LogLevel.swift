/// The severity of a line of the log.
public enum LogLevel: Int32, Sendable, Comparable, CaseIterable {
  /// Details for debugging.
  case debug = 0
  /// Normal operation.
  case info = 1
  /// A problem that does not stop the work.
  case warning = 2
  /// A failure.
  case error = 3

  /// Orders the levels by severity.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
