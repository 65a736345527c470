package import TroupeHost

/// The result of `troupe doctor`: checks in the order of the host, and the first failed one as the cause.
///
///     RESULT   CHECK        FOUND
///     ok       directories  searched: /usr/lib/troupe/plugins
///     failed   permissions  /usr/lib/troupe/plugins can be changed by others
///     skipped  file         not reached
///
///     cause: /usr/lib/troupe/plugins can be changed by others
///     fix:   chmod o-w /usr/lib/troupe/plugins
package struct DoctorReport: Encodable {
  package enum Verdict: String, Encodable {
    case ok, warning, failed, skipped
  }

  package struct Check: Encodable {
    package let name: String
    package let result: Verdict
    /// The finding, on one line.
    package let detail: String
  }

  package struct Cause: Encodable {
    package let problem: String
    /// A step that only the user can take. The command comes after it, and shows whether it was enough. Nil if the command fixes the problem.
    package let remedy: String?
    package let command: String
    /// The code that decides on the exit status.
    package let code: Diagnosis.Code

    private enum CodingKeys: CodingKey { case problem, remedy, command }
  }

  /// A plugin's file or id; nil for the installation.
  package let subject: String?
  package private(set) var checks: [Check] = []
  package private(set) var cause: Cause?

  init(of subject: String?) { self.subject = subject }

  mutating func add(_ name: String, _ result: Verdict, _ detail: String) {
    checks.append(Check(name: name, result: result, detail: detail.onOneLine))
  }

  /// Adds a failed check. The first one is the cause.
  ///
  /// - Parameter command: The command that fixes it.
  mutating func fail(_ name: String, _ problem: String, _ command: String, _ code: Diagnosis.Code = .unavailable) {
    fail(name, problem, PluginExamination.Fix(command: command), code)
  }

  mutating func fail(_ name: String, _ problem: String, _ fix: PluginExamination.Fix, _ code: Diagnosis.Code = .unavailable) {
    add(name, .failed, problem)
    cause = cause ?? Cause(problem: problem.onOneLine, remedy: fix.remedy, command: fix.command, code: code)
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
}
