internal import TroupeHost

/// The option `--isolate`.
enum IsolationOption {
  /// Sets where plugins run. Throws a `Diagnosis`.
  static func apply(_ arguments: ParsedArguments, to options: inout PluginHost.Options) throws {
    let deadline = try HostArguments.seconds(.deadline, arguments)
    if deadline != nil, !arguments.has(.isolate) {
      throw Diagnosis(
        .usage, "--deadline", problem: "needs --isolate, since a call in this process cannot be ended",
        remedy: "add --isolate all")
    }
    for text in arguments.all(.isolate) {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard !parts[0].isEmpty else {
        throw Diagnosis(.usage, "--isolate", problem: "missing plugin", remedy: "write the id of a plugin, or all")
      }
      var policy: WorkerPolicy
      do throws(Diagnosis) { policy = try WorkerPolicy(parsing: parts.count == 2 ? parts[1] : "") } catch {
        throw error.of("--isolate")
      }
      if let deadline { policy.deadline = deadline }
      if parts[0] == "all" { options.isolation = .worker(policy) } else { options.isolations[parts[0]] = .worker(policy) }
    }
  }
}
