/// A check of a plugin file: one question, with the function that answers it.
package struct Check<Target>: Sendable {
  /// The verdict about a plugin with a fault.
  package enum Severity: String, Sendable {
    /// The plugin fails the check.
    case failure
    /// The user reads about it, and the plugin does not fail.
    case warning
  }

  /// The name in kebab case, which begins with the group, such as `file-run-path`.
  package let name: String
  /// The effort, from 1 to 5; see `CheckLevel`.
  package let level: Int
  package let severity: Severity
  /// The expectation as one sentence.
  package let summary: String
  /// The names of the checks without which this one has no meaning. It is skipped if one of them has not passed.
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
      switch try body(target) {
      case .passed: return CheckResult(.passed)
      case .skipped(let reason): return CheckResult(.skipped, reason)
      case .fault(let problem, let remedy):
        return CheckResult(severity == .warning ? .warning : .failed, problem, remedy: remedy)
      }
    } catch let error as NotApplicable {
      return CheckResult(.skipped, error.reason)
    } catch {
      return CheckResult(severity == .warning ? .warning : .failed, error)
    }
  }
}

/// The error with which a check finds that it does not apply.
package struct NotApplicable: Error, CustomStringConvertible {
  /// A sentence about the plugin.
  package let reason: String
  package var description: String { reason }

  package init(_ reason: String) { self.reason = reason }
}

/// The answer of a check.
package enum Finding {
  case passed
  /// The check does not apply, for a reason that is a sentence about the plugin.
  case skipped(String)
  /// The plugin has a fault: the problem, as the end of a sentence that begins with the plugin, and the remedy.
  case fault(String, remedy: String)

  /// Passes, or reports a fault.
  package static func expect(_ isGood: Bool, _ problem: @autoclosure () -> String, remedy: @autoclosure () -> String) -> Finding
  {
    isGood ? .passed : .fault(problem(), remedy: remedy())
  }
}

/// The levels of checks. Each includes those below it.
package enum CheckLevel {
  package static let all = 1...5
  /// The highest level whose checks every correct plugin passes. Level 5 calls functions with any arguments, and functions may have
  /// conditions.
  package static let standard = 4

  /// The work that a level adds, as the end of a sentence.
  package static func summary(_ level: Int) -> String {
    switch level {
    case 1: "reads the file, and runs none of its code"
    case 2: "loads the plugin, and reads its registrations"
    case 3: "makes instances, and uses transforms and functions once"
    case 4: "repeats that: 1,000 times, on eight threads, in every chunking, with errors, without memory"
    default: "calls functions with generated and extreme arguments"
    }
  }
}
