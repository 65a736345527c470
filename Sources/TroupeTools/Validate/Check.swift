package import TroupeFiles

/// A check of a plugin file: an expectation, and the function that tests it.
///
/// ```swift
/// Check("file-name", level: 1, severity: .warning, needs: ["file-manifest"], "The display name is not the id.") { file in
///   .expect(
///     file.manifest.map { $0.name != $0.id } ?? true, "has its id as its display name", remedy: "give it a name for people")
/// }
/// ```
///
/// The closure returns a `CheckResult`, throws `NotApplicable` to skip, or throws any other error to fail. It runs in a child process of its
/// own, so a crash, an exit or a hang of the plugin is a result as well. `needs` names checks whose failure skips this one.
package struct Check: Sendable {
  package enum Severity: String, Sendable {
    case failure
    case warning

    fileprivate var verdict: CheckResult.Verdict { self == .warning ? .warning : .failed }
  }

  /// The name in kebab case, which begins with the group, such as `file-run-path`.
  package let name: String
  /// The effort, from 1 to 5; see `CheckLevel`.
  package let level: Int
  package let severity: Severity
  /// The expectation, as a sentence.
  package let summary: String
  let needs: [String]
  /// True if the check includes the exit of its process.
  let includesExit: Bool
  private let body: @Sendable (CheckedFile) throws -> CheckResult

  init(
    _ name: String, level: Int, severity: Severity = .failure, needs: [String] = [], includesExit: Bool = false,
    _ summary: String, _ body: @escaping @Sendable (CheckedFile) throws -> CheckResult
  ) {
    (self.name, self.level, self.severity, self.needs) = (name, level, severity, needs)
    (self.includesExit, self.summary, self.body) = (includesExit, summary, body)
  }

  /// The part of the name before the first dash, such as `file`.
  package var group: String { String(name.prefix { $0 != "-" }) }

  func run(_ file: CheckedFile) -> CheckResult {
    do {
      let result = try body(file)
      return result.verdict == .failed ? CheckResult(severity.verdict, result.message, remedy: result.remedy) : result
    } catch let error as NotApplicable {
      return CheckResult(.skipped, error.reason)
    } catch {
      return CheckResult(severity.verdict, error)
    }
  }
}

/// The error of a check that does not apply to the plugin, and so is skipped.
struct NotApplicable: Error, CustomStringConvertible {
  let reason: String
  var description: String { reason }

  init(_ reason: String) { self.reason = reason }
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
    case 2: "loads and activates the plugin, and reads its registrations"
    case 3: "makes instances, and uses transforms and functions once"
    case 4: "repeats that: up to 1,000 times, on eight threads, in every chunking, with errors, without memory"
    default: "calls functions with generated and extreme arguments"
    }
  }
}

/// The result of a check.
package struct CheckResult: Sendable, Hashable {
  package enum Verdict: String, Encodable, CodingKeyRepresentable, Sendable, CaseIterable {
    case passed, skipped, warning, failed, crashed

    package var isFailure: Bool { self == .failed || self == .crashed }
  }

  let verdict: Verdict
  /// One sentence without its subject, the plugin; empty for a check that passed.
  let message: String
  /// One sentence; empty if there is nothing to do.
  let remedy: String

  init(_ verdict: Verdict, _ message: String = "", remedy: String = "") {
    (self.verdict, self.message, self.remedy) = (verdict, message.onOneLine.limited, remedy.onOneLine.limited)
  }

  init(_ verdict: Verdict, _ error: any Error) {
    if let diagnosis = error as? Diagnosis {
      self.init(verdict, diagnosis.problem, remedy: diagnosis.remedy)
    } else {
      self.init(verdict, "\(error)")
    }
  }
}

// MARK: The results of a check that applies to the plugin

extension CheckResult {
  static let passed = CheckResult(.passed)

  /// The plugin has a fault. That of a check for warnings becomes a warning.
  ///
  /// - Parameter problem: The end of a sentence that begins with the plugin.
  static func problem(_ problem: String, remedy: String) -> CheckResult { CheckResult(.failed, problem, remedy: remedy) }

  /// The plugin has a peculiarity that is no fault.
  static func warning(_ problem: String, remedy: String) -> CheckResult { CheckResult(.warning, problem, remedy: remedy) }

  /// Returns `.passed`, or a fault.
  static func expect(_ isGood: Bool, _ problem: @autoclosure () -> String, remedy: @autoclosure () -> String) -> CheckResult {
    isGood ? .passed : .problem(problem(), remedy: remedy())
  }
}

extension CheckResult: Recordable {
  package func write(to writer: inout RecordWriter) { writer.write(verdict.rawValue, message, remedy) }

  package init(from reader: inout RecordReader) throws(ReadError) {
    let name = try String(from: &reader)
    guard let verdict = Verdict(rawValue: name) else { throw ReadError("\(name.debugDescription) is no verdict") }
    self.init(verdict, try String(from: &reader), remedy: try String(from: &reader))
  }
}
