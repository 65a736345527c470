internal import FoundationEssentials
internal import TroupeHost

/// `troupe inspect`: one plugin's manifest and everything it registers.
enum InspectCommand: Command {
  static let syntax = Syntax(
    "inspect", "Show one plugin's manifest and everything that it registers.", operands: "ID|FILE", operandCount: 1...1,
    options: Setup.loading + [.json],
    details: [
      PluginOperand.help,
      "What the plugin registers is found out once for each content of its file, by loading it in a process of its own, and remembered. Of a plugin that cannot be used everything that is known is shown, and the exit status says that it cannot. JSON: {plugin: {id, …}, factories: [{uuid, name, contract, tags, signature, lifetime, metadata}]}.",
    ])

  private struct Report: Encodable {
    let plugin: PluginReport
    let factories: [FactoryReport]
  }

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let (host, found) = try find(arguments.operands[0], arguments)
    // Not activated: that may need what other plugins offer, and shows nothing more.
    host.load { $0.path == found.path }
    guard let plugin = host.plugins.first(where: { $0.path == found.path }) else { return .software }
    // Those of the plugins that it needs are not asked for.
    let registrations = host.registrations.filter { $0.plugin == plugin.manifest?.id }
    if arguments.has(.json) {
      try JSON.write(Report(plugin: PluginReport(plugin), factories: registrations.map(FactoryReport.init)))
    } else if plugin.state.fault == nil || plugin.manifest != nil {
      try Terminal.write(text(plugin, registrations))
    }
    // Of a plugin that cannot be used what is known has been shown; if nobody knows more than the fault, that alone.
    if let fault = plugin.state.fault { throw CommandFailure(fault) }
    host.shutdown()
    return .success
  }

  /// The plugin that an id or a path names, with the host that has found it.
  private static func find(_ name: String, _ arguments: ParsedArguments) throws -> (PluginHost, Plugin) {
    if PluginOperand.isFile(name) {
      let host = try Setup.host(files: [name], arguments)
      if let plugin = host.discover().first, plugin.manifest?.requires.isEmpty ?? true { return (host, plugin) }
      // What it needs is where the other plugins are.
      let others = try Setup.host(arguments).discover().map(\.path)
      let wide = try Setup.host(files: [name] + others, arguments)
      if let plugin = wide.discover().first { return (wide, plugin) }
    }
    let host = try Setup.host(arguments)
    let plugins = host.discover().filter { $0.manifest?.id == name }
    // Of several with the same id the admitted one is meant.
    guard let plugin = plugins.first(where: { $0.state.fault == nil }) ?? plugins.first else {
      throw PluginOperand.unknown(name)
    }
    return (host, plugin)
  }

  private static func text(_ plugin: Plugin, _ registrations: [Registration]) -> String {
    let manifest = plugin.manifest
    var facts = [
      ("id", manifest?.id), ("name", manifest?.name), ("version", manifest?.version.description),
      ("language", manifest?.language), ("abi", manifest?.abi.description), ("path", plugin.path),
    ]
    if let library = plugin.library { facts.append(("library", library)) }
    if let requires = manifest?.requires, !requires.isEmpty {
      facts.append(("requires", requires.map(\.description).joined(separator: ", ")))
    }
    if let provides = manifest?.provides, !provides.isEmpty {
      facts.append(("provides", provides.joined(separator: ", ")))
    }
    facts.append(("state", plugin.state.name))
    if let fault = plugin.state.fault {
      facts += [("reason", fault.problem), ("remedy", fault.remedy)]
      // The calls below each other, the innermost first.
      facts += fault.backtrace.enumerated().map { ($0 == 0 ? "backtrace" : "", $1) }
    }
    var lines = facts.map { $0.padding(to: 10) + ($1 ?? "-").onOneLine }
    for registration in registrations {
      lines += ["", registration.name.onOneLine]
      let metadata = registration.metadata.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: ", ")
      let facts = [
        ("uuid", registration.uuid?.uuidString.lowercased() ?? ""), ("contract", registration.contract ?? ""),
        ("tags", registration.tags.joined(separator: ", ")), ("signature", registration.signature),
        ("lifetime", registration.contract == nil && registration.isFunction ? "" : "\(registration.lifetime)"),
        ("metadata", metadata),
      ]
      lines += facts.filter { !$1.isEmpty }.map { "  " + $0.padding(to: 10) + $1.onOneLine }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
