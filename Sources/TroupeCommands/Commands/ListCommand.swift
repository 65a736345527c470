internal import TroupeHost

/// `troupe list`: the found plugins. Runs no plugin code.
enum ListCommand: Command {
  static let syntax = Syntax(
    "list", "List the found plugins without running their code.",
    options: Setup.discovery + [.json],
    details: [
      "A plugin is admitted and may be loaded, or rejected with the reason. Commands that load plugins report faults that appear only when code runs, such as a UUID of another plugin; list shows these faults afterwards, until the file changes. JSON: an array of {id, name, version, language, abi, path, library, requires, provides, state, reason, backtrace, refused}."
    ])

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let plugins = try Setup.host(arguments).discover()
    if arguments.has(.json) {
      try JSON.write(plugins.map(PluginReport.init))
    } else if plugins.isEmpty {
      Terminal.complain(try Setup.noPlugins(arguments))
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
        manifest?.id ?? "-", manifest?.version.description ?? "-", manifest?.language ?? "-",
        plugin.previousRejection == nil ? plugin.state.name : "rejected", manifest?.name ?? "-", plugin.path,
        note: plugin.state.fault?.reason ?? plugin.previousRejection.map { "\($0.reason) (when it was last tried)" })
    }
    return table
  }
}
