internal import FoundationEssentials
internal import TroupeHost

/// `troupe --complete WORD …`: prints the possible last words for the completion scripts of the shells. Runs no plugin code.
///
/// A line has a word, a tab and a summary. `:file` and `:directory` tell the shell to complete names of files and directories itself.
enum CompletionCommand {
  static func run(_ words: [String]) throws -> ExitStatus {
    let current = words.last ?? ""
    let candidates: [Completion.Candidate]
    var prefix = ""
    if words.count < 2 {
      candidates = names() + [Completion.Candidate("help", "Print the help of a command.")]
    } else if words[0] == "help" {
      let topics = helpTopics.map { Completion.Candidate($0.name, $0.summary) }
      candidates = words.count == 2 ? names() + topics : []
    } else {
      guard let command = commands.first(where: { $0.spec.name == words[0] }),
        let (completion, arguments) = Completion.find(Array(words.dropFirst()), command.spec)
      else { return .success }
      prefix = completion.prefix
      candidates = completion.candidates + completion.placeholders.flatMap { self.candidates($0, of: command, arguments) }
    }
    var seen: Set<String> = []
    let lines = candidates.filter { candidate in
      // A plugin's name could be taken for another line.
      guard candidate.word == candidate.word.onOneLine else { return false }
      let isKind = candidate.word.hasPrefix(":")
      return (isKind || (prefix + candidate.word).hasPrefix(current)) && seen.insert(candidate.word).inserted
    }.map { ($0.word.hasPrefix(":") ? "" : prefix) + $0.word + "\t" + $0.summary.onOneLine + "\n" }
    try Terminal.write(lines.joined())
    return .success
  }

  private static func names() -> [Completion.Candidate] {
    commands.map { Completion.Candidate($0.spec.name, $0.spec.summary) }
  }

  private static func candidates(
    _ placeholder: String, of command: any Command.Type, _ arguments: ParsedArguments
  ) -> [Completion.Candidate] {
    switch placeholder {
    case "FILE", "HEADER": return [Completion.Candidate(":file")]
    case "DIR", "DIRECTORY", "SITE": return [Completion.Candidate(":directory")]
    default: break
    }
    guard let directories = try? HostArguments.directories(arguments) else { return [] }
    let host = PluginHost(PluginHost.Options(directories: directories))
    switch placeholder {
    case "ID": return ids(host)
    case "ID|all[=POLICY]": return ids(host) + [Completion.Candidate("all", "All plugins.")]
    case "ID:KEY=VALUE":
      return manifests(host).flatMap { manifest in
        // A plugin in C can read values that its manifest does not declare.
        manifest.settings.isEmpty
          ? [Completion.Candidate("\(manifest.id):", manifest.name)]
          : manifest.settings.map { Completion.Candidate("\(manifest.id):\($0.key)=", $0.description) }
      }
    case "NAME":
      return host.knownRegistrations().flatMap(\.registrations).filter(\.isFunction).map { Completion.Candidate($0.name) }
    case "TAG": return tags(host, of: command, arguments)
    case "CONTRACT":
      return host.knownRegistrations().flatMap(\.registrations).compactMap(\.contract).map { Completion.Candidate($0) }
    default: return []
    }
  }

  /// The tags of the registrations that the command can use and that have all of the tags in front.
  private static func tags(
    _ host: PluginHost, of command: any Command.Type, _ arguments: ParsedArguments
  ) -> [Completion.Candidate] {
    let contract = command == RunCommand.self ? Contract.transform.name : arguments.one(.contract)
    let given = arguments.all(.tag).filter { $0 != Completion.mark }
    let fitting = host.knownRegistrations().flatMap(\.registrations).filter { registration in
      (contract == nil || registration.contract == contract) && given.allSatisfy(registration.tags.contains)
    }
    return fitting.flatMap(\.tags).filter { !given.contains($0) }.map { Completion.Candidate($0) }
  }

  private static func ids(_ host: PluginHost) -> [Completion.Candidate] {
    manifests(host).map { Completion.Candidate($0.id, $0.name) }
  }

  private static func manifests(_ host: PluginHost) -> [Manifest] { host.discover().compactMap(\.manifest) }
}
