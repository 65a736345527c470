internal import Dispatch
internal import Glibc
internal import TroupeHost

/// The commands in the order of the help.
let commands: [any Command.Type] = [
  ListCommand.self, InspectCommand.self, GraphCommand.self, ResolveCommand.self, CallCommand.self, MapCommand.self,
  RunCommand.self, BenchCommand.self, WatchCommand.self, NewCommand.self, AdoptCommand.self, ValidateCommand.self,
  CatalogCommand.self, DoctorCommand.self,
  PinCommand.self, QuarantineCommand.self, WorkersCommand.self, FlagsCommand.self, VersionCommand.self,
]

/// Runs the command line and ends the process. The launcher calls it on the main thread.
@c(troupe_command_main)
public func troupeCommandMain(_ count: Int32, _ arguments: UnsafePointer<UnsafePointer<CChar>?>) -> Int32 {
  // The Swift runtime's own handler prints the calls of all threads, and two signals at once make it wait for itself.
  signal(SIGQUIT, SIG_DFL)
  // Before any plugin code runs.
  _ = StandardOutput.descriptor
  do throws(SystemError) { try SystemError.checkCalls(for: .program) } catch {
    Terminal.printMessage("\(error); \(SystemError.sandboxRemedy)")
    exit(ExitStatus.systemError.rawValue)
  }
  let words = (1..<max(1, Int(count))).map { arguments[$0].flatMap { String(validatingCString: $0) } }
  if let index = words.firstIndex(of: nil) {
    Terminal.printMessage("argument \(index + 1) of the command line is not UTF-8")
    exit(ExitStatus.usage.rawValue)
  }
  _ = StandardOutput.isOwnProcess
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

/// Runs the named command and turns each failure into one line and a status.
private func run(_ words: [String]) async -> ExitStatus {
  do {
    guard let name = words.first else {
      Terminal.printMessage("missing command; see troupe --help")
      return .usage
    }
    switch name {
    case "--help", "-h": return try help(nil)
    case "help": return try help(words.dropFirst().first)
    case "--complete": return try Completions.run(Array(words.dropFirst()))
    case "--manual": return try Manual.write(to: words.dropFirst().first ?? ".")
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

private func find(_ name: String) throws -> any Command.Type {
  guard let command = commands.first(where: { $0.spec.name == name }) else {
    let names = commands.map { $0.spec.name }.joined(separator: ", ")
    let hint = name.hasPrefix("-") ? "; options follow the command" : ""
    throw Diagnosis(.usage, problem: "unknown command \"\(name.shortened())\"", remedy: "the commands are \(names)\(hint)")
  }
  return command
}

private func help(_ name: String?) throws -> ExitStatus {
  let columns = Terminal.columns(StandardOutput.descriptor)
  if let name {
    try Terminal.write(find(name).spec.help(width: columns))
    return .success
  }
  let width = (commands.map { $0.spec.name.count }.max() ?? 0) + 4
  let rows = commands.map { command in
    let text = TextWrap.lines(command.spec.summary, width: max(columns - width, 20))
    return "  " + command.spec.name.padding(to: width - 2)
      + text.joined(separator: "\n" + String(repeating: " ", count: width))
  }
  func paragraph(_ text: String) -> String { TextWrap.lines(text, width: columns).joined(separator: "\n") }
  try Terminal.write(
    """
    usage: troupe COMMAND [OPTION …]

    \(paragraph(programSummary))

    Commands:
    \(rows.joined(separator: "\n"))

    \(paragraph("troupe COMMAND --help shows the options of a command."))

    \(paragraph(statuses))

    """)
  return .success
}

/// The purpose of the program, for the help and the manual.
let programSummary = "Finds plugins in directories, loads the trusted ones, and uses their registrations."

let statuses = """
  Exit status: 0 success; 64 wrong command line; 65 wrong data; 66 missing input; 69 missing or failed plugin; 70 fault of troupe \
  itself; 71 missing resource of the system; 74 failed read or write; 77 missing permission.
  """
