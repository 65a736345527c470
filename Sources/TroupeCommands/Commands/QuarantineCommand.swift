internal import FoundationEssentials
internal import TroupeHost

/// `troupe quarantine`: the plugins that did harm when they were probed.
enum QuarantineCommand: Command {
  static let syntax = Syntax(
    "quarantine", "List the plugins that did harm when they were probed, or have them tried again.",
    operands: "list|clear [ID]", operandCount: 1...2, options: [.json],
    details: [
      "A plugin is loaded in a process of its own before any of its code runs in a program. One that crashes there, hangs, or changes what belongs to the whole process, is remembered by its content and not loaded any more: until it is built anew, or until troupe quarantine clear ID takes it out. Without ID everything is taken out, also what has become unreadable and therefore is listed without an ID. Configuration is not touched.",
      "The quarantine is in $XDG_STATE_HOME/troupe, by default ~/.local/state/troupe. JSON, of what is in it or was taken out: an array of {id, path, content, time, code, problem, remedy, backtrace}; id and path are null where they cannot be read.",
    ])

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let (action, id) = (arguments.operands[0], arguments.operands.dropFirst().first)
    switch action {
    case "list":
      if let id { throw CommandFailure(.usage, "\"\(id)\" is one argument too many; see troupe quarantine --help") }
      try show(entries(of: standard()), arguments)
    case "clear": try show(clear(id, standard()), arguments)
    default:
      throw CommandFailure(.usage, "there is no \"\(action)\" in troupe quarantine; it is list or clear")
    }
    return .success
  }

  private static func standard() throws(CommandFailure) -> Quarantine {
    guard let directory = Quarantine.standardDirectory else {
      throw CommandFailure(
        .unavailable, "there is no quarantine, since neither XDG_STATE_HOME nor HOME says where it would be; set one of them")
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

  /// Takes out what an id is of, or everything. An id that nothing is of is an error where there is anything.
  private static func clear(_ id: String?, _ quarantine: Quarantine) throws(CommandFailure) -> [Quarantine.Entry] {
    if let id {
      let entries = try entries(of: quarantine)
      let ids = entries.compactMap(\.id)
      guard entries.isEmpty || ids.contains(id) else {
        let damaged = "as far as it can be read; what cannot be is taken out with everything, by troupe quarantine clear"
        let rest = ids.isEmpty ? ", \(damaged)" : "; there are: \(knownNames(ids, for: id))"
        throw CommandFailure(.unavailable, "there is no plugin \"\(id)\" in quarantine\(rest)")
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
    if entries.isEmpty { return Terminal.complain("nothing is in quarantine") }
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

/// What is in quarantine, as the command shows it in JSON.
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
