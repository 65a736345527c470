internal import TroupeCatalog
internal import TroupeHost
internal import TroupeJSON

/// Runs the examples of a catalogue and compares their results. Each plugin runs in a worker, so that a crash is a fault of its example.
struct ExampleCheck {
  /// The examples with another result or whose calls fail, and the plugins that do not load in a worker.
  private(set) var faults: [CatalogFault] = []
  /// The number of examples that ran.
  private(set) var count = 0
  /// The number of examples of registrations that no worker offers.
  private(set) var skippedCount = 0

  /// Runs the well-formed examples of all plugins that can be used. Throws a `Diagnosis` for wrong options.
  mutating func run(_ catalog: Catalog, in directory: String, _ arguments: ParsedArguments) async throws {
    let host = try Setup.host(directory: directory, arguments) { Self.isolate(catalog, &$0) }
    defer { host.shutdown() }
    try Setup.checkConfiguredIDs(host, arguments)
    let plugins = catalog.plugins.filter { plugin in
      plugin.fault == nil && plugin.items.contains { !$0.documentation.examples.isEmpty }
    }
    let paths = Set(plugins.map(\.plugin.path))
    await host.start { paths.contains($0.path) }
    let loadFaults = Dictionary(host.plugins.map { ($0.path, $0.state.fault) }, uniquingKeysWith: { first, _ in first })
    for plugin in plugins {
      if case let fault?? = loadFaults[plugin.plugin.path] {
        let problem = "does not load for its examples: it \(fault.problem)"
        faults.append(CatalogFault(.notLoaded, plugin, problem: problem, remedy: fault.remedy))
      }
      for item in plugin.items { await run(item, of: plugin, host) }
    }
  }

  /// Runs all plugins in workers. Probed plugins share a worker, so that their factories find each other.
  private static func isolate(_ catalog: Catalog, _ options: inout PluginHost.Options) {
    if options.isolation == .inProcess {
      var policy = WorkerPolicy()
      options.isolation = .worker(policy)
      policy.group = "examples"
      for plugin in catalog.plugins where plugin.fault == nil && plugin.isKnown {
        if let id = plugin.id, options.isolations[id] == nil { options.isolations[id] = .worker(policy) }
      }
    }
    // The cache has one result for each file, and that of a worker would replace the result of the probe.
    options.cacheDirectory = nil
    // The faults have the errors.
    options.log = Log(from: .error) { _ in }
  }

  private mutating func run(_ item: CatalogItem, of plugin: CatalogPlugin, _ host: PluginHost) async {
    // Malformed examples are faults of the documentation.
    let examples = item.documentation.examples.compactMap { example in
      (try? ParsedExample(example, of: item)).map { (example, $0) }
    }
    guard !examples.isEmpty else { return }
    let registration = host.registrations.first { registration in
      registration.plugin == plugin.id && registration.name == item.name && registration.uuid == item.registration.uuid
    }
    guard item.kind != .factory, let registration else {
      skippedCount += examples.count
      return
    }
    for (example, parsed) in examples {
      count += 1
      let problem = await problem(parsed, registration, host)
      guard let problem else { continue }
      faults.append(
        CatalogFault(
          .differentResult, plugin, item, problem: "has the example (\(example.arguments.shortened())), \(problem)",
          remedy: "correct the example or the plugin"))
    }
  }

  /// Runs an example. Returns the problem as a relative clause; nil for the expected result.
  private func problem(_ example: ParsedExample, _ registration: Registration, _ host: PluginHost) async -> String? {
    do {
      let result = try await result(of: example, registration, host)
      if result.isEqual(to: example.result) { return nil }
      return "whose result is \(result.text.shortened()) and not \(example.result.text.shortened())"
    } catch {
      return "which fails: \(error)"
    }
  }

  private func result(of example: ParsedExample, _ registration: Registration, _ host: PluginHost) async throws -> JSONNode {
    guard let input = example.input else {
      let value = registration.shown(try host.call(registration, .json(example.json)))
      var text = ""
      try ValueWriter(style: .line) { text += $0 }.write(value)
      return try JSONReader.read(Array(text.utf8))
    }
    let instance = try await host.instance(of: registration, arguments: .json(example.json))
    guard let transform = instance as? any Transform else {
      throw Diagnosis(
        .invalidContract, problem: "the factory makes an instance of \(type(of: instance))", remedy: "make a transform")
    }
    let output = Output()
    try transform.feed(Array(input.utf8).span, to: output)
    try transform.finish(to: output)
    return try JSONReader.read(Array(String(decoding: output.bytes, as: UTF8.self).inJSON.utf8))
  }

  /// The output of a transform.
  private final class Output: TransformOutput {
    var bytes: [UInt8] = []

    func write(_ span: Span<UInt8>) { span.withUnsafeBufferPointer { bytes.append(contentsOf: $0) } }
  }
}
