internal import TroupeHost
internal import TroupeTools

/// `troupe resolve`: resolves a tagged array.
enum ResolveCommand: Command {
  static let spec = CommandSpec(
    "resolve", "Resolve registrations by their tags and print the instances.",
    operands: "--tag TAG …",
    examples: [
      "troupe resolve --tag geometry", "troupe resolve --tag base64 --contract troupe.transform/1",
      "troupe resolve --tag checksum --json",
    ],
    options: [.tag, .contract, .argument, BytesFormat.option] + HostArguments.loading + [.json],
    details: [
      "The command loads only the plugins of these registrations, or all with --eager. It resolves in the order of registration and fails if one registration fails.",
      "A C function is shown by its signature or, with --arg, by its result.",
      "JSON: an array of {plugin, uuid, name, contract, tags, instance}.",
    ])

  static let awaitsFactories = true

  static func run(_ arguments: ParsedArguments) async throws -> ExitStatus {
    let tags = arguments.all(.tag)
    guard !tags.isEmpty || arguments.has(.contract) else {
      throw Diagnosis(.usage, problem: "missing --tag TAG or --contract NAME", remedy: "see troupe resolve --help")
    }
    let format = BytesFormat(arguments)
    let host = try HostArguments.host(arguments)
    try await HostArguments.start(host, arguments)
    let instances = try await resolve(host, tags: tags, contract: arguments.one(.contract), arguments)
    if arguments.has(.json) {
      try Terminal.writeJSON(instances.map { InstanceReport($0, format) })
    } else {
      try Terminal.write(table(instances, format).text(color: Terminal.hasColor))
    }
    host.shutdown()
    return .success
  }

  /// Resolves the registrations. Throws a `Diagnosis` if there is none or one fails.
  static func resolve(
    _ host: PluginHost, tags: [String], contract: String?, _ arguments: ParsedArguments, in scope: Container? = nil
  ) async throws -> [ResolvedInstance] {
    let instances = try await host.resolve(
      tags: tags, contract: contract, arguments: .text(arguments.all(.argument)), in: scope)
    guard instances.isEmpty else { return instances }
    throw try nothing(host, tags: tags, contract: contract, arguments)
  }

  /// Creates the failure for no result. It lists the known tags, for an unknown contract the known contracts or, without plugins, the
  /// searched directories.
  private static func nothing(
    _ host: PluginHost, tags: [String], contract: String?, _ arguments: ParsedArguments
  ) throws -> Diagnosis {
    let kind = contract.map { " of the contract \($0.shortened())" } ?? ""
    let list = tags.map { "\"\($0.shortened())\"" }.joined(separator: ", ")
    let wanted = tags.isEmpty ? "" : " with the tag\(tags.count == 1 ? "" : "s") \(list)"
    let candidates = host.registrations.filter { contract == nil || $0.contract == contract }
    let known =
      if host.plugins.isEmpty {
        try HostArguments.noPlugins(arguments)
      } else if candidates.isEmpty, let contract {
        "known contracts: " + knownNames(Set(host.registrations.compactMap(\.contract)).sorted(), for: contract)
      } else {
        "known tags: " + knownNames(Set(candidates.flatMap(\.tags)).sorted(), for: tags.first ?? "")
      }
    return Diagnosis(.unavailable, problem: "no registration\(kind)\(wanted)", remedy: "\(known)")
  }

  private static func table(_ instances: [ResolvedInstance], _ format: BytesFormat) throws(Diagnosis) -> Table {
    var table = Table("PLUGIN", "NAME", "CONTRACT", "TAGS", "INSTANCE")
    for instance in instances {
      let registration = instance.registration
      table.add(
        registration.plugin, registration.name, registration.contract ?? "-", registration.tags.joined(separator: ", "),
        try InstanceReport(instance, format).instance.line)
    }
    return table
  }
}
