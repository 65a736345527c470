internal import FoundationEssentials
internal import TroupeHost

/// An operand that names a C function by UUID or name.
enum FunctionOperand {
  /// Starts the plugins that provide the function, as files and earlier probes show. Starts all plugins if none shows it, if the function
  /// may use functions or instances of other plugins, and with `--eager`.
  static func start(_ name: String, _ host: PluginHost, _ arguments: ParsedArguments) async {
    let providers = arguments.has(.eager) ? [] : host.providers(ofFunction: name)
    if !providers.isEmpty {
      await HostArguments.load(host, arguments) { providers.contains($0.path) }
      let functions = host.functions(name).compactMap(\.function)
      if !functions.isEmpty, !functions.contains(where: mayUseOthers) { return }
    }
    await HostArguments.load(host, arguments) { !providers.contains($0.path) }
  }

  /// Whether a function takes a callback, which may be a function of any plugin, or a resolver.
  private static func mayUseOthers(_ signature: Signature) -> Bool {
    signature.parameters.contains { parameter in
      switch parameter.type {
      case .function, .resolver: true
      default: false
      }
    }
  }

  /// Returns the function with a UUID or name. Throws a `Diagnosis`.
  static func find(_ name: String, _ host: PluginHost, _ arguments: ParsedArguments) throws -> Registration {
    let functions = host.functions(name)
    guard let function = functions.first else {
      if let factory = host.registrations.first(where: { $0.hasName(name) }) {
        throw Diagnosis(
          .usage, problem: "\(factory.name) of \(factory.plugin): a factory of instances, not a function",
          remedy: "use troupe resolve or troupe run")
      }
      let plugins = host.plugins
      for plugin in plugins {
        if let refusal = plugin.refusal(of: name) { throw Diagnosis(.unavailable, plugin.path, problem: "\(refusal)") }
      }
      let known =
        plugins.isEmpty
        ? try HostArguments.noPlugins(arguments)
        : "known functions: " + knownNames(host.registrations.filter(\.isFunction).map(\.name), for: name)
      throw Diagnosis(.unavailable, problem: "no function \"\(name.shortened())\"", remedy: "\(known)")
    }
    guard functions.count == 1 else {
      let list = functions.map(\.distinction).joined(separator: ", ")
      throw Diagnosis(.usage, problem: "several functions have the name \"\(name)\"", remedy: "give the UUID of one: \(list)")
    }
    return function
  }
}

extension Registration {
  /// Whether an operand is the name or the UUID of the registration.
  func hasName(_ operand: String) -> Bool {
    name == operand || uuid?.uuidString.lowercased() == operand.lowercased()
  }
}
