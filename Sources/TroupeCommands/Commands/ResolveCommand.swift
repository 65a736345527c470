internal import TroupeHost

/// `troupe resolve`: a tagged array.
enum ResolveCommand: Command {
  static let syntax = Syntax(
    "resolve", "Resolve what carries the tags as an array, and show what came.",
    operands: "--tag TAG …",
    options: [.tag, .contract, .argument] + Setup.loading + [.json],
    details: [
      "Of the plugins those are loaded that have something to resolve here, and all with --eager. What carries the tags is resolved in the order of registration; if one fails, all fail. With --contract the tags may be left out. A plain C function is shown by its signature, or, with --arg, by what it returns. JSON: an array of {plugin, uuid, name, contract, tags, instance}."
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
    _ host: PluginHost, tags: [String], contract: String?, _ arguments: ParsedArguments, in scope: Container? = nil
  ) throws -> [ResolvedInstance] {
    do {
      let instances = try host.resolve(
        tags: tags, contract: contract, arguments: .text(arguments.all(.argument)), in: scope)
      guard instances.isEmpty else { return instances }
      throw nothing(host, tags: tags, contract: contract)
    } catch let failure as ResolutionFailure {
      throw CommandFailure(failure)
    }
  }

  /// Nothing carries the tags, and what there is instead: of a contract that nothing is of, the contracts.
  private static func nothing(_ host: PluginHost, tags: [String], contract: String?) -> CommandFailure {
    let kind = contract.map { " of the contract \($0)" } ?? ""
    let list = tags.map { "\"\($0)\"" }.joined(separator: ", ")
    let wanted = tags.isEmpty ? "is registered" : "carries the tag\(tags.count == 1 ? "" : "s") \(list)"
    let candidates = host.registrations.filter { contract == nil || $0.contract == contract }
    let known =
      if candidates.isEmpty, let contract {
        "known contracts: " + knownNames(Set(host.registrations.compactMap(\.contract)).sorted(), for: contract)
      } else {
        "known tags: " + knownNames(Set(candidates.flatMap(\.tags)).sorted(), for: tags.first ?? "")
      }
    return CommandFailure(.unavailable, "nothing\(kind) \(wanted); \(known)")
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
