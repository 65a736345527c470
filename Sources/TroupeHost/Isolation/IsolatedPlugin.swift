internal import Troupe
internal import TroupeCall
internal import TroupeFiles
internal import TroupeSandbox

/// The host's side of a plugin in a worker. Its functions and instances keep it, and it keeps the worker.
final class IsolatedPlugin: Sendable {
  let worker: PluginWorker
  private let bindings: HostBindings
  let id: String

  init(_ id: String, _ worker: PluginWorker, bindings: HostBindings) {
    (self.id, self.worker, self.bindings) = (id, worker, bindings)
  }

  deinit { bindings.imageEnded(isMapped: false) }

  /// Returns the entries for the registrations of the plugin, and the faults of those that cannot be used from another process, with
  /// their positions in the summary.
  ///
  /// - Parameter firstRegistrationID: The ID of the first registration in the worker.
  func entries(
    _ summary: PluginSummary, firstRegistrationID: Int, factories: PluginRegistry
  ) -> (entries: [Entry], refusals: [Int: Diagnosis]) {
    var entries: [Entry] = []
    var refusals: [Int: Diagnosis] = [:]
    for (index, registration) in summary.registrations.enumerated() {
      let remote = IsolatedFactory(
        plugin: self, registrationID: UInt32(firstRegistrationID + index), context: registration.context)
      do throws(Diagnosis) {
        entries +=
          try registration.types == .c ? foreignEntries(registration, remote) : [swiftEntry(registration, remote, factories)]
      } catch {
        refusals[index] = error.about(registration.subject)
      }
    }
    return (entries, refusals)
  }

  private func foreignEntries(
    _ registration: RegistrationDescription, _ remote: IsolatedFactory
  ) throws(Diagnosis) -> [Entry] {
    guard registration.uuid != nil, let signature = registration.function else {
      throw Diagnosis(.invalidSignature, problem: "has a signature that this host does not know", remedy: "report a bug")
    }
    // The result of a factory is an instance, which stays in the worker.
    if let error = registration.isFunction ? signature.transferError : signature.parameterTransferError {
      throw Diagnosis(.unavailable, problem: "cannot be called in a worker: \(error)", remedy: error.remedy)
    }
    let entries: [Entry]
    if let contract = registration.contract {
      entries = [try transformEntry(remote, registration, contract)]
    } else {
      let function = IsolatedFunction(registration, signature, registrationID: remote.registrationID, of: self)
      entries = ForeignFunction(registration, function).entries()
    }
    entries.describe(as: registration)
    return entries
  }

  private func swiftEntry(
    _ registration: RegistrationDescription, _ remote: IsolatedFactory, _ factories: PluginRegistry
  ) throws(Diagnosis) -> Entry {
    let described = factories.described(registration)
    let type = registration.signature.split(separator: "-> ").last.map(String.init) ?? ""
    let entry = try transformEntry(remote, registration, described.contract ?? type)
    entry.registrantInfo = described
    return entry
  }

  /// Returns the entry of a factory of transforms. Throws for another contract.
  private func transformEntry(
    _ remote: IsolatedFactory, _ registration: RegistrationDescription, _ contract: String
  ) throws(Diagnosis) -> Entry {
    guard contract == Contract.transform.name else {
      throw Diagnosis(
        .unavailable, problem: "makes instances of \(contract), which cannot be used from another process",
        remedy: "run the plugin in the process of the host")
    }
    let (type, lifetime) = ((any Transform).self, registration.lifetime)
    let tags = TagList(registration.tags, registration.uuid)
    guard remote.context != .asynchronous else {
      return .asyncDynamic(type, tags: tags, lifetime: lifetime) { arguments in
        try await remote.instanceAsync(FactoryArguments.values(of: arguments))
      }
    }
    return .dynamic(type, tags: tags, lifetime: lifetime, isOnMainActor: remote.context == .mainActor) { _, arguments in
      try IsolatedTransform(remote, FactoryArguments.values(of: arguments))
    }
  }
}

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
    if file.isAdoption, let diagnosis = duplicates.first {
      // The entries keep the plugin, which keeps the registrations, which keep the entries.
      bindings.registrations.discard()
      throw file.refusal(diagnosis)
    }
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
