internal import TroupeHost

/// `troupe resolve`: a tagged array.
enum ResolveCommand: Command {
  static let syntax = Syntax(
    "resolve", "Load the plugins, resolve what carries the tags as an array, and show what came.",
    operands: "--tag TAG …",
    options: [.tag, .contract, .argument] + Setup.loading + [.json],
    details: [
      "What carries the tags is resolved in the order of registration; if one fails, all fail. A plain C function is shown by its signature, or, with --arg, by what it returns. JSON: an array of {plugin, uuid, name, contract, tags, instance}."
    ])

  static func run(_ arguments: ParsedArguments) async throws -> ExitStatus {
    let tags = arguments.all(.tag)
    guard !tags.isEmpty || arguments.has(.contract) else {
      throw CommandFailure(.usage, "--tag TAG or --contract NAME is missing; see troupe resolve --help")
    }
    let host = try Setup.host(arguments)
    try await Setup.start(host, arguments)
    let instances = try resolve(host, tags: tags, contract: arguments.one(.contract), arguments)
    if arguments.has(.json) {
      try JSON.write(instances.map(InstanceReport.init))
    } else {
      try Terminal.write(table(instances).text(color: Terminal.hasColor))
    }
    host.shutdown()
    return .success
  }

  /// Resolves, and makes nothing found and everything that fails the end of the command.
  static func resolve(
    _ host: PluginHost, tags: [String], contract: String?, _ arguments: ParsedArguments
  ) throws -> [ResolvedInstance] {
    do {
      let instances = try host.resolve(tags: tags, contract: contract, arguments: .text(arguments.all(.argument)))
      guard instances.isEmpty else { return instances }
      let list = tags.map { "\"\($0)\"" }.joined(separator: ", ")
      let kind = contract.map { " of the contract \($0)" } ?? ""
      guard !tags.isEmpty else { throw CommandFailure(.unavailable, "nothing\(kind) is registered") }
      let candidates = host.registrations.filter { contract == nil || $0.contract == contract }
      let known = Set(candidates.flatMap(\.tags)).sorted().joined(separator: ", ")
      throw CommandFailure(
        .unavailable,
        "nothing\(kind) carries the tag\(tags.count == 1 ? "" : "s") \(list); known tags: \(known.isEmpty ? "none" : known)")
    } catch let failure as ResolutionFailure {
      throw CommandFailure(failure)
    }
  }

  private static func table(_ instances: [ResolvedInstance]) -> Table {
    var table = Table("PLUGIN", "NAME", "CONTRACT", "TAGS", "INSTANCE")
    for instance in instances {
      let registration = instance.registration
      table.add(
        registration.plugin, registration.name, registration.contract ?? "-", registration.tags.joined(separator: ", "),
        InstanceReport(instance).instance.line)
    }
    return table
  }
}
