internal import Glibc
internal import TroupeHost
internal import TroupeSandbox

/// The state of the process, which loading must not change.
extension Checks {
  static let state: [PluginCheck] = [
    keeping(.signals, "load-signals", "Loading keeps the handlers and the mask of signals."),
    keeping(.environment, "load-environment", "Loading keeps the environment."),
    keeping(.locale, "load-locale", severity: .warning, "Loading keeps the locale."),
    keeping(.directories, "load-directory", "Loading keeps the working directory."),
    keeping(.fileMask, "load-file-mask", "Loading keeps the mask of permissions of new files."),
    keeping(.floats, "load-float-mode", severity: .warning, "Loading keeps rounding and exceptions of floating-point numbers."),
    keeping(.timers, "load-timers", "Loading starts no timer."),
    keeping(.limits, "load-limits", "Loading keeps the resource limits."),
    keeping(.scheduling, "load-scheduling", "Loading keeps priority, policy and processors."),
    keeping(.descriptors, "load-descriptors", "Loading keeps the descriptors of others."),
    keeping(.identity, "load-identity", "Loading keeps user, group, capabilities and other attributes of the process."),
  ]

  private static func keeping(
    _ part: ProcessState.Part, _ name: String, severity: PluginCheck.Severity = .failure, _ summary: String
  ) -> PluginCheck {
    loading(name, severity: severity, summary) { subject in
      var restored: [String] = []
      let changes = try stateChanges(subject) { restored = try subject.load().plugin.warnings }.filter { $0.part == part }
      let problems = (part == .floats ? restored : []) + changes.map(\.description)
      let remedy = "leave the state of the process to the program, or restore it before the entry returns"
      if problems.isEmpty { return .passed }
      let problem = problems.joined(separator: ", and ")
      return changes.allSatisfy(\.isHarmless) ? .warning(problem, remedy: remedy) : .problem(problem, remedy: remedy)
    }
  }

  /// Returns the changes of the process during a closure.
  static func stateChanges(_ subject: CheckedFile, during body: () throws -> Void) throws -> [ProcessState.Change] {
    // A low descriptor, as files of a program have.
    let sentinel = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(sentinel) }
    let before = ProcessState(descriptors: subject.descriptors + [sentinel])
    try body()
    let after = ProcessState(descriptors: subject.descriptors + [sentinel])
    return before.changes(in: after)
  }
}
