internal import TroupeHost

/// `troupe graph` draws plugins, their registrations and their requirements, or the graph of a program's container.
enum GraphCommand: Command {
  private static let format = Option(
    "format", value: "FORMAT", choices: Format.allCases.map(\.rawValue),
    "Write dot (default), mermaid or json.")
  private static let container = Option(
    "container", value: "FILE",
    "Draw a program's container in place of the plugins. FILE has the text of container.graph().json; - is standard input.")

  static let spec = CommandSpec(
    "graph", "Draw plugins, their registrations and their requirements.",
    examples: [
      "troupe graph > plugins.dot", "troupe graph --json", "troupe graph --container container.json --format mermaid",
    ],
    options: [format, container] + HostArguments.loading + [.json],
    details: [
      "Each plugin is a frame around its registrations. Edges lead to required plugins and contracts, and from contracts to their providers. Rejected plugins appear with the reason, and missing requirements as nodes.",
      "With --container the command reads what a program has written with container.graph().json, and needs no plugins. It draws the registrations and their dependencies; --json checks FILE and prints it.",
      "The command probes new plugins as troupe inspect does. With Graphviz: troupe graph | dot -Tsvg > plugins.svg.",
      "JSON: {plugins: [{id, …, factories: [{uuid, name, …}]}], requirements: [{plugin, requires, kind, met, by}]}, with the members of troupe list and troupe inspect. A plugin without an id has its path as name.",
    ])

  private enum Format: String, CaseIterable {
    case dot, mermaid, json
  }

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let format = try wanted(arguments)
    if let path = arguments.one(container) {
      let graph = try ContainerGraph(contentsOf: path)
      switch format {
      case .dot: try Terminal.write(graph.drawing.dot)
      case .mermaid: try Terminal.write(graph.drawing.mermaid)
      case .json: try Terminal.write(graph.json)
      }
      return .success
    }
    let host = try HostArguments.host(arguments)
    try HostArguments.checkConfiguration(host)
    try HostArguments.checkConfiguredIDs(host, arguments)
    // Not activated: activation may need other plugins and adds no registration.
    try host.load()
    let graph = PluginGraph(host.plugins, host.registrations)
    if host.plugins.isEmpty { Terminal.printMessage(try HostArguments.noPlugins(arguments)) }
    switch format {
    case .dot: try Terminal.write(graph.drawing.dot)
    case .mermaid: try Terminal.write(graph.drawing.mermaid)
    case .json: try Terminal.writeJSON(graph)
    }
    host.shutdown()
    return .success
  }

  private static func wanted(_ arguments: ParsedArguments) throws -> Format {
    guard let format = arguments.one(format).flatMap(Format.init) else { return arguments.has(.json) ? .json : .dot }
    if arguments.has(.json), format != .json {
      throw Diagnosis(.usage, problem: "--json and --format \(format) exclude each other", remedy: "give one of them")
    }
    return format
  }
}
