internal import FoundationEssentials
internal import TroupeHost

/// An operand that names a C function by UUID or name.
enum FunctionOperand {
  /// Starts the plugins that provide the function according to their files and earlier probes. Starts all plugins if none is known, if
  /// the function may use other plugins, and with `--eager`.
  static func start(_ name: String, _ host: PluginHost, _ arguments: ParsedArguments) async {
    let providers = arguments.has(.eager) ? [] : host.providers(ofFunction: name)
    if !providers.isEmpty {
      await HostArguments.load(host, arguments) { providers.contains($0.path) }
      let functions = host.functions(name).compactMap(\.function)
      if !functions.isEmpty, !functions.contains(where: mayUseOthers) { return }
    }
    await HostArguments.load(host, arguments) { !providers.contains($0.path) }
  }

  /// The command that uses the instances of a factory.
  private static func instances(of factory: RegistrationDescription) -> String {
    let command = factory.contract == "troupe.transform/1" ? "run" : "resolve"
    // A UUID is a tag.
    return "\(command) --tag \(factory.uuid.map { "\($0)".lowercased() } ?? factory.name.shellWord)"
  }

  /// A callback may be a function of any plugin, and a resolver finds all registrations.
  private static func mayUseOthers(_ signature: Signature) -> Bool {
    var visited: Set<String> = []
    return signature.parameters.contains { mayUseOthers($0.type, &visited) }
  }

  /// - Parameter visited: The tags of the structs behind references, which can lead back to themselves.
  private static func mayUseOthers(_ type: CType, _ visited: inout Set<String>) -> Bool {
    switch type {
    case .function, .resolver: true
    case .record(let record): record.members.contains { mayUseOthers($0.type, &visited) }
    case .reference(let reference):
      visited.insert(reference.name).inserted
        && reference.record?.members.contains { mayUseOthers($0.type, &visited) } ?? false
    case .array(let element, _), .sequence(let element, _): mayUseOthers(element, &visited)
    default: false
    }
  }

  static func find(_ name: String, _ host: PluginHost, _ arguments: ParsedArguments) throws -> RegistrationDescription {
    let functions = host.functions(name)
    guard let function = functions.first else {
      if let factory = host.registrations.first(where: { $0.hasName(name) }) {
        throw Diagnosis(
          .usage, problem: "\(factory.name) of \(factory.plugin): a factory of instances, not a function",
          remedy: "use " + arguments.command(instances(of: factory)))
      }
      let plugins = host.plugins
      for plugin in plugins {
        if let refusal = plugin.refusal(of: name) { throw Diagnosis(.unavailable, plugin.path, problem: "\(refusal)") }
      }
      let names = host.registrations.filter(\.isFunction).map(\.name)
      let remedy =
        plugins.isEmpty ? try HostArguments.noPlugins(arguments) : "known functions: " + knownNames(names, for: name)
      throw Diagnosis.unknown("function", name, among: names, code: .unavailable, otherwise: remedy)
    }
    guard functions.count == 1 else {
      let list = functions.map(\.distinction).joined(separator: ", ")
      throw Diagnosis(.usage, problem: "several functions have the name \"\(name)\"", remedy: "give the UUID of one: \(list)")
    }
    return function
  }
}

extension RegistrationDescription {
  func hasName(_ operand: String) -> Bool {
    name == operand || uuid?.uuidString.lowercased() == operand.lowercased()
  }
}
