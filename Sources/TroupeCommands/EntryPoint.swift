internal import Dispatch
internal import Glibc
internal import TroupeHost

/// The commands, in the order in which the help shows them.
private let commands: [any Command.Type] = [
  ListCommand.self, InspectCommand.self, GraphCommand.self, ResolveCommand.self, CallCommand.self, RunCommand.self,
  WatchCommand.self, PinCommand.self, QuarantineCommand.self, VersionCommand.self,
]

/// Runs the command line and ends the process. The launcher calls it on the main thread.
@c(troupe_command_main)
public func troupeCommandMain(_ count: Int32, _ arguments: UnsafePointer<UnsafePointer<CChar>?>) -> Int32 {
  let words = (1..<max(1, Int(count))).map { arguments[$0].flatMap { String(validatingCString: $0) } }
  if let index = words.firstIndex(of: nil) {
    Terminal.complain("the command line's argument \(index + 1) is not UTF-8")
    exit(ExitStatus.usage.rawValue)
  }
  // Not on the main actor: a plugin that brings Foundation along takes the main queue from who serves it.
  Task.detached {
    let status = await run(words.compactMap(\.self))
    exit(status.rawValue)
  }
  // Serves the main actor, for plugins that need it.
  dispatchMain()
}

/// Finds the command and runs it; every failure becomes one line and a status.
private func run(_ words: [String]) async -> ExitStatus {
  do {
    guard let name = words.first else {
      Terminal.complain("a command is missing; see troupe --help")
      return .usage
    }
    switch name {
    case "--help", "-h": return try help(nil)
    case "help": return try help(words.dropFirst().first)
    case "--version": return try VersionCommand.run(VersionCommand.syntax.parse([]))
    default: break
    }
    let command = try find(name)
    let arguments = try command.syntax.parse(Array(words.dropFirst()))
    if arguments.has(.help) { return try help(name) }
    return try await command.run(arguments)
  } catch let failure as CommandFailure {
    Terminal.complain(failure.message)
    return failure.status
  } catch {
    Terminal.complain("\(error)")
    return .software
  }
}

private func find(_ name: String) throws -> any Command.Type {
  guard let command = commands.first(where: { $0.syntax.name == name }) else {
    let names = commands.map { $0.syntax.name }.joined(separator: ", ")
    let place = name.hasPrefix("-") ? "; options stand behind them" : ""
    throw CommandFailure(.usage, "there is no command \"\(name)\"; the commands are \(names)\(place)")
  }
  return command
}

private func help(_ name: String?) throws -> ExitStatus {
  if let name {
    try Terminal.write(find(name).syntax.help)
    return .success
  }
  let width = (commands.map { $0.syntax.name.count }.max() ?? 0) + 2
  let rows = commands.map { command in
    let text = TextWrap.lines(command.syntax.summary, width: 76 - width)
    return "  " + command.syntax.name.padding(to: width)
      + text.joined(separator: "\n" + String(repeating: " ", count: width + 2))
  }
  try Terminal.write(
    """
    usage: troupe COMMAND [OPTION …]

    Finds plugins in directories, loads those that can be trusted, and works with
    what they offer.

    Commands:
    \(rows.joined(separator: "\n"))

    troupe COMMAND --help tells more. Exit status: 0 if all went well, 64 for a
    wrong command line, 65 for wrong data, 66 for an input that is not there, 69 for
    a plugin that is not there or failed, 70 for a fault of troupe's own, 74 if
    reading or writing failed, 77 for what is not permitted.

    """)
  return .success
}
