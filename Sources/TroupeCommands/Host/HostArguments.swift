internal import Glibc
internal import TroupeHost

/// The options that several commands share, and the host that they configure.
enum HostArguments {
  static let discovery: [Option] = [.plugins, .pins, .maximumFileSize]
  static let loading: [Option] = [
    .plugins, .pins, .configuration, .eager, .log, .maximumFileSize, .maximumBufferSize, .probeDeadline, .isolate, .deadline,
    .backtrace,
  ]

  /// Creates a host for the directories of the options. Throws a `Diagnosis`.
  ///
  /// - Parameter change: Changes further options of the host.
  static func host(
    _ arguments: ParsedArguments, _ change: (inout PluginHost.Options) -> Void = { _ in }
  ) throws -> PluginHost {
    try host(PluginHost.Options(directories: directories(arguments, log(arguments))), arguments, change)
  }

  /// Creates a host for files, or for the directories of the options, that ignores the pins of the options.
  static func hostWithoutPins(
    files: [String]? = nil, maximumFileSize: Int? = nil, pins: Pins? = nil, _ arguments: ParsedArguments
  ) throws -> PluginHost {
    var options = try files.map { PluginHost.Options(files: $0) } ?? PluginHost.Options(directories: directories(arguments))
    (options.pins, options.log) = (pins, log(from: .warning))
    if let size = try maximumFileSize ?? byteCount(.maximumFileSize, arguments) { options.maximumFileSize = size }
    return PluginHost(options)
  }

  /// Creates a host for plugin files. Throws a `Diagnosis`.
  static func host(
    files: [String], _ arguments: ParsedArguments, _ change: (inout PluginHost.Options) -> Void = { _ in }
  ) throws -> PluginHost {
    try host(PluginHost.Options(files: files), arguments, change)
  }

  /// Creates a host for one directory. Throws a `Diagnosis` if it cannot be read.
  static func host(
    directory: String, _ arguments: ParsedArguments, _ change: (inout PluginHost.Options) -> Void = { _ in }
  ) throws -> PluginHost {
    if let code = openingError(directory) { throw unreadable(directory, code, remedy: "name another directory") }
    return try host(PluginHost.Options(directories: [directory]), arguments, change)
  }

  private static func host(
    _ options: PluginHost.Options, _ arguments: ParsedArguments, _ change: (inout PluginHost.Options) -> Void = { _ in }
  ) throws -> PluginHost {
    var options = options
    options.configuration = try configuration(arguments)
    options.log = log(arguments)
    if let deadline = try seconds(.probeDeadline, arguments) { options.probeLimits = ProbeLimits(deadline: deadline) }
    if let size = try byteCount(.maximumFileSize, arguments) { options.maximumFileSize = size }
    if let size = try byteCount(.maximumBufferSize, arguments) { options.maximumBufferSize = size }
    options.pins = try pins(arguments)
    try IsolationOption.apply(arguments, to: &options)
    if arguments.has(.eager) { options.loading = .eager }
    let line = ProgressLine(delay: .milliseconds(300))
    options.progress = { progress in
      if progress.done == progress.count { line.end(keepsText: false) } else { line.announce(progress.line) }
    }
    change(&options)
    return PluginHost(options)
  }

  /// Starts a host and reports rejected plugins on standard error: one line for all whose files were rejected, which `troupe list`
  /// explains, and one line for each that failed to load.
  static func start(
    _ host: PluginHost, _ arguments: ParsedArguments, where isWanted: (Plugin) -> Bool = { _ in true }
  ) async throws {
    try prepare(host, arguments)
    await load(host, arguments, where: isWanted)
  }

  /// Checks the configuration and begins to report crashes. Throws a `Diagnosis`.
  static func prepare(_ host: PluginHost, _ arguments: ParsedArguments) throws {
    try checkConfiguration(host)
    try checkConfiguredIDs(host, arguments)
    CrashReports.start(host, showsBacktrace: arguments.has(.backtrace))
  }

  /// Starts plugins of a prepared host; see `start`.
  static func load(_ host: PluginHost, _ arguments: ParsedArguments, where isWanted: (Plugin) -> Bool) async {
    let refused = Set(host.discover().filter { isWanted($0) && $0.state.fault != nil }.map(\.path))
    await host.start(where: isWanted)
    let plugins = host.plugins
    // A single rejected file is reported with its reason.
    let silent = refused.count > 1 ? refused : []
    if !silent.isEmpty {
      let list = silent.sorted().listed(atMost: 5)
      Terminal.printMessage("\(silent.count) plugins are rejected: \(list); \(arguments.command("list")) shows the reasons")
    }
    for plugin in plugins where isWanted(plugin) && !silent.contains(plugin.path) {
      if let fault = plugin.state.fault { Terminal.printMessage("\(fault)") }
    }
  }

  /// Says that no plugin was found, with the searched directories.
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

  /// The names of the JSON files in a directory that adopt no library, since they lack the suffix `.troupe.json`.
  private static func misnamedFiles(_ directory: String) -> [String] {
    let names = (try? Path.entries(in: directory)) ?? []
    return names.filter { $0.hasSuffix(".json") && !$0.hasSuffix(".troupe.json") }.sorted().map(\.onOneLine)
  }

  /// Finds the plugins. Throws a `Diagnosis` if `--set` names a setting that a plugin does not declare, or has an invalid value.
  static func checkConfiguration(_ host: PluginHost) throws {
    for plugin in host.discover() {
      guard let id = plugin.manifest?.id, let fault = plugin.state.fault, fault.code == .invalidSetting else { continue }
      throw fault.of("--set", id + " ")
    }
  }

  /// Throws a `Diagnosis` if `--set` or `--isolate` names a plugin that the host has not found, with the nearest id.
  static func checkConfiguredIDs(_ host: PluginHost, _ arguments: ParsedArguments) throws {
    try check(host.configuredIDs, of: "--set", host, arguments)
    try check(host.isolatedIDs, of: "--isolate", host, arguments)
  }

  private static func check(_ wanted: [String], of option: String, _ host: PluginHost, _ arguments: ParsedArguments) throws {
    let ids = host.discover().compactMap { $0.manifest?.id }
    guard let id = wanted.sorted().first(where: { !ids.contains($0) }) else { return }
    let nearest = nearestName(to: id, in: ids).map { "the nearest id is \($0); " } ?? ""
    throw Diagnosis(
      .usage, option, problem: "no plugin \"\(id.shortened())\"",
      remedy: "\(nearest)\(arguments.command("list")) shows the plugins")
  }

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

  /// The error of opening a directory; nil if it can be opened.
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

  /// The pins in the file of `--pins` or TROUPE_PINS; nil without one. The user's conventional file does not count: a user who pins
  /// one plugin does not ask every host to reject all others.
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
      // By bytes: Swift joins an equals sign and a combining mark into one character.
      let sides = setting.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false).map {
        String($0) ?? ""
      }
      let names = sides[0].utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { String($0) ?? "" }
      guard sides.count == 2, names.count == 2, !names[0].isEmpty, !names[1].isEmpty else {
        throw Diagnosis(
          .usage, "--set", problem: "\"\(setting.shortened())\" is not ID:KEY=VALUE",
          remedy: "write a setting such as org.example.grep:pattern=^a")
      }
      configuration[names[0], default: [:]][names[1]] = sides[1]
    }
    return configuration
  }

  /// The regular expression that an option sets, if it is given. Throws a `Diagnosis`.
  static func regex(_ option: Option, _ arguments: ParsedArguments) throws(Diagnosis) -> Regex<AnyRegexOutput>? {
    guard let text = arguments.one(option) else { return nil }
    do {
      return try Regex(text)
    } catch {
      throw Diagnosis(
        .usage, "--\(option.name)", problem: "\"\(text.shortened())\" is not a regular expression: \(error)",
        remedy: "write one such as '^load'")
    }
  }

  /// The time that an option sets, if it is given. Throws a `Diagnosis`.
  static func seconds(_ option: Option, _ arguments: ParsedArguments) throws(Diagnosis) -> Duration? {
    guard let text = arguments.one(option) else { return nil }
    // A day is as good as no limit, and a clock may not represent more.
    guard let seconds = Double(text), 0.001...86_400 ~= seconds else {
      throw Diagnosis(
        .usage, "--\(option.name)", problem: "\"\(text.shortened())\" is not a number of seconds from 0.001 to 86400",
        remedy: "write one such as 2")
    }
    return .seconds(seconds)
  }

  /// The number of bytes that an option sets, if it is given.
  private static func byteCount(_ option: Option, _ arguments: ParsedArguments) throws -> Int? {
    guard let text = arguments.one(option) else { return nil }
    guard let size = Int(text), size > 0 else {
      throw Diagnosis(
        .usage, "--\(option.name)", problem: "\"\(text.shortened())\" is not a number of bytes",
        remedy: "write one such as 1073741824")
    }
    return size
  }

  private static func log(_ arguments: ParsedArguments) -> Log {
    let name = arguments.one(.log)
    let level = LogLevel.allCases.first { "\($0)" == name } ?? .warning
    return log(from: level)
  }

  /// Returns a log that prints the faults of plugins only at the level `.debug`, since the commands report them themselves.
  private static func log(from level: LogLevel) -> Log {
    Log(from: level) { if level == .debug || $0.fault == nil { Terminal.printMessage("\($0.level): \($0)") } }
  }
}

extension ParsedArguments {
  /// Another command for the same directories, for a remedy.
  func command(_ words: String) -> String {
    (["troupe", words] + all(.plugins).flatMap { ["--plugins", $0] }).joined(separator: " ")
  }
}
