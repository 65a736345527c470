internal import TroupeHost

/// `troupe list`: the found plugins. Runs no plugin code.
enum ListCommand: Command {
  static let spec = CommandSpec(
    "list", "List plugins without running their code.",
    examples: ["troupe list", "troupe list --plugins plugins", "troupe list --json"],
    options: HostArguments.discovery + [.isolate, .json],
    details: [
      "A plugin is admitted and may be loaded, or rejected with the reason.",
      "Some faults appear only when code runs, such as a UUID of another plugin. The list shows such a fault after a command has found it, until the file changes.",
      "With --isolate, the states are those of a host that runs the plugins in workers, where quarantine does not apply.",
      "A note names refused registrations, and a plugin that registers nothing, as far as the file or an earlier load shows it.",
      "JSON: an array of {id, name, version, description, language, abi, interface, compiler, path, library, requires, provides, state, code, reason, backtrace, refused, warnings}.",
    ])

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let host = try HostArguments.host(arguments)
    try HostArguments.checkConfiguredIDs(host, arguments)
    host.recallProbes()
    let plugins = host.plugins
    if arguments.has(.json) {
      try Terminal.writeJSON(plugins.map(PluginReport.init))
    } else if plugins.isEmpty {
      Terminal.printMessage(try HostArguments.noPlugins(arguments))
    } else {
      try Terminal.write(table(plugins, arguments).text(color: Terminal.hasColor))
    }
    return .success
  }

  private static func table(_ plugins: [Plugin], _ arguments: ParsedArguments) -> Table {
    var table = Table("ID", "VERSION", "LANGUAGE", "STATE", "NAME", "PATH")
    for plugin in plugins {
      let manifest = plugin.manifest
      table.add(
        manifest?.id ?? "-", manifest?.version.description ?? "-", manifest?.language ?? "-",
        plugin.previousRejection == nil ? plugin.state.name : "rejected", manifest?.name ?? "-", plugin.path,
        note: plugin.state.diagnosis?.reason ?? plugin.previousRejection.map { "\($0.reason) (when it was last tried)" }
          ?? registrations(plugin, arguments))
    }
    return table
  }

  /// A note about the registrations, as far as they are known; nil if all is well.
  private static func registrations(_ plugin: Plugin, _ arguments: ParsedArguments) -> String? {
    guard let count = plugin.registrationCount else { return nil }
    let refused = plugin.refusals.count
    if refused > 0 {
      let command = arguments.command("inspect \(plugin.manifest?.id ?? plugin.path)")
      return "\(refused) of \(count + refused) registrations are refused; \(command) shows the reasons"
    }
    if count == 0 { return "registers nothing" }
    return plugin.warnings.isEmpty ? nil : "warning: " + plugin.warnings.joined(separator: "; ")
  }
}
