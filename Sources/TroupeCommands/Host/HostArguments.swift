internal import Glibc
internal import TroupeHost

/// Makes the host that a command line describes: which plugins it finds, which it admits, and how it runs them.
///
///     --plugins, TROUPE_PLUGIN_PATH, standard directories   ┐
///     --pins, TROUPE_PINS, --max-file-size                  ├ PluginHost.Options ─ PluginHost ─ start ─ rejected plugins
///     --set, --eager, --isolate, --log, …                   ┘                                   on standard error
///
/// A command calls `host` and then `start`, or `prepare` and `load` for some of the plugins. All functions throw a `Diagnosis`: a
/// wrong option has the code `usage`.
enum HostArguments {
  /// The options of commands that read plugin files only.
  static let discovery: [Option] = [.plugins, .pins, .maximumFileSize]
  /// The options of commands that load plugins.
  static let loading: [Option] = [
    .plugins, .pins, .configuration, .eager, .isolate, .deadline, .probeDeadline, .maximumFileSize, .maximumBufferSize, .log,
    .backtrace,
  ]

  // MARK: Hosts

  /// Creates a host for the directories of the options.
  ///
  /// - Parameter change: Sets further options of the host.
  static func host(
    _ arguments: ParsedArguments, readsPins: Bool = true, _ change: (inout PluginHost.Options) -> Void = { _ in }
  ) throws -> PluginHost {
    try host(PluginHost.Options(directories: directories(arguments, log(arguments))), arguments, readsPins: readsPins, change)
  }

  /// Creates a host for files, or else for the directories of the options, that ignores `--pins`.
  static func hostWithoutPins(
    files: [String]? = nil, maximumFileSize: Int? = nil, pins: Pins? = nil, _ arguments: ParsedArguments
  ) throws -> PluginHost {
    var options = try files.map { PluginHost.Options(files: $0) } ?? PluginHost.Options(directories: directories(arguments))
    (options.pins, options.log) = (pins, log(from: .warning))
    if let size = try maximumFileSize ?? arguments.byteCount(.maximumFileSize) { options.maximumFileSize = size }
    return PluginHost(options)
  }

  static func host(
    files: [String], _ arguments: ParsedArguments, _ change: (inout PluginHost.Options) -> Void = { _ in }
  ) throws -> PluginHost {
    try host(PluginHost.Options(files: files), arguments, change)
  }

  /// Creates a host for one directory, which has to be readable.
  static func host(
    directory: String, _ arguments: ParsedArguments, _ change: (inout PluginHost.Options) -> Void = { _ in }
  ) throws -> PluginHost {
    if let code = openingError(directory) { throw unreadable(directory, code, remedy: "name another directory") }
    return try host(PluginHost.Options(directories: [directory]), arguments, change)
  }

  private static func host(
    _ options: PluginHost.Options, _ arguments: ParsedArguments, readsPins: Bool = true,
    _ change: (inout PluginHost.Options) -> Void = { _ in }
  ) throws -> PluginHost {
    var options = options
    options.configuration = try configuration(arguments)
    options.log = log(arguments)
    options.prefersProbeHelper = true
    if let deadline = try arguments.seconds(.probeDeadline) { options.probeLimits = ProbeLimits(deadline: deadline) }
    if let size = try arguments.byteCount(.maximumFileSize) { options.maximumFileSize = size }
    if let size = try arguments.byteCount(.maximumBufferSize) { options.maximumBufferSize = size }
    if readsPins { options.pins = try pins(arguments) }
    try isolate(arguments, &options)
    if arguments.has(.eager) { options.loading = .eager }
    let line = ProgressLine(delay: .milliseconds(300))
    options.progress = { progress in
      if progress.done == progress.count { line.end(keepsText: false) } else { line.announce(progress.line) }
    }
    change(&options)
    return PluginHost(options)
  }

  /// Sets where plugins run, from `--isolate` and `--deadline`.
  private static func isolate(_ arguments: ParsedArguments, _ options: inout PluginHost.Options) throws {
    let deadline = try arguments.seconds(.deadline)
    if deadline != nil, !arguments.has(.isolate) {
      throw Diagnosis(
        .usage, "--deadline", problem: "needs --isolate, since a call in this process cannot be ended",
        remedy: "add --isolate all")
    }
    for text in arguments.all(.isolate) {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard !parts[0].isEmpty else {
        throw Diagnosis(.usage, "--isolate", problem: "missing plugin", remedy: "name the id of a plugin, or all")
      }
      var policy: WorkerPolicy
      do throws(Diagnosis) { policy = try WorkerPolicy(parsing: parts.count == 2 ? parts[1] : "") } catch {
        throw error.about("--isolate")
      }
      if let deadline { policy.deadline = deadline }
      if parts[0] == "all" { options.isolation = .worker(policy) } else { options.isolations[parts[0]] = .worker(policy) }
    }
  }

  // MARK: Starting plugins

  /// Starts a host and reports rejected plugins on standard error: one line for all whose files are rejected, which `troupe list`
  /// explains, and one line for each that fails to load.
  static func start(
    _ host: PluginHost, _ arguments: ParsedArguments, where isWanted: (Plugin) -> Bool = { _ in true }
  ) async throws {
    try prepare(host, arguments)
    await load(host, arguments, where: isWanted)
  }

  /// Checks the configuration and begins to report crashes.
  static func prepare(_ host: PluginHost, _ arguments: ParsedArguments) throws {
    try checkConfiguration(host)
    try checkConfiguredIDs(host, arguments)
    CrashReports.start(host, showsBacktrace: arguments.has(.backtrace))
  }

  /// Starts plugins of a prepared host and reports rejected ones, as `start` does.
  static func load(_ host: PluginHost, _ arguments: ParsedArguments, where isWanted: (Plugin) -> Bool) async {
    let refused = Set(host.discover().filter { isWanted($0) && $0.state.diagnosis != nil }.map(\.path))
    await host.start(where: isWanted)
    let plugins = host.plugins
    // A single rejected file is reported with its reason.
    let silent = refused.count > 1 ? refused : []
    if !silent.isEmpty {
      let list = silent.sorted().listed(atMost: 5)
      Terminal.printMessage("\(silent.count) plugins are rejected: \(list); \(arguments.command("list")) shows the reasons")
    }
    for plugin in plugins where isWanted(plugin) && !silent.contains(plugin.path) {
      if let diagnosis = plugin.state.diagnosis { Terminal.printMessage("\(diagnosis)") }
    }
  }

  /// Checks the settings of `--set` against the manifests of the plugins.
  static func checkConfiguration(_ host: PluginHost) throws {
    for plugin in host.discover() {
      guard let id = plugin.manifest?.id, let diagnosis = plugin.state.diagnosis, diagnosis.code == .invalidSetting else {
        continue
      }
      throw diagnosis.about("--set", id + " ")
    }
  }

  /// Checks that the host has found each plugin of `--set` and `--isolate`, besides a missing one that the command reports itself.
  static func checkConfiguredIDs(_ host: PluginHost, _ arguments: ParsedArguments, besides missing: String? = nil) throws {
    let ids = host.discover().compactMap { $0.manifest?.id }
    try check(host.configuredIDs.filter { $0 != missing }, of: "--set", among: ids, arguments)
    try check(host.isolatedIDs.filter { $0 != missing }, of: "--isolate", among: ids, arguments)
  }

  private static func check(_ wanted: [String], of option: String, among ids: [String], _ arguments: ParsedArguments) throws {
    guard let id = wanted.sorted().first(where: { !ids.contains($0) }) else { return }
    throw Diagnosis.unknown(
      "plugin", id, among: ids, subject: option, otherwise: "\(arguments.command("list")) shows the plugins")
  }

  // MARK: Directories

  /// Returns the directories to search. A directory of `--plugins` has to exist; directories of `TROUPE_PLUGIN_PATH` and conventional
  /// ones are skipped if they do not.
  ///
  /// - Parameter log: Receives a line for each skipped directory.
  static func directories(_ arguments: ParsedArguments, _ log: Log? = nil) throws -> [String] {
    let named = arguments.all(.plugins)
    return try (named.isEmpty ? PluginDirectories.standard : named).filter { directory in
      guard !directory.isEmpty else { throw Diagnosis(.usage, "--plugins", problem: "missing directory") }
      guard let code = openingError(directory) else { return true }
      guard named.isEmpty, code == ENOENT else { throw unreadable(directory, code, remedy: "name another with --plugins") }
      log?.write(.debug, "troupe", "TROUPE_PLUGIN_PATH: \(directory) does not exist")
      return false
    }
  }

  private static func openingError(_ directory: String) -> Int32? {
    guard let stream = opendir(directory) else { return errno }
    closedir(stream)
    return nil
  }

  private static func unreadable(_ directory: String, _ code: Int32, remedy: String) -> Diagnosis {
    Diagnosis(
      code == EACCES ? .notPermitted : .unreadable, directory,
      problem: "cannot read the directory: \(SystemError(code: code))", remedy: remedy)
  }

  /// The problem that no plugin was found in the searched directories, with the remedy.
  static func noPlugins(_ arguments: ParsedArguments) throws -> String {
    let searched = try directories(arguments)
    let standard = PluginDirectories.standard.isEmpty ? PluginDirectories.conventional : PluginDirectories.standard
    let problem =
      if searched.isEmpty {
        "no plugins found, since no directory exists at \(standard.joined(separator: ", "))"
      } else {
        "no plugins found in \(searched.joined(separator: ", "))"
      }
    let other = "name a directory with --plugins or TROUPE_PLUGIN_PATH"
    let ignored = searched.flatMap(misnamedFiles)
    switch ignored.count {
    case 0: return "\(problem); \(other)"
    case 1: return "\(problem); \(ignored[0]) is not read, since its name does not end in .troupe.json; rename it, or \(other)"
    default:
      let names = ignored.listed(atMost: 3)
      return "\(problem); \(names) are not read, since their names do not end in .troupe.json; "
        + "rename them, or \(other)"
    }
  }

  /// The names of JSON files without the suffix `.troupe.json` of adoption files.
  private static func misnamedFiles(_ directory: String) -> [String] {
    let names = (try? Path.entries(in: directory)) ?? []
    return names.filter { $0.hasSuffix(".json") && !$0.hasSuffix(".troupe.json") }.sorted().map(\.onOneLine)
  }

  // MARK: Pins, configuration and log

  /// The pins of `--pins` or TROUPE_PINS. The user's conventional file does not count: a user who pins one plugin does not ask every
  /// host to reject all others.
  private static func pins(_ arguments: ParsedArguments) throws -> Pins? {
    guard let path = try pinsFile(arguments) else { return nil }
    return try Pins(contentsOf: path)
  }

  /// The file of `--pins`, else of TROUPE_PINS.
  static func pinsFile(_ arguments: ParsedArguments) throws -> String? {
    let path = arguments.one(.pins) ?? Environment.value("TROUPE_PINS")
    if path?.isEmpty == true { throw Diagnosis(.usage, "--pins", problem: "missing file") }
    return path
  }

  private static func configuration(_ arguments: ParsedArguments) throws -> [String: [String: String]] {
    var configuration: [String: [String: String]] = [:]
    for setting in arguments.all(.configuration) {
      // Swift joins an equals sign and a combining mark into one character, so the text is split by bytes.
      let sides = setting.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false).map {
        String($0) ?? ""
      }
      let names = sides[0].utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { String($0) ?? "" }
      guard sides.count == 2, names.count == 2, !names[0].isEmpty, !names[1].isEmpty else {
        throw Diagnosis(
          .usage, "--set", problem: "expected ID:KEY=VALUE, got \"\(setting.shortened())\"",
          remedy: "give a setting such as org.example.grep:pattern=^a")
      }
      configuration[names[0], default: [:]][names[1]] = sides[1]
    }
    return configuration
  }

  private static func log(_ arguments: ParsedArguments) -> Log {
    let name = arguments.one(.log)
    let level = LogLevel.allCases.first { "\($0)" == name } ?? .warning
    return log(from: level)
  }

  /// Returns a log that prints the faults of plugins only at the level `.debug`, since the commands report them themselves.
  private static func log(from level: LogLevel) -> Log {
    Log(from: level) { if level == .debug || $0.diagnosis == nil { Terminal.printMessage("\($0.level): \($0)") } }
  }
}
