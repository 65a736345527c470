internal import Glibc
internal import TroupeHost

/// The result of `troupe doctor`: checks in the order of the host, and the first failed one as the cause.
///
///     RESULT   CHECK        FOUND
///     ok       directories  searched: /usr/lib/troupe/plugins
///     failed   permissions  /usr/lib/troupe/plugins can be changed by others
///     skipped  file         not reached
///
///     cause: /usr/lib/troupe/plugins can be changed by others
///     fix:   chmod o-w /usr/lib/troupe/plugins
struct DoctorReport: Encodable {
  enum Verdict: String, Encodable {
    case ok, warning, failed, skipped
  }

  struct Check: Encodable {
    let name: String
    let result: Verdict
    /// The finding, on one line.
    let detail: String
  }

  struct Cause: Encodable {
    let problem: String
    /// What the user does before the command, which then shows whether that was enough. Nil if the command fixes the problem.
    let remedy: String?
    let command: String
    let status: ExitStatus

    private enum CodingKeys: CodingKey { case problem, remedy, command }

    /// For the last line of the report.
    fileprivate var fix: String { (remedy.map { $0.onOneLine + "; then run " } ?? "") + command.onOneLine }
  }

  /// A plugin's file or id; nil for the installation.
  let subject: String?
  private(set) var checks: [Check] = []
  private(set) var cause: Cause?

  init(of subject: String?) { self.subject = subject }

  mutating func add(_ name: String, _ result: Verdict, _ detail: String) {
    checks.append(Check(name: name, result: result, detail: detail.onOneLine))
  }

  /// Adds a failed check. The first one is the cause.
  ///
  /// - Parameter command: The command that fixes it.
  mutating func fail(_ name: String, _ problem: String, _ command: String, _ status: ExitStatus = .unavailable) {
    fail(name, problem, PluginExamination.Fix(command: command), status)
  }

  mutating func fail(_ name: String, _ problem: String, _ fix: PluginExamination.Fix, _ status: ExitStatus = .unavailable) {
    add(name, .failed, problem)
    cause = cause ?? Cause(problem: problem.onOneLine, remedy: fix.remedy, command: fix.command, status: status)
  }

  /// Adds the failed check of a path that another user can change, from `TrustedPath.untrusted`.
  ///
  /// - Parameter path: The plugin's file, or a directory of plugins.
  mutating func fail(
    _ name: String, untrusted: (object: String, problem: String, remedy: TrustedPath.Remedy), of path: String
  ) {
    let command =
      switch untrusted.remedy {
      case .command(let command): "\(command) \(untrusted.object.shellWord)"
      case .copy: DirectoryFixes.copy(path)
      case .pin:
        UserDirectories.configuration.map {
          "troupe pin \(path.shellWord) && export TROUPE_PINS=\("\($0)/pins".shellWord)"
        } ?? "export TROUPE_PINS=\"$(mktemp)\" && troupe pin \(path.shellWord)"
      case .mapUser: "unshare --map-current-user troupe list"
      }
    fail(name, "\(untrusted.object) \(untrusted.problem)", command, .notPermitted)
  }

  func text(color: Bool) -> String {
    var table = Table("RESULT", "CHECK", "FOUND")
    for check in checks { table.add(check.result.rawValue, check.name, check.detail) }
    let name = subject?.onOneLine.shortened()
    let end =
      if let cause {
        "\ncause: \(cause.problem)\nfix:   \(cause.fix)\n"
      } else {
        "\n\(name.map { "nothing keeps \($0) from being used" } ?? "the installation is in order")\n"
      }
    return table.text(color: color) + end
  }
}
