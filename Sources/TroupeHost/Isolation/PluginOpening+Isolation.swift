internal import Troupe
internal import TroupeFiles
internal import TroupeIsolation
internal import TroupeProbing

extension PluginOpening {
  /// Starts the worker of the plugin, and publishes what the worker reports.
  func isolate(_ policy: WorkerPolicy, replacing old: Owner?) throws -> LoadedPlugin {
    _ = try library()
    host.options.stepObserver?(ProbeStep(.opening, manifest.id))
    let (worker, report, first) = try host.worker(of: record, id: manifest.id, policy)
    let summary = report.summary ?? PluginSummary(factories: [], isComplete: true)
    let plugin = IsolatedPlugin(manifest.id, worker, interface: interface)
    let (entries, refused) = plugin.entries(
      summary, report.contexts, firstRegistrationID: first, factories: host.factories)
    let refusals = refused.sorted { $0.key < $1.key }.map(\.value)
    if record.isAdoption, refusals.count > 1 {
      interface.registrations.context.log(
        .warning,
        "\(refusals.count) of \(summary.factories.count) functions cannot be called in a worker; troupe inspect \(manifest.id) "
          + "--isolate \(manifest.id) shows the reasons")
    } else {
      for refusal in refusals { interface.registrations.context.log(.warning, "\(refusal)") }
    }
    let duplicates = interface.registrations.add(entries)
    if record.isAdoption, let diagnosis = duplicates.first { throw record.refusal(diagnosis) }
    interface.registrations.setRefusals(summary.refusals + refusals + duplicates)
    let usable = summary.factories.indices.filter { refused[$0] == nil }.map { summary.factories[$0] }
    host.remember(
      PluginSummary(factories: usable, isComplete: true, refusals: summary.refusals + refusals), of: record, id: manifest.id)
    return try publish(plugin, replacing: old)
  }
}
