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
    /// The command that fixes it.
    let command: String
    var status: ExitStatus = .unavailable

    private enum CodingKeys: CodingKey { case problem, command }
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
  mutating func fail(_ name: String, _ problem: String, _ command: String, _ status: ExitStatus = .unavailable) {
    add(name, .failed, problem)
    cause = cause ?? Cause(problem: problem.onOneLine, command: command, status: status)
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
        "troupe pin \(path.shellWord)"
          + (UserDirectories.configuration.map { " && export TROUPE_PINS=\("\($0)/pins".shellWord)" } ?? " --pins FILE")
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
        "\ncause: \(cause.problem)\nfix:   \(cause.command.onOneLine)\n"
      } else {
        "\n\(name.map { "nothing keeps \($0) from being used" } ?? "the installation is in order")\n"
      }
    return table.text(color: color) + end
  }
}
