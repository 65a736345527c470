internal import Troupe
internal import TroupeFiles
internal import TroupeSandbox

extension PluginLoader {
  /// Starts the worker of the plugin, and publishes what the worker reports.
  func isolate(_ policy: WorkerPolicy, replacing old: Owner?) throws -> LoadedPlugin {
    _ = try library()
    host.options.stepObserver?(ProbeStep(.opening, manifest.id))
    let (worker, report, first) = try host.worker(of: file, id: manifest.id, policy)
    let summary = report.summary ?? PluginSummary(registrations: [], isComplete: true)
    let plugin = IsolatedPlugin(manifest.id, worker, bindings: bindings)
    let (entries, refused) = plugin.entries(summary, firstRegistrationID: first, factories: host.factories)
    let refusals = refused.sorted { $0.key < $1.key }.map(\.value)
    logRefusals(refusals, count: summary.registrations.count)
    let duplicates = bindings.registrations.add(entries)
    if file.isAdoption, let diagnosis = duplicates.first { throw file.refusal(diagnosis) }
    bindings.registrations.setRefusals(summary.refusals + refusals + duplicates)
    let usable = summary.registrations.indices.filter { refused[$0] == nil }.map { summary.registrations[$0] }
    host.store(
      PluginSummary(registrations: usable, isComplete: true, refusals: summary.refusals + refusals), of: file, id: manifest.id
    )
    return try publish(plugin, replacing: old)
  }

  /// Logs the registrations that cannot be used from another process, in one line. A resolve that opens the plugin wants none of them.
  private func logRefusals(_ refusals: [Diagnosis], count: Int) {
    guard let first = refusals.first, host.options.logsRefusals, host.table[file].pending == nil else { return }
    let text =
      refusals.count == 1
      ? "\(first)"
      : "\(refusals.count) of \(count) registrations cannot be used in a worker; troupe inspect \(manifest.id) "
        + "--isolate \(manifest.id) shows the reasons"
    bindings.registrations.context.log(.warning, text)
  }
}
