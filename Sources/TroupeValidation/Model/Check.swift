/// A check of a plugin file: one question, with the function that answers it.
package struct Check<Target>: Sendable {
  /// The verdict about a plugin with a fault.
  package enum Severity: String, Sendable {
    /// The plugin fails the check.
    case failure
    /// The check reports the fault, and the plugin does not fail.
    case warning

    fileprivate var verdict: CheckResult.Verdict { self == .warning ? .warning : .failed }
  }

  /// The name in kebab case, which begins with the group, such as `file-run-path`.
  package let name: String
  /// The effort, from 1 to 5; see `CheckLevel`.
  package let level: Int
  package let severity: Severity
  /// The expectation as one sentence.
  package let summary: String
  /// The names of the checks without which this one has no meaning. It is skipped if one of them has failed.
  package let needs: [String]
  /// Whether the check goes on while its process exits.
  package let includesExit: Bool
  private let body: @Sendable (Target) throws -> Finding

  package init(
    _ name: String, level: Int, severity: Severity = .failure, needs: [String] = [], includesExit: Bool = false,
    _ summary: String, _ body: @escaping @Sendable (Target) throws -> Finding
  ) {
    (self.name, self.level, self.severity, self.needs) = (name, level, severity, needs)
    (self.includesExit, self.summary, self.body) = (includesExit, summary, body)
  }

  /// The part of the name before the first dash, such as `file`.
  package var group: String { String(name.prefix { $0 != "-" }) }

  /// Runs the check in this process.
  package func run(_ target: Target) -> CheckResult {
    do {
      return switch try body(target) {
      case .passed: CheckResult(.passed)
      case .fault(let problem, let remedy): CheckResult(severity.verdict, problem, remedy: remedy)
      case .warning(let problem, let remedy): CheckResult(.warning, problem, remedy: remedy)
      }
    } catch let error as NotApplicable {
      return CheckResult(.skipped, error.reason)
    } catch {
      return CheckResult(severity.verdict, error)
    }
  }
}
