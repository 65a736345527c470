/// How much a line of the log matters.
public enum LogLevel: Int32, Sendable, Comparable, CaseIterable {
  /// For whoever looks for a fault in the code.
  case debug = 0
  /// What happens in the ordinary course.
  case info = 1
  /// Something is off, and the work goes on.
  case warning = 2
  /// Something failed.
  case error = 3

  /// Orders the levels by weight.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
