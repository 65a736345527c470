internal import TroupeHost

/// `troupe graph`: plugins, what they register, and what depends on what.
enum GraphCommand: Command {
  private static let format = Option(
    "format", value: "FORMAT", "Write dot (default), mermaid or json. --json is --format json.")

  static let syntax = Syntax(
    "graph", "Draw the plugins, what they register, and what depends on what.",
    options: [format] + Setup.loading + [.json],
    details: [
      "A frame for each plugin with everything that it registers, and lines to what it requires: plugins and contracts, with those that provide them. A plugin that cannot be used is there with the reason, and so is what is missing. What plugins register is found out as by troupe inspect.",
      "To see the picture, with Graphviz: troupe graph | dot -Tsvg > plugins.svg. The same as text for a page in Markdown: --format mermaid.",
      "JSON: {plugins: [{id, …, factories: [{uuid, name, …}]}], requirements: [{plugin, requires, kind, met, by}]}, with the members of troupe list and troupe inspect; a plugin without an id is named by its path.",
    ])

  private enum Format: String, CaseIterable {
    case dot, mermaid, json
  }

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let format = try wanted(arguments)
    let host = try Setup.host(arguments)
    // Not activated: that may need what other plugins offer, and shows nothing more.
    host.load()
    let graph = PluginGraph(host.plugins, host.registrations)
    if host.plugins.isEmpty { Terminal.complain("no plugins found; name a directory with --plugins or TROUPE_PLUGIN_PATH") }
    switch format {
    case .dot: try Terminal.write(graph.drawing.dot)
    case .mermaid: try Terminal.write(graph.drawing.mermaid)
    case .json: try JSON.write(graph)
    }
    host.shutdown()
    return .success
  }

  private static func wanted(_ arguments: ParsedArguments) throws -> Format {
    guard let name = arguments.one(format) else { return arguments.has(.json) ? .json : .dot }
    guard let format = Format(rawValue: name) else {
      let names = Format.allCases.map(\.rawValue).joined(separator: ", ")
      throw CommandFailure(.usage, "there is no format \"\(name)\"; it is one of \(names)")
    }
    if arguments.has(.json), format != .json {
      throw CommandFailure(.usage, "--json and --format \(name) ask for two formats; give one of them")
    }
    return format
  }
}
