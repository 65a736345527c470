internal import FoundationEssentials
internal import TroupeHost
internal import TroupeTools

/// `troupe inspect`: the manifest and the registrations of a plugin.
enum InspectCommand: Command {
  static let spec = CommandSpec(
    "inspect", "Show the manifest and the registrations of a plugin.", operands: "ID|FILE", operandCount: 1...1,
    examples: [
      "troupe inspect org.example.geometry", "troupe inspect plugins/geometry.so", "troupe inspect org.example.geometry --json",
    ],
    options: HostArguments.loading + [.json],
    details: [
      PluginOperand.help,
      "New content is loaded once in a child process, the probe, and its registrations are cached. For a rejected plugin the command prints the known facts and the reason, and fails.",
      "JSON: {plugin: {id, …}, settings: [{key, type, default, minimum, maximum, choices, description}], constants: {NAME: VALUE}, factories: [{uuid, name, contract, tags, signature, lifetime, description, parameters: {NAME: TEXT}, examples: [{arguments, result}], metadata}]}.",
    ])

  private struct Report: Encodable {
    let plugin: PluginReport
    let settings: [SettingReport]
    let constants: [String: Constant]
    let factories: [RegistrationReport]
  }

  private struct Constant: Encodable {
    let value: Manifest.Constant

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch value {
      case .integer(let integer):
        if let narrow = Int64(exactly: integer) {
          try container.encode(narrow)
        } else {
          try container.encode(UInt64(clamping: integer))
        }
      case .text(let text): try container.encode(text)
      }
    }
  }

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let (host, found) = try find(arguments.operands[0], arguments)
    try HostArguments.checkConfiguredIDs(host, arguments)
    // Not activated: activation may need other plugins and adds no registration.
    try host.load { $0.path == found.path }
    guard let plugin = host.plugins.first(where: { $0.path == found.path }) else { return .software }
    // Without the registrations of required plugins.
    let registrations = host.registrations.filter { $0.plugin == plugin.manifest?.id }
    if arguments.has(.json) {
      try Terminal.writeJSON(
        Report(
          plugin: PluginReport(plugin), settings: (plugin.manifest?.settings ?? []).map(SettingReport.init),
          constants: (plugin.manifest?.constants ?? [:]).mapValues(Constant.init),
          factories: registrations.map(RegistrationReport.init)))
    } else if plugin.state.diagnosis == nil || plugin.manifest != nil {
      try Terminal.write(text(plugin, registrations))
    }
    // For a rejected plugin the fault follows the known facts.
    if let diagnosis = plugin.state.diagnosis { throw diagnosis }
    host.shutdown()
    return .success
  }

  /// Returns the plugin with an id or a path, and the host that found it.
  private static func find(_ name: String, _ arguments: ParsedArguments) throws -> (PluginHost, Plugin) {
    if PluginOperand.isFile(name) {
      let host = try HostArguments.host(files: [name], arguments)
      if let plugin = host.discover().first, plugin.manifest?.requires.isEmpty ?? true { return (host, plugin) }
      // Required plugins are in the plugin directories.
      let others = try HostArguments.host(arguments).discover().map(\.path)
      let wide = try HostArguments.host(files: [name] + others, arguments)
      if let plugin = wide.discover().first { return (wide, plugin) }
    }
    let host = try HostArguments.host(arguments)
    let plugins = host.discover().filter { $0.manifest?.id == name }
    // Of several with one id, the admitted one.
    guard let plugin = plugins.first(where: { $0.state.diagnosis == nil }) ?? plugins.first else {
      // One of the files whose ids are unknown may be the plugin.
      for plugin in host.plugins where plugin.manifest == nil {
        if let diagnosis = plugin.state.diagnosis { Terminal.printMessage("\(diagnosis)") }
      }
      throw arguments.search.unknown(name, among: host.plugins)
    }
    return (host, plugin)
  }

  private static func text(_ plugin: Plugin, _ registrations: [RegistrationDescription]) -> String {
    let manifest = plugin.manifest
    var facts = [("id", manifest?.id), ("name", manifest?.name)]
    if let description = manifest?.description, !description.isEmpty { facts.append(("about", description)) }
    facts += [
      ("version", manifest?.version.description), ("language", manifest?.language), ("abi", manifest?.abi.description),
    ]
    if let interface = manifest?.interface { facts.append(("interface", interface)) }
    if let compiler = manifest?.compiler { facts.append(("compiler", "Swift \(compiler)")) }
    facts.append(("path", plugin.path))
    if let library = plugin.library { facts.append(("library", library)) }
    if let requires = manifest?.requires, !requires.isEmpty {
      facts.append(("requires", requires.map(\.description).joined(separator: ", ")))
    }
    if let provides = manifest?.provides, !provides.isEmpty {
      facts.append(("provides", provides.joined(separator: ", ")))
    }
    facts.append(("state", plugin.state.name))
    if let diagnosis = plugin.state.diagnosis {
      facts.append(("reason", diagnosis.problem))
      if !diagnosis.remedy.isEmpty { facts.append(("remedy", diagnosis.remedy)) }
      // The innermost call first.
      facts += diagnosis.backtrace.enumerated().map { ($0 == 0 ? "backtrace" : "", $1) }
    }
    facts += plugin.refusals.map { ("refused", "\($0)") }
    facts += plugin.warnings.map { ("warning", $0) }
    if plugin.state.diagnosis == nil, registrations.isEmpty { facts.append(("registers", "nothing")) }
    var lines = facts.map { $0.padding(to: 10) + ($1 ?? "-").onOneLine }
    for setting in manifest?.settings ?? [] {
      let text = "\(setting.expectation), by default \(setting.defaultValue.isEmpty ? "empty" : setting.defaultValue)"
      lines += ["", "setting \(setting.key)", "  " + text.onOneLine]
      if !setting.description.isEmpty { lines.append("  " + setting.description.onOneLine) }
    }
    if let constants = manifest?.constants, !constants.isEmpty {
      lines += ["", "constants"]
      for (name, constant) in constants.sorted(by: { $0.key < $1.key }) {
        let value =
          switch constant {
          case .integer(let integer): "\(integer)";
          case .text(let text): text.quoted()
          }
        lines.append("  \(name) = \(value)".onOneLine)
      }
    }
    for registration in registrations { lines += ["", registration.name.onOneLine] + Self.lines(registration) }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func lines(_ registration: RegistrationDescription) -> [String] {
    let documentation = registration.documentation
    let metadata = registration.metadata.filter { !Documentation.isDocumentation(key: $0.key) }
      .sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: ", ")
    var facts = documentation.description.split(whereSeparator: \.isNewline).enumerated().map { index, line in
      (index == 0 ? "about" : "", String(line))
    }
    facts += [
      ("uuid", registration.uuid?.uuidString.lowercased() ?? ""), ("contract", registration.contract ?? ""),
      ("tags", registration.tags.joined(separator: ", ")), ("signature", registration.signature),
      ("lifetime", registration.contract == nil && registration.isFunction ? "" : "\(registration.lifetime)"),
    ]
    // In the order of the signature; parameters in Swift have no names.
    let names = registration.function?.parameters.compactMap(\.name) ?? []
    let others = documentation.parameters.keys.filter { !names.contains($0) }.sorted()
    facts += (names + others).compactMap { name in documentation.parameters[name].map { ("parameter", "\(name): \($0)") } }
    facts += documentation.examples.map { ("example", "(\($0.arguments)) = \($0.result)") }
    facts.append(("metadata", metadata))
    return facts.filter { !$1.isEmpty }.map { "  " + $0.padding(to: 10) + $1.onOneLine }
  }
}
