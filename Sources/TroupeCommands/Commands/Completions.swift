internal import FoundationEssentials
internal import TroupeHost

/// `troupe --complete WORD …`: prints the possible last words for the completion scripts of the shells. Runs no plugin code.
///
/// A line has a word, a tab and a summary. The lines `:file` and `:directory` mean the names of files
/// and directories, which the shell completes itself.
enum Completions {
  static func run(_ words: [String]) throws -> ExitStatus {
    let current = words.last ?? ""
    let candidates: [Completion.Candidate]
    var prefix = ""
    if words.count < 2 {
      candidates = names() + [Completion.Candidate("help", "Print the help of a command.")]
    } else if words[0] == "help" {
      candidates = words.count == 2 ? names() : []
    } else {
      guard let command = commands.first(where: { $0.syntax.name == words[0] }),
        let (completion, arguments) = Completion.find(Array(words.dropFirst()), command.syntax)
      else { return .success }
      prefix = completion.prefix
      candidates = completion.candidates + completion.placeholders.flatMap { self.candidates($0, arguments) }
    }
    var seen: Set<String> = []
    let lines = candidates.filter { candidate in
      let isKind = candidate.word.hasPrefix(":")
      return (isKind || (prefix + candidate.word).hasPrefix(current)) && seen.insert(candidate.word).inserted
    }.map { ($0.word.hasPrefix(":") ? "" : prefix) + $0.word + "\t" + $0.summary.onOneLine + "\n" }
    try Terminal.write(lines.joined())
    return .success
  }

  private static func names() -> [Completion.Candidate] {
    commands.map { Completion.Candidate($0.syntax.name, $0.syntax.summary) }
  }

  /// The candidates for a placeholder of the help.
  private static func candidates(_ placeholder: String, _ arguments: ParsedArguments) -> [Completion.Candidate] {
    switch placeholder {
    case "FILE", "HEADER": return [Completion.Candidate(":file")]
    case "DIR", "DIRECTORY", "SITE": return [Completion.Candidate(":directory")]
    default: break
    }
    guard let directories = try? Setup.directories(arguments) else { return [] }
    let host = PluginHost(PluginHost.Options(directories: directories))
    switch placeholder {
    case "ID": return manifests(host).map { Completion.Candidate($0.id, $0.name) }
    case "ID:KEY=VALUE":
      return manifests(host).flatMap { manifest in
        manifest.settings.map { Completion.Candidate("\(manifest.id):\($0.key)=", $0.description) }
      }
    case "NAME": return host.knownRegistrations().filter(\.isFunction).map { Completion.Candidate($0.name) }
    case "TAG": return host.knownRegistrations().flatMap(\.tags).map { Completion.Candidate($0) }
    case "CONTRACT": return host.knownRegistrations().compactMap(\.contract).map { Completion.Candidate($0) }
    default: return []
    }
  }

  private static func manifests(_ host: PluginHost) -> [Manifest] { host.discover().compactMap(\.manifest) }
}
