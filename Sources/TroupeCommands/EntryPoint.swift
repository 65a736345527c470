internal import Dispatch
internal import Glibc
internal import TroupeHost
internal import TroupeTools

/// The program `troupe`: runs the named command and ends the process. It never returns.
///
/// The launcher, `Sources/troupe`, calls it on the main thread. A failure becomes one line on standard error and an `ExitStatus`.
@c(troupe_command_main)
public func troupeCommandMain(_ count: Int32, _ arguments: UnsafePointer<UnsafePointer<CChar>?>) -> Int32 {
  // The Swift runtime's own handler prints the calls of all threads, and two signals at once make the handler wait for itself.
  signal(SIGQUIT, SIG_DFL)
  StandardOutput.moveDescriptor()
  do throws(SystemError) { try SystemError.checkCalls(for: .program) } catch {
    Terminal.printMessage("\(error); \(SystemError.sandboxRemedy)")
    exit(ExitStatus.systemError.rawValue)
  }
  let words = (1..<max(1, Int(count))).map { arguments[$0].flatMap { String(validatingCString: $0) } }
  if let index = words.firstIndex(of: nil) {
    Terminal.printMessage("argument \(index + 1) of the command line is not UTF-8")
    exit(ExitStatus.usage.rawValue)
  }
  StandardOutput.noteProcess()
  CrashReports.watchExit()
  // Foundation binds the main queue to the thread that loads it. If a plugin loaded it on another thread, no job of the main actor
  // would run any more.
  if let name = words.first, commands.contains(where: { $0.spec.name == name && $0.awaitsFactories }) {
    dlopen("libFoundation.so", RTLD_NOW)
  }
  Task.detached {
    CrashReports.exit(await run(words.compactMap(\.self)))
  }
  dispatchMain()
}

private func run(_ words: [String]) async -> ExitStatus {
  do {
    guard let name = words.first else {
      Terminal.printMessage("missing command; see troupe --help")
      return .usage
    }
    switch name {
    case "--help", "-h": return try help(nil)
    case "help": return try help(words.dropFirst().first)
    case "--complete": return try CompletionCommand.run(Array(words.dropFirst()))
    case "--manual": return try ManualCommand.write(to: words.dropFirst().first ?? ".")
    case "--version": return try VersionCommand.run(VersionCommand.spec.parse([]))
    default: break
    }
    let command = try find(name)
    let arguments = try command.spec.parse(Array(words.dropFirst()))
    if arguments.has(.help) {
      try Terminal.write(await command.help(arguments, width: Terminal.columns(StandardOutput.descriptor)))
      return .success
    }
    return try await command.run(arguments)
  } catch {
    Terminal.printMessage("\(error)")
    return ExitStatus(Diagnosis.Code(of: error))
  }
}

/// - Parameter others: What else may stand in the place of a command.
private func find(_ name: String, or others: [String] = []) throws -> any Command.Type {
  if let command = commands.first(where: { $0.spec.name == name }) { return command }
  let names = commands.map { $0.spec.name } + others
  let hint = name.hasPrefix("-") ? "; options follow the command" : ""
  throw Diagnosis.unknown("command", name, among: names, otherwise: "the commands are \(names.joined(separator: ", "))\(hint)")
}

// MARK: Help

/// Prints the help of the program, the manual of a command, or a topic.
private func help(_ name: String?) throws -> ExitStatus {
  let columns = Terminal.columns(StandardOutput.descriptor)
  if let topic = helpTopics.first(where: { $0.name == name }) {
    try Terminal.write(topic.text(width: columns))
    return .success
  }
  if let name {
    try Terminal.write(find(name, or: helpTopics.map(\.name)).spec.manual(width: columns))
    return .success
  }
  let width = (commands.map { $0.spec.name.count }.max() ?? 0) + 4
  func row(_ command: any Command.Type) -> String {
    let text = TextWrap.lines(command.spec.summary, width: max(columns - width, 20))
    return "  " + command.spec.name.padding(to: width - 2)
      + text.joined(separator: "\n" + String(repeating: " ", count: width))
  }
  let groups = commandGroups.map { group in (["\(group.title):"] + group.commands.map(row)).joined(separator: "\n") }
  func paragraph(_ text: String) -> String { TextWrap.lines(text, width: columns).joined(separator: "\n") }
  try Terminal.write(
    """
    \(paragraph(programSummary))

    usage: troupe COMMAND [OPTION …]

    Examples:
    \(programExamples.map { "  " + $0 }.joined(separator: "\n"))

    \(groups.joined(separator: "\n\n"))

    \(paragraph(searchExplanation))

    \(paragraph("The examples use the example plugins: in the sources, make run builds them."))

    \(paragraph("troupe COMMAND --help shows the options of a command, troupe help COMMAND the details, and \(topicHelp)."))

    \(paragraph(ExitStatus.explanation))

    """)
  return .success
}

/// The second part of "troupe help COMMAND explains the details, and …".
private let topicHelp = helpTopics.map { "troupe help \($0.name) \($0.subject)" }.joined(separator: ", ")

/// The purpose of the program, for the help and the manual.
let programSummary = "Finds plugins in directories, loads the trusted ones, and uses their registrations."
let searchExplanation =
  "Plugins are found in the directories of --plugins, else of TROUPE_PLUGIN_PATH, else in ~/.local/share/troupe/plugins and the installed directory."
let programExamples = ["troupe list", "troupe call area 3 4.5", "echo hello | troupe run --tag base64-encode"]
