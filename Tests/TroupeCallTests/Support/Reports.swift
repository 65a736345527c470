import Synchronization

@testable import TroupeCall

/// The reports of calls, which the tests of the process share.
final class Reports: Sendable {
  private static let shared = Reports()
  private let lines = Mutex<[String]>([])

  /// Collects the reports from now on.
  static func collect() -> Reports {
    CallReports.send { text in shared.lines.withLock { $0.append(text) } }
    return shared
  }

  func lines(containing text: String) -> [String] { lines.withLock { $0.filter { $0.contains(text) } } }
}
