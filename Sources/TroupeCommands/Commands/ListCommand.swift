internal import TroupeHost

/// `troupe list`: the plugins that are found, without running any of them.
enum ListCommand: Command {
  static let syntax = Syntax(
    "list", "List every plugin that is found, without running any of its code.",
    options: Setup.discovery + [.json],
    details: [
      "A plugin is admitted, which means that it may be loaded, or rejected, with the reason. What only shows when its code runs, such as a UUID that another plugin has, is reported by the commands that load. JSON: an array of {id, name, version, language, abi, path, library, requires, provides, state, reason, backtrace}."
    ])

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let plugins = try Setup.host(arguments).discover()
    if arguments.has(.json) {
      try JSON.write(plugins.map(PluginReport.init))
    } else if plugins.isEmpty {
      Terminal.complain("no plugins found; name a directory with --plugins or TROUPE_PLUGIN_PATH")
    } else {
      try Terminal.write(table(plugins).text(color: Terminal.hasColor))
    }
    return .success
  }

  private static func table(_ plugins: [Plugin]) -> Table {
    var table = Table("ID", "VERSION", "LANGUAGE", "STATE", "NAME", "PATH")
    for plugin in plugins {
      let manifest = plugin.manifest
      table.add(
        manifest?.id ?? "-", manifest?.version.description ?? "-", manifest?.language ?? "-", plugin.state.name,
        manifest?.name ?? "-", plugin.path, note: plugin.state.fault?.reason)
    }
    return table
  }
}
