internal import FoundationEssentials
internal import TroupeHost

/// `troupe pin`: what plugins may contain.
enum PinCommand: Command {
  private static let add = Option("add", "Keep what is pinned for the plugins, so that several contents are allowed.")
  private static let remove = Option("remove", "Take the plugins' pins out of the file instead.")
  private static let dryRun = Option("dry-run", "Write nothing.")
  private static let file = Option(
    "pins", value: "FILE",
    "Write FILE. Default: TROUPE_PINS, else $XDG_CONFIG_HOME/troupe/pins or ~/.config/troupe/pins.")

  static let syntax = Syntax(
    "pin", "Pin the content of plugins, so that hosts with these pins load nothing else.", operands: "[ID|FILE …]",
    operandCount: 0...Int.max, options: [.plugins, file, add, remove, dryRun, .json],
    details: [
      "Pins the plugins that are named, or all that are admitted, as their files are now, in place of what was pinned for them, and prints the pins. Other lines of the file, comments among them, stay. No code of a plugin runs. \(PluginOperand.help)",
      "A pin is a line with the SHA-256 of a file and the plugin's id. A plugin that adopts a library has one for each of its two files. What a library needs in turn is not pinned.",
      "Other commands heed pins with --pins FILE or where TROUPE_PINS names the file, and not otherwise: they reject a plugin without a pin, and one whose file has changed. JSON: an array of {plugin, hash, file}, where the file is null for pins that were removed.",
    ])

  private struct Report: Encodable {
    let plugin, hash: String
    let file: String?

    func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: Member.self)
      try members.encode(plugin, forKey: .plugin)
      try members.encode(hash, forKey: .hash)
      try members.encode(file, forKey: .file)
    }

    private enum Member: CodingKey { case plugin, hash, file }
  }

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let path = try path(arguments)
    let reports = try arguments.has(remove) ? unpin(path, arguments) : pin(path, arguments)
    if arguments.has(.json) {
      try JSON.write(reports)
    } else {
      // What was pinned can be used as a file of pins itself.
      let what = arguments.has(remove) ? "removed from" : "written to"
      let written =
        "# \(reports.count) pin\(reports.count == 1 ? "" : "s") \(arguments.has(dryRun) ? "to be " : "")\(what) \(path)"
      let end = arguments.has(remove) ? written : written + ", heeded with --pins FILE or TROUPE_PINS=FILE"
      try Terminal.write((reports.map { "\($0.hash) \($0.plugin)" } + [end.onOneLine]).joined(separator: "\n") + "\n")
    }
    return .success
  }

  private static func path(_ arguments: ParsedArguments) throws -> String {
    if let path = try Setup.pinsFile(arguments) { return path }
    guard let folder = UserDirectories.configuration else {
      throw CommandFailure(.usage, "there is no home directory for the pins; name a file with --pins FILE")
    }
    return folder + "/pins"
  }

  private static func change<Result>(
    _ path: String, _ arguments: ParsedArguments, _ body: (inout PinsFile) throws -> Result
  ) throws -> Result {
    do {
      return try PinsFile.change(path, isWritten: !arguments.has(dryRun), body)
    } catch let error as PinsError {
      throw CommandFailure(error)
    }
  }

  private static func pin(_ path: String, _ arguments: ParsedArguments) throws -> [Report] {
    var reports: [Report] = []
    var entries: [Pins.Entry] = []
    for plugin in try plugins(arguments) {
      do {
        let pins = try plugin.pins()
        entries += pins
        reports += zip(pins, plugin.files).map { Report(plugin: $0.plugin, hash: "\($0.hash)", file: $1) }
      } catch {
        throw CommandFailure(error)
      }
    }
    try change(path, arguments) { $0.pin(entries, keepsOthers: arguments.has(add)) }
    return reports
  }

  /// The plugins that are named, or all that are admitted.
  private static func plugins(_ arguments: ParsedArguments) throws -> [Plugin] {
    guard !arguments.operands.isEmpty else {
      let plugins = try Setup.hostWithoutPins(arguments).discover().filter { $0.state.fault == nil }
      if plugins.isEmpty {
        throw CommandFailure(.unavailable, "there are no plugins to pin; troupe list shows those that there are, and why not")
      }
      return plugins
    }
    var known: Set<String> = []
    return try arguments.operands.map { try plugin($0, arguments) }.filter { known.insert($0.path).inserted }
  }

  private static func plugin(_ name: String, _ arguments: ParsedArguments) throws -> Plugin {
    let plugins =
      PluginOperand.isFile(name)
      ? try Setup.hostWithoutPins(files: [name], arguments).discover()
      : try Setup.hostWithoutPins(arguments).discover().filter { $0.manifest?.id == name }
    guard let plugin = plugins.first(where: { $0.state.fault == nil }) ?? plugins.first else {
      throw PluginOperand.unknown(name)
    }
    // That something else is missing that the plugin needs is nothing against its content.
    if let fault = plugin.state.fault, fault.code != .unmetRequirement { throw CommandFailure(fault) }
    return plugin
  }

  private static func unpin(_ path: String, _ arguments: ParsedArguments) throws -> [Report] {
    guard !arguments.operands.isEmpty else { throw CommandFailure(.usage, "--remove needs the ids of plugins, or their files") }
    if arguments.has(add) { throw CommandFailure(.usage, "--add and --remove cannot be given together") }
    // A plugin that is gone can be unpinned by its id.
    let ids = try arguments.operands.map { try PluginOperand.isFile($0) ? plugin($0, arguments).manifest?.id ?? $0 : $0 }
    return try change(path, arguments) { file in
      var removed: [Report] = []
      var known: Set<String> = []
      for id in ids where known.insert(id).inserted {
        let entries = file.remove(id)
        guard !entries.isEmpty else {
          throw CommandFailure(.unavailable, "\(path): there is no pin of \"\(id)\"; nothing was removed")
        }
        removed += entries.map { Report(plugin: $0.plugin, hash: "\($0.hash)", file: nil) }
      }
      return removed
    }
  }
}
