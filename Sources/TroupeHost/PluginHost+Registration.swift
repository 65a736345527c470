internal import Synchronization
internal import TroupeFiles
internal import TroupeSandbox

/// The stage that registers plugins: lazily from the results of their probes, or by opening them.
extension PluginHost {
  /// Registers plugins in their order, each as the function for one plugin does.
  ///
  /// Of consecutive plugins that are opened and need no others, the host opens all images before the first one registers. For each
  /// library the loader traverses its list of open libraries, which takes twice as long if other data of the host lies between the list's
  /// elements.
  func register(_ wanted: [PlannedPlugin]) {
    var rest = wanted[...]
    while let first = rest.first {
      let group = rest.prefix { opensAtOnce($0.record) && $0.record.isIndependent && $0.record.mayRun }
      if group.isEmpty { register(first.record, needs: first.needs) }
      let begun = group.map { (record: $0.record, opening: beginOpening($0.record)) }
      for (_, opening) in begun { opening?.open() }
      for case (let record, let opening?) in begun { open(record, needs: [], begun: opening) }
      rest = rest.dropFirst(max(group.count, 1))
    }
  }

  /// Whether a plugin is opened as soon as the host loads its plugins.
  private func opensAtOnce(_ record: PluginRecord) -> Bool { options.loading == .eager || record.manifest?.loading == .eager }

  /// Makes lazy registrations for a plugin, or opens it if the host loads eagerly or lazy registrations are impossible. Does nothing
  /// for a plugin that has lazy registrations.
  ///
  /// - Parameter old: The plugin that it replaces.
  func register(_ record: PluginRecord, needs: [PluginRecord], replacing old: PluginRecord? = nil) {
    if record.isLazy || record.plugin.state.diagnosis != nil { return }
    if !opensAtOnce(record), old?.isOpen != true, registerLazily(record, needs: needs, replacing: old) { return }
    // A needed plugin may have lazy registrations only, and opening this plugin may require its code.
    for need in needs where !need.isOpen { openWithNeeds(need) }
    open(record, needs: needs, replacing: old)
  }

  /// Makes lazy registrations for a plugin; the first resolve of one opens the plugin.
  ///
  /// - Parameter old: The plugin whose registrations they replace.
  /// - Returns: Whether that is possible; otherwise the plugin has to be opened.
  func registerLazily(_ record: PluginRecord, needs: [PluginRecord], replacing old: PluginRecord? = nil) -> Bool {
    guard let manifest = record.manifest, let summary = record.lazySummary, (try? checkNeeds(of: record, needs)) != nil else {
      return false
    }
    // Before the types are looked up: an image that is opened meanwhile may define one of them.
    let onlyProgramHasTypes = !PluginImage.hasOpenedSwift.load(ordering: .acquiring)
    let registrations = LazyRegistrations(summary, plugin: manifest.id, factories: factories) { [weak self, weak record] in
      if let self, let record { try self.openLazily(record) }
    }
    guard let registrations else { return false }
    // Before other threads can resolve its factories. A renewal keeps the opening.
    let opening = record.opening ?? newOpening(of: record)
    let programKeys = onlyProgramHasTypes ? registrations.knownKeys : []
    guard record.setLazy(.init(opening: opening, hasUnknownTypes: registrations.hasUnknownTypes, programKeys: programKeys))
    else {
      return true
    }
    if let diagnosis = factories.add(registrations.entries, owner: record.owner, replacing: old?.owner) {
      record.reject(record.refusal(diagnosis))
      return true
    }
    // A shutdown may have come in between.
    if record.plugin.state == .retired { container.unregister(owner: record.owner) }
    if registrations.hasUnknownTypes { state.withLock { $0.hasUnknownTypes = true } }
    return true
  }

  /// Makes lazy registrations with unknown types again after the image of another plugin has been opened: that image, or a library that
  /// it links, may define the types.
  func renewLazyRegistrations(after opened: PluginRecord) {
    guard state.withLock({ $0.hasUnknownTypes }) else { return }
    for record in discovered().records where record !== opened && record.hasUnknownTypes {
      _ = registerLazily(record, needs: [], replacing: record)
    }
  }

  /// Throws a fault if a requirement of a plugin has failed to load or to be activated.
  func checkNeeds(of record: PluginRecord, _ needs: [PluginRecord]) throws(Diagnosis) {
    var problems: [(problem: String, remedy: String)] = []
    for requirement in record.manifest?.requires ?? [] {
      switch requirement {
      case .plugin(let id, _):
        guard let other = needs.first(where: { $0.manifest?.id == id }), let failure = other.failure else { continue }
        problems.append(("needs \(requirement), and \(id) \(failure)", "fix \(other.path) first"))
      case .contract(let name):
        // A worker has the plugins that it needs, and checks this itself.
        if let id = record.manifest?.id, options.isolation(of: id) != .inProcess { continue }
        let isOffered = !factories.entries(contract: name).isEmpty
        if isOffered || record.manifest?.provides.contains(name) == true { continue }
        let providers = needs.filter { $0.manifest?.provides.contains(name) == true }
        let failed = providers.first { $0.failure != nil }
        let why =
          failed.map { " (\($0.manifest?.id ?? $0.path) \($0.failure ?? ""))" } ?? ", although a manifest declares it"
        let remedy =
          failed.map { "fix \($0.path) first" } ?? "let \(providers.map(\.path).listed(atMost: 3)) register it"
        problems.append(("needs the contract \(name), which no plugin registered\(why)", remedy))
      }
    }
    guard let first = problems.first else { return }
    throw record.diagnosis(
      .unmetRequirement, problems.map(\.problem).joined(separator: "; "),
      problems.count == 1 ? first.remedy : "fix each of them")
  }
}
