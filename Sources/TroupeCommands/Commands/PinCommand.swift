internal import FoundationEssentials
internal import TroupeHost
internal import TroupeTools

/// `troupe pin`: the allowed hashes of plugins.
enum PinCommand: Command {
  private static let add = Option("add", "Keep existing pins, which are replaced by default.")
  private static let remove = Option("remove", "Remove the pins of the plugins.")
  private static let dryRun = Option("dry-run", "Do not write the file.")
  private static let file = Option(
    "pins", value: "FILE",
    "Write FILE. Default: ~/.config/troupe/pins.", details: "TROUPE_PINS and XDG_CONFIG_HOME change the default.")

  static let spec = CommandSpec(
    "pin", "Pin plugins: hosts with these pins load no other content.",
    operands: "[ID|FILE …]",
    operandCount: 0...Int.max,
    examples: [
      "troupe pin org.example.geometry", "troupe pin --plugins plugins --pins allowed.pins",
      "troupe pin plugins/geometry.so --dry-run",
    ],
    options: [file, add, remove, dryRun, .plugins, .maximumFileSize, .json],
    details: [
      "Replaces the pins of the named plugins, or of all admitted ones, by the hashes of their present files, and prints the pins. Other lines of the file, such as comments, stay. No plugin code runs.",
      PluginOperand.help,
      "A pin is a line with the SHA-256 of a file and the id of the plugin. A plugin that adopts a library has two pins, one for each file. Libraries that a plugin links are not pinned.",
      "Other commands read the pins only with --pins FILE or TROUPE_PINS. They then reject a plugin without a pin, and one whose file has changed.",
      "JSON: an array of {plugin, hash, file}; file is null for a removed pin.",
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
      try Terminal.writeJSON(reports)
    } else {
      // The output is a valid file of pins.
      let what = arguments.has(remove) ? "removed from" : "written to"
      let written =
        "# \(reports.count) pin\(reports.count == 1 ? "" : "s") \(arguments.has(dryRun) ? "to be " : "")\(what) \(path)"
      let end = arguments.has(remove) ? written : written + ", used with --pins FILE or TROUPE_PINS=FILE"
      try Terminal.write((reports.map { "\($0.hash) \($0.plugin)" } + [end.onOneLine]).joined(separator: "\n") + "\n")
    }
    return .success
  }

  private static func path(_ arguments: ParsedArguments) throws -> String {
    if let path = try HostArguments.pinsFile(arguments) { return path }
    guard let directory = UserDirectories.configuration else {
      throw Diagnosis(
        .usage, problem: "no directory for the pins: \(UserDirectories.absence(of: "XDG_CONFIG_HOME"))",
        remedy: "name a file with --pins FILE")
    }
    return directory + "/pins"
  }

  private static func change<Result>(
    _ path: String, _ arguments: ParsedArguments, _ body: (inout PinsFile) throws -> Result
  ) throws -> Result {
    try PinsFile.change(path, isWritten: !arguments.has(dryRun), body)
  }

  private static func pin(_ path: String, _ arguments: ParsedArguments) throws -> [Report] {
    var reports: [Report] = []
    var entries: [Pins.Entry] = []
    for plugin in try plugins(arguments) {
      let pins = try plugin.pins()
      entries += pins
      reports += zip(pins, plugin.files).map { Report(plugin: $0.plugin, hash: "\($0.hash)", file: $1) }
    }
    try change(path, arguments) { $0.pin(entries, keepsOthers: arguments.has(add)) }
    return reports
  }

  /// Returns the named plugins, or all admitted ones.
  private static func plugins(_ arguments: ParsedArguments) throws -> [Plugin] {
    guard !arguments.operands.isEmpty else {
      let plugins = try HostArguments.hostWithoutPins(arguments).discover().filter { $0.state.diagnosis == nil }
      if plugins.isEmpty {
        throw Diagnosis(
          .unavailable, problem: "no admitted plugins to pin", remedy: "\(arguments.command("list")) shows the reasons")
      }
      return plugins
    }
    var known: Set<String> = []
    return try arguments.operands.map { try plugin($0, arguments) }.filter { known.insert($0.path).inserted }
  }

  private static func plugin(_ name: String, _ arguments: ParsedArguments) throws -> Plugin {
    let isFile = PluginOperand.isFile(name)
    func find(pins: Pins?) throws -> (plugin: Plugin, diagnosis: Diagnosis?) {
      let found = try HostArguments.hostWithoutPins(files: isFile ? [name] : nil, pins: pins, arguments).discover()
      let plugins = isFile ? found : found.filter { $0.manifest?.id == name }
      guard let plugin = plugins.first(where: { $0.state.diagnosis == nil }) ?? plugins.first else {
        throw arguments.search.unknown(name, among: found)
      }
      return (plugin, plugin.state.diagnosis)
    }
    var (plugin, diagnosis) = try find(pins: nil)
    // A host with pins accepts owners that a user namespace hides. All contents lack a pin here.
    if diagnosis?.code == .untrusted, case let (found, cause) = try find(pins: Pins([])), cause?.code == .unpinned {
      (plugin, diagnosis) = (found, nil)
    }
    // A missing requirement is no fault of the content.
    if let diagnosis, diagnosis.code != .unmetRequirement { throw diagnosis }
    return plugin
  }

  private static func unpin(_ path: String, _ arguments: ParsedArguments) throws -> [Report] {
    guard !arguments.operands.isEmpty else {
      throw Diagnosis(.usage, "--remove", problem: "missing plugin", remedy: "give ids or files")
    }
    if arguments.has(add) {
      throw Diagnosis(.usage, problem: "--add and --remove exclude each other", remedy: "give one of them")
    }
    // The file of an id need not exist.
    let ids = try arguments.operands.map { try PluginOperand.isFile($0) ? plugin($0, arguments).manifest?.id ?? $0 : $0 }
    return try change(path, arguments) { file in
      var removed: [Report] = []
      var known: Set<String> = []
      for id in ids where known.insert(id).inserted {
        let entries = file.remove(id)
        guard !entries.isEmpty else {
          throw Diagnosis(
            .unavailable, path, problem: "no pin of \"\(id.shortened())\", so none was removed",
            remedy: "name a plugin that the file lists")
        }
        removed += entries.map { Report(plugin: $0.plugin, hash: "\($0.hash)", file: nil) }
      }
      return removed
    }
  }
}
