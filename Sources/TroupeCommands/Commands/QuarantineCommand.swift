internal import FoundationEssentials
internal import TroupeHost

/// `troupe quarantine`: the plugins that crashed, hung or changed the process.
enum QuarantineCommand: Command {
  static let spec = CommandSpec(
    "quarantine", "List the quarantined plugins, or release them for another probe.",
    operands: "list|clear [ID]", operandCount: 1...2, options: [.json],
    details: [
      "A host loads each new plugin in a child process first, the probe. A plugin that crashes there, hangs, or changes state of the whole process goes into quarantine by its content. So does a plugin that passes its probe and then ends processes while it is loaded, or crashes or hangs while the command exits. Hosts do not load this content into their process until troupe quarantine clear ID removes the entry; with --isolate ID they run it in a worker. Without ID the command removes all entries, unreadable ones included, which the list shows without an ID. Configuration is not changed.",
      "The quarantine is in $XDG_STATE_HOME/troupe, by default ~/.local/state/troupe. JSON of the listed or removed entries: an array of {id, path, content, time, code, problem, remedy, backtrace}; id and path are null for an unreadable entry.",
    ])

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let (action, id) = (arguments.operands[0], arguments.operands.dropFirst().first)
    switch action {
    case "list":
      if let id {
        throw Diagnosis(.usage, problem: "unexpected argument \"\(id.shortened())\"", remedy: "see troupe quarantine --help")
      }
      try show(standard().entries(), arguments)
    case "clear": try show(clear(id, standard()), arguments)
    default:
      throw Diagnosis(.usage, problem: "unknown action \"\(action.shortened())\"", remedy: "write list or clear")
    }
    return .success
  }

  private static func standard() throws(Diagnosis) -> Quarantine {
    guard let directory = Quarantine.standardDirectory else {
      throw Diagnosis(
        .unavailable, problem: "no quarantine is kept: \(UserDirectories.absence(of: "XDG_STATE_HOME"))",
        remedy: "set XDG_STATE_HOME; without it each start probes a plugin again")
    }
    return Quarantine(directory: directory)
  }

  /// Removes the entries of an id, or all. An unknown id is an error unless the quarantine is empty.
  private static func clear(_ id: String?, _ quarantine: Quarantine) throws -> [Quarantine.Entry] {
    if let id {
      let entries = try quarantine.entries()
      let ids = entries.compactMap(\.id)
      guard entries.isEmpty || ids.contains(id) else {
        let problem = "no plugin \"\(id.shortened())\" in quarantine"
        guard !ids.isEmpty else {
          throw Diagnosis(
            .unavailable, problem: "\(problem); all entries are unreadable",
            remedy: "remove them with troupe quarantine clear")
        }
        throw Diagnosis(.unavailable, problem: problem, remedy: "the ids are \(knownNames(ids, for: id))")
      }
    }
    return try quarantine.clear(id: id)
  }

  private static func show(_ entries: [Quarantine.Entry], _ arguments: ParsedArguments) throws {
    if arguments.has(.json) { return try Terminal.writeJSON(entries.map(QuarantineReport.init)) }
    if entries.isEmpty { return Terminal.printMessage("the quarantine is empty") }
    var table = Table("TIME", "ID", "PATH")
    for entry in entries {
      let isDamaged = entry.id == nil
      table.add(
        entry.time.ISO8601Format(), entry.id ?? "-", entry.path ?? "-",
        note: isDamaged ? "SHA-256 \(entry.content): \(entry.problem); \(entry.remedy)" : entry.problem)
    }
    try Terminal.write(table.text(color: Terminal.hasColor))
  }
}

/// A quarantine entry in JSON.
private struct QuarantineReport: Encodable {
  private let entry: Quarantine.Entry

  init(_ entry: Quarantine.Entry) {
    self.entry = entry
  }

  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: Member.self)
    try members.encode(entry.id, forKey: .id)
    try members.encode(entry.path, forKey: .path)
    try members.encode(entry.content, forKey: .content)
    try members.encode(entry.time.ISO8601Format(), forKey: .time)
    try members.encode(entry.code, forKey: .code)
    try members.encode(entry.problem, forKey: .problem)
    try members.encode(entry.remedy, forKey: .remedy)
    try members.encode(entry.backtrace, forKey: .backtrace)
  }

  private enum Member: CodingKey { case id, path, content, time, code, problem, remedy, backtrace }
}
