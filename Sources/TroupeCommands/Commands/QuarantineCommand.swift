internal import FoundationEssentials
internal import TroupeHost

/// `troupe quarantine`: the plugins that crashed, hung or changed the process.
enum QuarantineCommand: Command {
  static let spec = CommandSpec(
    "quarantine", "List the quarantined plugins, or release them for another probe.",
    operands: "list|clear [ID]", operandCount: 1...2,
    examples: [
      "troupe quarantine list", "troupe quarantine list --json", "troupe quarantine clear",
    ],
    options: [.json],
    details: [
      "A host first loads each new plugin in a child process, the probe. A plugin that crashes there, hangs, or changes state of the whole process is quarantined by its content.",
      "So is a plugin that passes its probe and then ends processes while it is loaded, or crashes or hangs while the command exits.",
      "Hosts do not load quarantined content into their process until troupe quarantine clear ID removes the entry. With --isolate ID they run it in a worker.",
      "Without ID, clear removes all entries, also unreadable ones, which the list shows without an ID. Configuration is not changed.",
      "The quarantine is in $XDG_STATE_HOME/troupe, by default ~/.local/state/troupe.",
      "JSON: an array of the listed or removed entries {id, path, content, time, code, problem, remedy, backtrace}; id and path are null for an unreadable entry.",
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
      throw Diagnosis.unknown("action", action, among: ["list", "clear"], otherwise: "give list or clear")
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
        throw Diagnosis(
          .unavailable, problem: problem,
          remedy: nearestName(to: id, in: ids).map { "did you mean \"\($0)\"?" } ?? "the ids are \(knownNames(ids, for: id))")
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
