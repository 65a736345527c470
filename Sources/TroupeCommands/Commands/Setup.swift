internal import Glibc
internal import TroupeHost

/// The options that all commands share which look at plugins, and the host that they set up.
enum Setup {
  static let discovery: [Option] = [.plugins, .pins]
  static let loading: [Option] = [.plugins, .pins, .configuration, .eager, .log, .probeDeadline]

  /// A host for the directories that the options name. Throws a `CommandFailure`.
  ///
  /// - Parameter change: What else the host is set up with.
  static func host(
    _ arguments: ParsedArguments, _ change: (inout PluginHost.Options) -> Void = { _ in }
  ) throws -> PluginHost {
    try host(PluginHost.Options(directories: directories(arguments, log(arguments))), arguments, change)
  }

  /// A host for the directories that the options name, or for some files, to which all contents are the same.
  static func hostWithoutPins(files: [String]? = nil, _ arguments: ParsedArguments) throws -> PluginHost {
    var options = try files.map { PluginHost.Options(files: $0) } ?? PluginHost.Options(directories: directories(arguments))
    options.log = log(from: .warning)
    return PluginHost(options)
  }

  /// A host for some plugin files. Throws a `CommandFailure`.
  static func host(files: [String], _ arguments: ParsedArguments) throws -> PluginHost {
    try host(PluginHost.Options(files: files), arguments)
  }

  private static func host(
    _ options: PluginHost.Options, _ arguments: ParsedArguments, _ change: (inout PluginHost.Options) -> Void = { _ in }
  ) throws -> PluginHost {
    var options = options
    options.configuration = try configuration(arguments)
    options.log = try log(arguments)
    if let deadline = try probeDeadline(arguments) { options.probeLimits.deadline = deadline }
    options.pins = try pins(arguments)
    options.keepsImages = true
    if arguments.has(.eager) { options.loading = .eager }
    let line = ProgressLine(delay: .milliseconds(300))
    options.progress = { progress in
      if progress.done == progress.count { line.end(keepsText: false) } else { line.announce(progress.line) }
    }
    change(&options)
    return PluginHost(options)
  }

  /// Starts a host and says on standard error which plugins it had to leave out: of those whose files were refused, which
  /// `troupe list` explains, in one line at most; of those that failed when they were loaded, which nobody else tells, in one each.
  static func start(
    _ host: PluginHost, _ arguments: ParsedArguments, where isWanted: (Plugin) -> Bool = { _ in true }
  ) async throws {
    let configured = try configuration(arguments).keys.sorted()
    let refused = Set(host.discover().filter { isWanted($0) && $0.state.fault != nil }.map(\.path))
    await host.start(where: isWanted)
    let plugins = host.plugins
    // A single one is told with its reason, which is one line as well.
    let silent = refused.count > 1 ? refused : []
    if !silent.isEmpty { Terminal.complain("\(silent.count) plugins are left out: \(list(silent)); troupe list shows why") }
    for plugin in plugins where isWanted(plugin) && !silent.contains(plugin.path) {
      if let fault = plugin.state.fault { Terminal.complain("\(fault)") }
    }
    for id in configured where !plugins.contains(where: { $0.manifest?.id == id }) {
      Terminal.complain("--set names the plugin \(id), which is not there; troupe list shows those that are")
    }
  }

  /// Names some paths, and counts the rest where there are many.
  private static func list(_ paths: Set<String>) -> String {
    let limit = 5
    let shown = paths.sorted().prefix(limit).joined(separator: ", ")
    return paths.count > limit ? "\(shown) and \(paths.count - limit) more" : shown
  }

  /// The directories to look in. A directory that was named with `--plugins` and is not there is an error; of those in
  /// `TROUPE_PLUGIN_PATH` and of the conventional ones those count that are there.
  ///
  /// - Parameter log: Is told of those that are not there.
  static func directories(_ arguments: ParsedArguments, _ log: Log? = nil) throws -> [String] {
    let named = arguments.all(.plugins)
    return try (named.isEmpty ? PluginDirectories.standard : named).filter { directory in
      guard !directory.isEmpty else { throw CommandFailure(.usage, "--plugins names no directory") }
      guard let stream = opendir(directory) else {
        let code = errno
        if named.isEmpty, code == ENOENT {
          log?.write(.debug, "troupe", "TROUPE_PLUGIN_PATH names \(directory), which is not there")
          return false
        }
        throw CommandFailure(
          code == EACCES ? .notPermitted : .noInput,
          "\(directory): cannot be read as a directory of plugins: \(String(cString: strerror(code))); name another with --plugins"
        )
      }
      closedir(stream)
      return true
    }
  }

  /// The pins of the file that is named, by the option or by the variable; nil if none is. Where the user keeps pins by
  /// convention is not asked: whoever has pinned one plugin has not said that all others are to be refused everywhere.
  private static func pins(_ arguments: ParsedArguments) throws -> Pins? {
    guard let path = try pinsFile(arguments) else { return nil }
    do {
      return try Pins(contentsOf: path)
    } catch {
      throw CommandFailure(error)
    }
  }

  /// The file that `--pins` names, or else TROUPE_PINS.
  static func pinsFile(_ arguments: ParsedArguments) throws -> String? {
    let path = arguments.one(.pins) ?? Environment.value("TROUPE_PINS")
    if path?.isEmpty == true { throw CommandFailure(.usage, "--pins names no file") }
    return path
  }

  private static func configuration(_ arguments: ParsedArguments) throws -> [String: [String: String]] {
    var configuration: [String: [String: String]] = [:]
    for setting in arguments.all(.configuration) {
      // Byte by byte: with a combining mark behind it, an equals sign is another character to Swift.
      let sides = setting.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false).map {
        String($0) ?? ""
      }
      let names = sides[0].utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { String($0) ?? "" }
      guard sides.count == 2, names.count == 2, !names[0].isEmpty, !names[1].isEmpty else {
        throw CommandFailure(.usage, "\"\(setting)\" is not ID:KEY=VALUE, such as org.example.grep:pattern=^a")
      }
      configuration[names[0], default: [:]][names[1]] = sides[1]
    }
    return configuration
  }

  /// How long a plugin may take in a process of its own, if the options say so.
  private static func probeDeadline(_ arguments: ParsedArguments) throws -> Duration? {
    guard let text = arguments.one(.probeDeadline) else { return nil }
    // A day is as good as no deadline, and what is longer may be too much for a clock.
    guard let seconds = Double(text), seconds > 0, seconds <= 86_400 else {
      throw CommandFailure(
        .usage, "--probe-deadline \"\(text)\" is no number of seconds above 0 and up to 86400, such as 2 or 0.5")
    }
    return .seconds(seconds)
  }

  private static func log(_ arguments: ParsedArguments) throws -> Log {
    guard let name = arguments.one(.log) else { return log(from: .warning) }
    guard let level = LogLevel.allCases.first(where: { "\($0)" == name }) else {
      let names = LogLevel.allCases.map { "\($0)" }.joined(separator: ", ")
      throw CommandFailure(.usage, "there is no log level \"\(name)\"; it is one of \(names)")
    }
    return log(from: level)
  }

  private static func log(from level: LogLevel) -> Log {
    Log(from: level) { Terminal.complain("\($0.level): \($0)") }
  }
}

extension CommandFailure {
  /// The end of a command for which a plugin cannot be used.
  init(_ fault: PluginFault) {
    let status: ExitStatus =
      switch fault.code {
      case .untrusted, .unpinned: .notPermitted
      case .unreadable: .noInput
      case .notALibrary, .wrongMachine, .invalidManifest, .incompatibleABI, .incompatibleCompiler, .ownCopy,
        .duplicateIdentifier:
        .badData
      case .unmetRequirement, .missingLibrary, .missingSymbol, .notLoadable, .noEntry, .refused, .crashed, .exited, .timedOut,
        .meddled, .notProbed, .unknown, .inUse, .busy, .changed:
        .unavailable
      }
    self.init(status, "\(fault)")
  }

  /// The end of a command for which a file of pins cannot be used.
  init(_ error: PinsError) {
    let status: ExitStatus =
      switch error.code {
      case .untrusted: .notPermitted
      case .unreadable: .noInput
      case .unwritable: .inputOutput
      case .malformed: .badData
      }
    self.init(status, "\(error)")
  }

  /// The end of a command that needed an instance which could not be made.
  init(_ failure: ResolutionFailure) {
    let status: ExitStatus =
      switch failure.cause {
      case let error as CallError:
        switch error.code {
        case .argumentCount: .usage
        case .argumentType, .argumentRange: .badData
        // Whatever else there is to say against a call, what it was given was right.
        default: .unavailable
        }
      case let error as ArgumentError: error.isCount ? .usage : .badData
      default: .unavailable
      }
    self.init(status, "\(failure)")
  }
}
