/// The result of a check in text and JSON. The properties of reports are the members of the JSON that `troupe help validate` lists.
package struct CheckReport: Encodable, Sendable {
  package let name: String
  /// See `CheckLevel`.
  package let level: Int
  package let result: CheckResult.Verdict
  /// Empty if there is nothing to say.
  package let message, remedy: String
  /// Rounded to milliseconds.
  package let seconds: Double

  init(_ check: Check, _ result: CheckResult, _ time: Duration) {
    (name, level, self.result) = (check.name, check.level, result.verdict)
    (message, remedy) = (result.message, result.remedy)
    seconds = (time / .milliseconds(1)).rounded() / 1000
  }
}

/// The results of one plugin file.
package struct FileReport: Encodable, Sendable {
  package let file: String
  /// The id of the plugin; nil if its manifest cannot be read.
  package let plugin: String?
  package private(set) var checks: [CheckReport] = []
  /// Has all verdicts, so that the JSON has all members.
  package private(set) var counts: [CheckResult.Verdict: Int]

  init(file: String, plugin: String?) {
    (self.file, self.plugin) = (file, plugin)
    counts = Dictionary(uniqueKeysWithValues: CheckResult.Verdict.allCases.map { ($0, 0) })
  }

  mutating func add(_ report: CheckReport) {
    checks.append(report)
    counts[report.result, default: 0] += 1
  }

  /// True if no check failed or crashed. Warnings do not count.
  package var isGood: Bool { !checks.contains { $0.result.isFailure } }

  /// The counts as a line, such as `60 passed, 20 skipped, 1 warning`.
  package var summary: String {
    CheckResult.Verdict.allCases.compactMap { verdict in
      let count = counts[verdict] ?? 0
      return count == 0 ? nil : "\(count) \(verdict.rawValue)\(verdict == .warning && count > 1 ? "s" : "")"
    }.joined(separator: ", ")
  }
}

/// The results of all plugin files.
package struct ValidationResults: Encodable, Sendable {
  package internal(set) var files: [FileReport]
  package let seed: UInt64
}
