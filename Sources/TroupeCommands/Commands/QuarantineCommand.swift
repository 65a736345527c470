internal import FoundationEssentials
internal import TroupeHost

/// `troupe quarantine`: the plugins that crashed, hung or changed the process.
enum QuarantineCommand: Command {
  static let syntax = Syntax(
    "quarantine", "List the quarantined plugins, or release them for another probe.",
    operands: "list|clear [ID]", operandCount: 1...2, options: [.json],
    details: [
      "A host loads each new plugin in a child process first, the probe. A plugin that crashes there, hangs, or changes state of the whole process goes into quarantine by its content. So does a plugin that passes its probe and then ends processes while it is loaded, or crashes or hangs while the command exits. Hosts do not load this content until troupe quarantine clear ID removes the entry. Without ID the command removes all entries, unreadable ones included, which the list shows without an ID. Configuration is not changed.",
      "The quarantine is in $XDG_STATE_HOME/troupe, by default ~/.local/state/troupe. JSON of the listed or removed entries: an array of {id, path, content, time, code, problem, remedy, backtrace}; id and path are null for an unreadable entry.",
    ])

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let (action, id) = (arguments.operands[0], arguments.operands.dropFirst().first)
    switch action {
    case "list":
      if let id { throw CommandFailure(.usage, "unexpected argument \"\(id.shortened())\"; see troupe quarantine --help") }
      try show(entries(of: standard()), arguments)
    case "clear": try show(clear(id, standard()), arguments)
    default:
      throw CommandFailure(.usage, "unknown action \"\(action.shortened())\"; write list or clear")
    }
    return .success
  }

  private static func standard() throws(CommandFailure) -> Quarantine {
    guard let directory = Quarantine.standardDirectory else {
      throw CommandFailure(
        .unavailable, "no quarantine directory: neither XDG_STATE_HOME nor HOME is set; set one of them")
    }
    return Quarantine(directory: directory)
  }

  private static func entries(of quarantine: Quarantine) throws(CommandFailure) -> [Quarantine.Entry] {
    do {
      return try quarantine.entries()
    } catch {
      throw CommandFailure(.inputOutput, "\(error)")
    }
  }

  /// Removes the entries of an id, or all. An unknown id is an error unless the quarantine is empty.
  private static func clear(_ id: String?, _ quarantine: Quarantine) throws(CommandFailure) -> [Quarantine.Entry] {
    if let id {
      let entries = try entries(of: quarantine)
      let ids = entries.compactMap(\.id)
      guard entries.isEmpty || ids.contains(id) else {
        let damaged = "all entries are unreadable; remove them with troupe quarantine clear"
        let rest = ids.isEmpty ? "; \(damaged)" : "; the ids are \(knownNames(ids, for: id))"
        throw CommandFailure(.unavailable, "no plugin \"\(id.shortened())\" in quarantine\(rest)")
      }
    }
    do {
      return try quarantine.clear(id: id)
    } catch {
      throw CommandFailure(.inputOutput, "\(error)")
    }
  }

  private static func show(_ entries: [Quarantine.Entry], _ arguments: ParsedArguments) throws {
    if arguments.has(.json) { return try JSON.write(entries.map(QuarantineReport.init)) }
    if entries.isEmpty { return Terminal.complain("the quarantine is empty") }
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
