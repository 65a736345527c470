internal import Troupe
internal import TroupeFiles
internal import TroupeIsolation
internal import TroupeProbing

extension PluginOpening {
  /// Starts the worker of the plugin, and publishes what the worker reports.
  func isolate(_ policy: WorkerPolicy, replacing old: Owner?) throws -> LoadedPlugin {
    _ = try library()
    host.options.stepObserver?(ProbeStep(.opening, manifest.id))
    let (worker, summary, first) = try host.worker(of: record, id: manifest.id, policy)
    let plugin = IsolatedPlugin(manifest.id, worker, interface: interface)
    let (entries, refusals) = plugin.entries(summary, firstNumber: first, factories: host.factories)
    for refusal in refusals { interface.registrations.context.log(.warning, "\(refusal)") }
    let duplicates = interface.registrations.add(entries)
    if record.isAdoption, let fault = duplicates.first { throw record.refusal(fault) }
    interface.registrations.setRefusals(summary.refusals + refusals + duplicates)
    let usable = summary.factories.filter { factory in
      !refusals.contains { $0.subject == FactoryDeclaration.subject(factory.name) }
    }
    host.remember(
      PluginSummary(factories: usable, isComplete: true, refusals: summary.refusals + refusals), of: record, id: manifest.id)
    return try publish(plugin, replacing: old)
  }
}
