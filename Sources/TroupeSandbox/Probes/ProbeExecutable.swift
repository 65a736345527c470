internal import Glibc
package import TroupeFiles

/// The executable that runs probes and workers.
package enum ProbeExecutable: Sendable, Hashable {
  /// The program's own, which becomes a probe before its main function runs.
  case own
  /// The program's own, whose main function calls `PluginHost.runAsProbeIfRequested`.
  case answering
  /// The helper `troupe-probe`, at a path.
  case helper(String)

  /// The path; nil for the program's own executable.
  package var path: String? { if case .helper(let path) = self { path } else { nil } }

  var role: ChildRole { self == .answering ? .answer : .probe }
}

// MARK: Faults, each of which is a fault of the plugins to probe

extension ProbeExecutable {
  /// The fault of a helper that is missing, that this process may not execute, or that another user can change; nil if it can be started.
  package var diagnosis: Diagnosis? {
    guard let path else { return nil }
    do throws(SystemError) {
      var status = stat()
      guard stat(path, &status) == 0 else { throw SystemError(code: errno) }
      guard status.st_mode & S_IFMT == S_IFREG else { return Self.diagnosis("\(path) is not a regular file") }
      guard access(path, X_OK) == 0 else { throw SystemError(code: errno) }
      return try TrustedPath().untrusted(path).map { object, problem, remedy in
        Self.diagnosis(
          object == path ? "\(path) \(problem)" : "\(path) depends on \(object), which \(problem)",
          remedy: remedy.sentence(for: path) { "fix it with \($0) \(object)" })
      }
    } catch {
      if [EMFILE, ENFILE, ENOMEM].contains(error.code) { return diagnosis(starting: error) }
      return error.code == ENOENT
        ? Self.diagnosis("\(path) does not exist") : Self.diagnosis("\(path) cannot be used: \(error)")
    }
  }

  /// The fault if no process could be started.
  func diagnosis(starting error: SystemError) -> Diagnosis {
    if let path, [EACCES, ENOEXEC].contains(error.code) { return Self.diagnosis("\(path) cannot be started: \(error)") }
    let (problem, remedy) = error.startFailure
    return Diagnosis(.notProbed, problem: "could not be probed: \(problem)", remedy: remedy)
  }

  /// The fault if the process ended before it read the request, or a worker before it answered the first message.
  ///
  /// - Parameter ending: The end of the process, as a sentence.
  package func diagnosis(withoutAnswer ending: String, isWorker: Bool = false) -> Diagnosis {
    let (aim, role) = isWorker ? ("loaded in a worker", "a worker") : ("probed", "a probe")
    if let path { return Self.diagnosis("\(path) does not answer as \(role): \(ending)", aim: aim) }
    return Diagnosis(
      .notProbed, problem: "cannot be \(aim), since this program does not answer as \(role): \(ending)",
      remedy: "link libTroupe.so, which answers before main runs, or set the probe executable to its troupe-probe")
  }

  private static func diagnosis(
    _ problem: String, aim: String = "probed",
    remedy: String = "set the probe executable to the troupe-probe that belongs to libTroupe.so, or reinstall Troupe"
  ) -> Diagnosis {
    Diagnosis(.missingResource, problem: "cannot be \(aim): the probe executable \(problem)", remedy: remedy)
  }
}

// MARK: Programs that answer

/// The request to a program to run `PluginHost.runAsProbeIfRequested`.
package enum ProbeAnswer {
  private static let role = "answer:"

  /// Returns the channel if this process was started to run `PluginHost.runAsProbeIfRequested`.
  package static var channel: Int32? {
    guard let text = Environment.value(ChildRole.variable), text.hasPrefix(role) else { return nil }
    return Int32(text.dropFirst(role.count))
  }

  /// Ends a process that was started to probe a plugin and uses a host instead, which must not start further probes.
  package static func rejectHost() {
    guard channel != nil else { return }
    ChildRole.fail(
      "this program was started to probe a plugin and does not call PluginHost.runAsProbeIfRequested before it uses a host")
  }
}
