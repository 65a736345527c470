package import TroupeHost
internal import TroupeBase

/// Runs the examples of a catalog and compares their results.
///
/// Plugins run in workers, so that a crash is a fault of its example. Each plugin runs in a worker of its own, and gets a new one after a
/// crash. Examples that fail there may need other plugins: they run once more in a worker with all plugins that can be loaded.
package struct ExampleCheck {
  /// The examples with another result or whose calls fail, and the plugins that do not load in a worker.
  package private(set) var diagnoses: [CatalogDiagnosis] = []
  /// Counts the examples that ran.
  package private(set) var count = 0
  /// Counts the examples of registrations that no worker offers.
  package private(set) var skippedCount = 0

  private let makeHost: (_ file: String?, _ change: (inout PluginHost.Options) -> Void) throws -> PluginHost

  /// - Parameter makeHost: Makes a host of a file, or else of the directory of the catalog, and lets a closure change its options.
  package init(makeHost: @escaping (_ file: String?, _ change: (inout PluginHost.Options) -> Void) throws -> PluginHost) {
    self.makeHost = makeHost
  }

  /// A well-formed example of a registration.
  private struct Run {
    let plugin: CatalogPlugin
    let item: CatalogItem
    let example: Documentation.Example
    let parsed: ParsedExample
  }

  /// Makes the hosts of a group of plugins.
  private struct Hosts {
    let make: () throws -> PluginHost
    /// The plugins to start.
    let paths: Set<String>

    func start() async throws -> PluginHost {
      let host = try make()
      await host.start { paths.contains($0.path) }
      return host
    }
  }

  /// Runs the well-formed examples of all plugins that can be used.
  package mutating func run(_ catalog: Catalog) async throws {
    let makeHost = makeHost
    var loadable: [CatalogPlugin] = []
    var failed: [Run] = []
    for plugin in catalog.plugins where plugin.diagnosis == nil {
      let runs = Self.runs(of: plugin)
      guard !runs.isEmpty else { continue }
      let path = plugin.plugin.path
      let hosts = Hosts(
        make: { try makeHost(path) { Self.isolate([plugin], group: nil, &$0) } }, paths: [path])
      let outcome = try await runAlone(plugin, runs, hosts)
      if outcome.isLoadable { loadable.append(plugin) }
      failed += outcome.failed
    }
    guard !failed.isEmpty else { return }
    let hosts = Hosts(
      make: { [loadable] in try makeHost(nil) { Self.isolate(loadable, group: "examples", &$0) } },
      paths: Set(loadable.map(\.plugin.path)))
    _ = try await run(failed, hosts.start(), hosts, isLast: true)
  }

  private static func runs(of plugin: CatalogPlugin) -> [Run] {
    plugin.items.flatMap { item in
      // Malformed examples are faults of the documentation.
      item.documentation.examples.compactMap { example in
        (try? ParsedExample(example, of: item)).map { Run(plugin: plugin, item: item, example: example, parsed: $0) }
      }
    }
  }

  /// Runs plugins in workers, unless the command line says how.
  private static func isolate(_ plugins: [CatalogPlugin], group: String?, _ options: inout PluginHost.Options) {
    if options.isolation == .inProcess {
      var policy = WorkerPolicy()
      options.isolation = .worker(policy)
      policy.group = group
      for case let id? in plugins.map(\.id) where options.isolations[id] == nil { options.isolations[id] = .worker(policy) }
    }
    // The cache has one result for each file, and that of a worker would replace the result of the probe.
    options.cacheDirectory = nil
    // The faults have the errors.
    options.log = Log(from: .error) { _ in }
  }

  /// Runs the examples of one plugin in a worker of its own. Returns whether the plugin can be loaded, maybe beside others, and the
  /// examples that fail alone.
  private mutating func runAlone(
    _ plugin: CatalogPlugin, _ runs: [Run], _ hosts: Hosts
  ) async throws -> (isLoadable: Bool, failed: [Run]) {
    let host = try await hosts.start()
    guard let diagnosis = host.plugins.first?.state.diagnosis else {
      return (true, try await run(runs, host, hosts, isLast: false))
    }
    host.shutdown()
    if diagnosis.code == .unmetRequirement { return (true, runs) }
    addDiagnosis(of: plugin, diagnosis)
    skippedCount += runs.count
    return (false, [])
  }

  private mutating func addDiagnosis(of plugin: CatalogPlugin, _ diagnosis: Diagnosis) {
    diagnoses.append(
      CatalogDiagnosis(
        .notLoaded, plugin, problem: "does not load for its examples: \(diagnosis.problem)", remedy: diagnosis.remedy))
  }

  private mutating func addDiagnosis(_ run: Run, _ problem: String) {
    diagnoses.append(
      CatalogDiagnosis(
        .differentResult, run.plugin, run.item, problem: "has the example (\(run.example.arguments.shortened())), \(problem)",
        remedy: "correct the example or the plugin"))
  }

  /// Runs examples. Returns those that fail without a crash, unless these are faults.
  ///
  /// - Parameters:
  ///   - first: The started host, which this function shuts down.
  ///   - isLast: True if examples that fail are faults.
  private mutating func run(_ runs: [Run], _ first: PluginHost, _ hosts: Hosts, isLast: Bool) async throws -> [Run] {
    var host = first
    defer { host.shutdown() }
    var failed: [Run] = []
    for run in runs {
      guard run.item.kind != .factory, let registration = Self.registration(of: run, host) else {
        skippedCount += 1
        continue
      }
      do {
        let result = try await result(of: run.parsed, registration, host)
        count += 1
        guard !result.isEqual(to: run.parsed.result) else { continue }
        addDiagnosis(run, "whose result is \(result.text.shortened()) and not \(run.parsed.result.text.shortened())")
      } catch {
        let endsWorker = [.crashed, .exited, .timedOut, .notPermitted].contains(Diagnosis.Code(of: error))
        guard isLast || endsWorker else {
          failed.append(run)
          continue
        }
        count += 1
        addDiagnosis(run, "which fails: \(error)")
        if endsWorker {
          // A worker that ends often is not started again for a while.
          host.shutdown()
          host = try await hosts.start()
        }
      }
    }
    return failed
  }

  private static func registration(of run: Run, _ host: PluginHost) -> RegistrationDescription? {
    host.registrations.first { registration in
      registration.plugin == run.plugin.id && registration.name == run.item.name
        && registration.uuid == run.item.registration.uuid
    }
  }

  private func result(of example: ParsedExample, _ registration: RegistrationDescription, _ host: PluginHost) async throws
    -> JSONNode
  {
    guard let input = example.input else {
      let value = try registration.shown(host.call(registration, .json(example.json)))
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

  private final class Output: TransformOutput {
    var bytes: [UInt8] = []

    func write(_ span: Span<UInt8>) { span.withUnsafeBufferPointer { bytes.append(contentsOf: $0) } }
  }
}
