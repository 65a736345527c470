internal import FoundationEssentials
internal import Glibc
internal import TroupeHost
internal import TroupeTools

/// `troupe validate`: runs checks of plugin files.
enum ValidateCommand: Command {
  private static let junit = Option("junit", value: "FILE", "Also write the results as JUnit XML.")
  private static let level = Option(
    "level", value: "N", "Run the levels 1 to N. Default: \(CheckLevel.standard).")
  private static let only = Option("only", value: "REGEX", "Run checks whose names match, of any level.")
  private static let except = Option("except", value: "REGEX", "Leave out checks whose names match.")
  private static let all = Option("all", "Also print passed and skipped checks.")
  private static let list = Option("list", "List the selected checks.")
  private static let inProcess = Option(
    "in-process", "Run the checks in this process, for a debugger.", details: "A crash ends the command.")
  private static let jobs = Option("jobs", value: "N", "Run N checks at once. Default: one per processor.")
  private static let deadline = Option(
    "deadline", value: "SECONDS", "Limit each check. Default: 10.",
    details: "The limit applies to processor time and to waiting.")
  private static let reproduce = Option(
    "reproduce", value: "SEED", "Repeat the call whose crash printed SEED.")
  private static let plugins = Option(
    "plugins", value: "DIR", isRepeatable: true,
    "Search DIR for plugins that FILE requires.")

  static let spec = CommandSpec(
    "validate", "Check plugin files, from the manifest to generated calls.", operands: "[FILE …]",
    operandCount: 0...Int.max,
    examples: [
      "troupe validate plugins/geometry.so", "troupe validate plugins/*.so --level 2 --junit results.xml",
      "troupe validate --list",
    ],
    options: [level, only, except, list, all, junit, jobs, deadline, inProcess, reproduce, plugins, .json],
    details: [
      "Each check runs in its own process with a deadline, so that a plugin that crashes, hangs or exits fails one check. A check that needs another one is skipped if that one fails.",
      "A check passes, is skipped with the reason, warns, fails or crashes. The text has a line for each warning, failure and crash, and the counts; --all adds the other checks.",
    ] + CheckLevel.all.map { "Level \($0) \(CheckLevel.summary($0))." } + [
      "The arguments of level 5 come from a seed. A crash prints the seed of its call, and --reproduce calls the same function with the same arguments again.",
      "The exit status is 69 if a check failed or crashed; warnings do not count.",
      "JSON: {files: [{file, plugin, checks: [{name, level, result, message, remedy, seconds}], counts}], seed}; with --list: [{name, group, level, severity, summary}].",
    ])

  static func run(_ arguments: ParsedArguments) async throws -> ExitStatus {
    let checks = try selectedChecks(arguments)
    if arguments.has(list) {
      try write(list: checks, arguments)
      return .success
    }
    guard !arguments.operands.isEmpty else {
      throw Diagnosis(.usage, problem: "missing FILE", remedy: "see troupe validate --help")
    }
    let settings = try settings(arguments)
    let files = try arguments.operands.map { try file($0, arguments) }
    let junitFile = try arguments.one(junit).map { try OutputFile($0, apartFrom: arguments.operands) }
    let line = ProgressLine(delay: .milliseconds(300))
    var validator = Validator(files, checks, settings)
    var reportedFiles = 0
    let results = try validator.run { progress in
      let others = progress.running.count > 1 ? " and \(progress.running.count - 1) more" : ""
      let running = progress.running.first.map { ", running \($0)\(others)" } ?? ""
      line.announce("\(progress.done) of \(progress.count) checks done\(running)")
    } report: { file in
      if !arguments.has(.json) {
        try write(file, isFirst: reportedFiles == 0, count: checks.count, showsAll: arguments.has(all))
      }
      if file.checks.count == checks.count { reportedFiles += 1 }
    }
    line.end(keepsText: false)
    try junitFile?.write(JUnitReport.text(results))
    if arguments.has(.json) { try Terminal.writeJSON(results) }
    return results.files.allSatisfy(\.isGood) ? .success : .unavailable
  }

  // MARK: Output

  private struct ListedCheck: Encodable {
    let name, group: String
    let level: Int
    let severity, summary: String
  }

  private static func write(list checks: [Check], _ arguments: ParsedArguments) throws {
    if arguments.has(.json) {
      return try Terminal.writeJSON(
        checks.map {
          ListedCheck(name: $0.name, group: $0.group, level: $0.level, severity: $0.severity.rawValue, summary: $0.summary)
        })
    }
    var table = Table("CHECK", "LEVEL", "VERDICT", "EXPECTATION")
    for check in checks { table.add(check.name, "\(check.level)", check.severity.rawValue, check.summary) }
    try Terminal.write(table.text(color: Terminal.hasColor))
  }

  /// Prints the line of a check that is shown, the heading before the first check of a file, and the counts after the last.
  private static func write(_ file: FileReport, isFirst: Bool, count: Int, showsAll: Bool) throws {
    guard let check = file.checks.last else { return }
    if file.checks.count == 1 { try Terminal.write("\(isFirst ? "" : "\n")\(file.file.onOneLine)\n") }
    if showsAll || check.result == .warning || check.result.isFailure {
      let reason = check.remedy.isEmpty ? check.message : "\(check.message); \(check.remedy)"
      let result = check.result.rawValue.padding(to: 8)
      let shown = Terminal.hasColor ? styled(result, check.result) : result
      try Terminal.write("  \(shown) \(reason.isEmpty ? check.name : "\(check.name): \(reason.onOneLine)")\n")
    }
    if file.checks.count == count { try Terminal.write("  \(file.summary)\n") }
  }

  private static func styled(_ text: String, _ verdict: CheckResult.Verdict) -> String {
    switch verdict {
    case .passed: "\u{1B}[32m\(text)\u{1B}[0m"
    case .skipped: "\u{1B}[2m\(text)\u{1B}[0m"
    case .warning: "\u{1B}[33m\(text)\u{1B}[0m"
    case .failed, .crashed: "\u{1B}[31m\(text)\u{1B}[0m"
    }
  }

  /// A file that is opened before the checks and written after them.
  private struct OutputFile {
    let path: String
    let descriptor: Int32

    /// Throws a `Diagnosis` for a file that cannot be written, and for one of the checked files.
    init(_ path: String, apartFrom checked: [String]) throws {
      let identity = FileIdentity(of: path)
      guard identity == nil || !checked.contains(where: { FileIdentity(of: $0) == identity }) else {
        throw Diagnosis(.usage, path, problem: "is a checked file, which --junit would overwrite", remedy: "name another file")
      }
      self.path = path
      descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
      guard descriptor >= 0 else {
        throw Diagnosis(
          .inputOutput, path, problem: "cannot be written: \(SystemError(code: errno))",
          remedy: "name a file that you can write")
      }
    }

    func write(_ text: String) throws {
      defer { close(descriptor) }
      try ByteStream(descriptor: descriptor, name: path).write(Array(text.utf8).span)
    }
  }

  // MARK: Options

  private static func selectedChecks(_ arguments: ParsedArguments) throws -> [Check] {
    let highest = try arguments.number(level, in: CheckLevel.all) ?? CheckLevel.standard
    let (wanted, unwanted) = (try arguments.regex(only), try arguments.regex(except))
    if arguments.has(reproduce) { return Checks.all.filter { $0.name == Checks.generatedCalls } }
    let checks = Checks.all.filter { check in
      if let unwanted, check.name.contains(unwanted) { return false }
      if let wanted { return check.name.contains(wanted) && (!arguments.has(level) || check.level <= highest) }
      return check.level <= highest
    }
    guard !checks.isEmpty else {
      throw Diagnosis(.usage, problem: "no check is selected", remedy: "troupe validate --list shows the checks")
    }
    return checks
  }

  private static func settings(_ arguments: ParsedArguments) throws -> Validator.Settings {
    var settings = Validator.Settings()
    settings.runsInProcess = arguments.has(inProcess)
    let seconds = try arguments.seconds(deadline) ?? .seconds(10)
    settings.limits = ProbeLimits(deadline: seconds, waiting: seconds, processes: try arguments.number(jobs, in: 1...1024))
    settings.seed = .random(in: 0...UInt64(UInt32.max))
    if let text = arguments.one(reproduce) {
      guard let seed = UInt64(text) else {
        throw Diagnosis(
          .usage, "--reproduce", problem: "expected a seed, got \"\(text.shortened())\"",
          remedy: "give the number that a crash printed")
      }
      (settings.seed, settings.reproduces) = (seed, true)
    }
    return settings
  }

  /// Reads the plugin of a file. Throws a `Diagnosis` if it cannot be a plugin file at all.
  private static func file(_ path: String, _ arguments: ParsedArguments) throws -> Validator.File {
    do throws(Diagnosis) {
      _ = try InputFile.named([path])
    } catch {
      guard error.code == .unreadable, !PluginOperand.isFile(path) else { throw error }
      throw Diagnosis(
        error.code, path, problem: error.problem,
        remedy: "name a file; \(arguments.command("inspect \(path.shellWord)")) shows that of a plugin with this id")
    }
    let plugin = try HostArguments.hostWithoutPins(files: [path], maximumFileSize: .max, arguments).discover().first
    if let diagnosis = plugin?.state.diagnosis, [.unreadable, .notALibrary].contains(diagnosis.code),
      !PluginFileName.isAdoption(path)
    {
      throw diagnosis
    }
    var required: [String] = []
    if plugin?.manifest?.requires.isEmpty == false {
      required = try HostArguments.hostWithoutPins(arguments).discover().filter { $0.manifest?.id != plugin?.manifest?.id }.map(
        \.path)
    }
    return Validator.File(path: path, id: plugin?.manifest?.id, required: required)
  }
}
