internal import Synchronization
internal import Troupe
internal import TroupeFiles
internal import TroupeSandbox

/// The stages in which a host loads plugins:
///
///     register ─┬─► pending registrations ─── first resolve ──► openPending ─┐
///               └─► open ◄───────────────────────────────────────────────────┘
///                    └─► activate
///
/// Each stage runs on the thread of its caller. A plugin is opened under its lock: a second thread that wants it waits, and a cycle of such
/// waits is an error. The lock of the host's operations comes before those of plugins, so code inside a load cannot begin an operation.
extension PluginHost {
  // MARK: Registering

  /// Registers plugins in their order, each as the function for one plugin does.
  ///
  /// Of consecutive plugins that are opened and need no others, the host opens all images before the first one registers. For each
  /// library the loader traverses its list of open libraries, which takes twice as long if other data of the host lies between the list's
  /// elements.
  func register(_ wanted: [PlannedPlugin]) {
    var rest = wanted[...]
    while let first = rest.first {
      let group = rest.prefix { opensAtOnce($0.file) && $0.file.isIndependent && table[$0.file].mayRun }
      if group.isEmpty { register(first.file, needs: first.needs) }
      let loaders = group.filter { table[$0.file].pending == nil }.compactMap { PluginLoader($0.file, self) }
      for loader in loaders { loader.open() }
      for loader in loaders {
        rejectIfBusy(loader.file) { _ = try open(loader.file, needs: [], loader) }
      }
      rest = rest.dropFirst(max(group.count, 1))
    }
  }

  private func opensAtOnce(_ file: PluginFile) -> Bool { options.loading == .eager || file.manifest?.loading == .eager }

  /// Makes pending registrations for a plugin, or opens it if the host loads eagerly or pending registrations are impossible. Does nothing
  /// for a plugin that has some.
  func register(_ file: PluginFile, needs: [PluginFile]) {
    guard table[file].state.view == .admitted, table[file].pending == nil else { return }
    rejectIfBusy(file) {
      guard let old = table[file].replaced else { return try registerOrOpen(file, needs: needs, replacing: nil) }
      // Another thread may be opening the old version, whose registrations would otherwise follow the new ones.
      try table.lock(of: old).withLock { try registerOrOpen(file, needs: needs, replacing: old) }
    }
  }

  private func registerOrOpen(_ file: PluginFile, needs: [PluginFile], replacing old: PluginFile?) throws {
    if !opensAtOnce(file), old.flatMap({ table[$0].loaded }) == nil, addPending(file, needs: needs, replacing: old) { return }
    // A needed plugin may have pending registrations only, and opening this plugin may require its code.
    for need in needs where table[need].loaded == nil { try openWithNeeds(need) }
    try open(file, needs: needs, replacing: old)
  }

  /// Rejects a plugin that is not open if the body throws, which happens if waiting for another thread would never end.
  private func rejectIfBusy(_ file: PluginFile, _ body: () throws -> Void) {
    do {
      try body()
    } catch {
      reject(file, file.diagnosis(.busy, "cannot be opened: \(error)", "load it again"))
    }
  }

  func reject(_ file: PluginFile, _ diagnosis: Diagnosis) { table.apply(.reject(diagnosis), to: file) }

  /// Makes pending registrations for a plugin; the first resolve of one opens the plugin.
  ///
  /// - Parameter old: The plugin whose registrations they replace.
  /// - Returns: False if that is not possible and the plugin has to be opened.
  func addPending(_ file: PluginFile, needs: [PluginFile], replacing old: PluginFile? = nil) -> Bool {
    let element = table[file]
    guard let manifest = file.manifest, let summary = element.pendingSummary, (try? checkNeeds(of: file, needs)) != nil else {
      return false
    }
    // This is read before the lookup of the types, since an image that is opened meanwhile may define one of them.
    let onlyProgramHasTypes = !PluginImage.hasOpenedSwift.load(ordering: .acquiring)
    let registrations = PendingRegistrations(summary, plugin: manifest.id, factories: factories) { [weak self] in
      try self?.openPending(file)
    }
    guard let registrations else { return false }
    let pending = PluginTable.Pending(
      hasUnknownTypes: registrations.hasUnknownTypes, programKeys: onlyProgramHasTypes ? registrations.knownKeys : [])
    // The state comes first: as soon as the registrations are published, another thread may resolve one, and `openPending` reads it.
    guard table.apply(.addPending(pending), to: file) else { return true }
    if let diagnosis = factories.add(registrations.entries, owner: element.owner, replacing: old.map { table[$0].owner }) {
      reject(file, file.refusal(diagnosis))
    } else if table[file].state.view == .retired {
      // A shutdown has come in between.
      container.unregister(owner: element.owner)
    }
    return true
  }

  /// Makes pending registrations of unknown types again after the image of another plugin has been opened: that image, or a library that
  /// it links, may define the types.
  private func renewUnknownTypes(after opened: PluginFile) {
    for file in table.read({ Array($0.unknown.values) }) where file !== opened {
      // A plugin that is being opened gets its own registrations.
      _ = table.lock(of: file).withLockIfAvailable {
        if hasPending(file) { _ = addPending(file, needs: [], replacing: file) }
      }
    }
  }

  /// Throws a `Diagnosis` if a requirement of a plugin has failed to load or to be activated.
  func checkNeeds(of file: PluginFile, _ needs: [PluginFile]) throws(Diagnosis) {
    var problems: [(problem: String, remedy: String)] = []
    for requirement in file.manifest?.requires ?? [] {
      switch requirement {
      case .plugin(let id, _):
        guard let other = needs.first(where: { $0.manifest?.id == id }), let failure = table[other].failure else { continue }
        problems.append(("needs \(requirement), and \(id) \(failure)", "fix \(other.path) first"))
      case .contract(let name):
        // A worker has the plugins that it needs, and checks this itself.
        if let id = file.manifest?.id, options.isolation(of: id) != .inProcess { continue }
        let isOffered = !factories.entries(contract: name).isEmpty
        if isOffered || file.manifest?.provides.contains(name) == true { continue }
        let providers = needs.filter { $0.manifest?.provides.contains(name) == true }
        let failed = providers.lazy.compactMap { file in self.table[file].failure.map { (file: file, failure: $0) } }.first
        let why = failed.map { " (\($0.file.id) \($0.failure))" } ?? ", although a manifest declares it"
        let remedy =
          failed.map { "fix \($0.file.path) first" } ?? "let \(providers.map(\.path).listed(atMost: 3)) register it"
        problems.append(("needs the contract \(name), which no plugin registered\(why)", remedy))
      }
    }
    guard let first = problems.first else { return }
    throw file.diagnosis(
      .unmetRequirement, problems.map(\.problem).joined(separator: "; "),
      problems.count == 1 ? first.remedy : "fix each of them")
  }

  // MARK: Opening

  /// Opens the image of a plugin and runs the entry, unless the plugin is open. Waits for another thread that opens it.
  ///
  /// - Parameters:
  ///   - needs: The needed plugins, which have been loaded or have failed.
  ///   - old: The plugin whose registrations it replaces.
  ///   - loader: One that has opened the image.
  /// - Returns: True if this call has loaded the plugin.
  /// - Throws: A `ResolutionError` if waiting would never end.
  @discardableResult
  private func open(
    _ file: PluginFile, needs: [PluginFile], replacing old: PluginFile? = nil, _ loader: PluginLoader? = nil
  ) throws -> Bool {
    guard table[file].state.view == .admitted else { return false }
    return try table.lock(of: file).withLock {
      guard let loader = loader ?? PluginLoader(file, self), table.apply(.beginOpening, to: file) else { return false }
      return load(loader, needs: needs, replacing: old)
    }
  }

  private func load(_ loader: PluginLoader, needs: [PluginFile], replacing old: PluginFile?) -> Bool {
    let file = loader.file
    let element = table[file]
    do {
      try checkNeeds(of: file, needs)
      guard element.mayRun else { throw file.diagnosis(.notProbed, "has not been probed", "retry") }
      let replaced = old.map { table[$0].owner } ?? (element.pending == nil ? nil : element.owner)
      let policy = options.isolation(of: loader.manifest.id).policy
      let loaded = try policy.map { try loader.isolate($0, replacing: replaced) } ?? loader.register(replacing: replaced)
      table.apply(.endOpening(loaded), to: file)
      // A load in a worker shows nothing about the loads of other processes that ended.
      if policy == nil { crashJournal?.removeStaleEntries(of: file.files, through: .entering) }
      if element.pending != nil, let summary = element.pendingSummary { check(file, against: summary) }
      renewUnknownTypes(after: file)
      return true
    } catch let diagnosis as Diagnosis where diagnosis.code == .changed && element.pending != nil {
      // The next resolve of a pending registration examines the file again.
      table.apply(.postponeOpening, to: file)
    } catch let diagnosis as Diagnosis {
      table.apply(.failOpening(diagnosis), to: file)
    } catch {
      table.apply(.failOpening(file.diagnosis(.refused, "failed: \(error)", "ask its author")), to: file)
    }
    return false
  }

  /// Opens a plugin and, before it, the plugins that it needs and that are not open. Returns the plugins that this call has loaded.
  @discardableResult
  private func openWithNeeds(_ wanted: PluginFile) throws -> [PlannedPlugin] {
    var plan = discovered().inOrder(wanted)
    // A refresh lists the new version of a needed plugin before it has probed and registered it. Opened here, that version would be rejected,
    // or would leave registrations of the old one behind. If the wait would never end, the version is opened as it is.
    if !isLoadingInCaller, plan.contains(where: { $0.file !== wanted && table[$0.file].isUnregistered }) {
      try? operations.withLock {}
      plan = discovered().inOrder(wanted)
    }
    return try plan.filter { file, needs in
      // The caller may be the entry of a needed plugin.
      if file !== wanted, table.lock(of: file).isHeldByCaller { return false }
      return try open(file, needs: needs)
    }
  }

  /// Opens a plugin because one of its pending registrations is resolved. Does nothing if the plugin has been retired or replaced.
  ///
  /// - Throws: The `Diagnosis` for which that is not possible, or a `ResolutionError` for a dependency cycle.
  private func openPending(_ file: PluginFile) throws {
    if table.lock(of: file).isHeldByCaller { throw Diagnosis.busy(file.id, "opened") }
    guard hasPending(file) else {
      // Another thread opens, replaces or retires the plugin, and has yet to remove its pending registrations.
      return try table.lock(of: file).withLock {}
    }
    if try !file.isCurrent && replacePending(file) { return }
    let new = try openWithNeeds(file)
    // The needed plugins are open even if this one has failed.
    if isStarted { activateSoon(new) }
    if let diagnosis = table[file].diagnosis {
      storeRejections(of: [file])
      throw diagnosis
    }
    // The file has changed since, or is being written.
    if hasPending(file), try !replacePending(file) { throw file.changedDiagnosis }
  }

  /// Returns true if a resolve can find pending registrations of the plugin. While a new version is activated, the old one is pending without
  /// any: a resolve that looks up again finds those of the new one.
  func hasPending(_ file: PluginFile) -> Bool {
    table[file].pending != nil && !container.entries(owner: table[file].owner).isEmpty
  }

  // MARK: Activating

  /// An activation for the code that runs within it: that of the plugin, and handlers of its events.
  struct Activation: Sendable {
    /// The store of the host's plugins.
    let host: ObjectIdentifier
    let end: TaskEvent

    /// The activations of the current task. A task that they start may outlive them.
    @TaskLocal static var current: [Activation] = []
  }

  /// True in code that an activation waits for, unless it runs in a detached task.
  var isActivatingInCaller: Bool { Activation.current.contains { $0.host == table.lockGroup && !$0.end.isSignaled } }

  /// Activates a plugin after the plugins that it needs. Returns at the end of the activation, also of one that another task runs.
  ///
  /// - Parameters:
  ///   - needs: The needed plugins.
  ///   - executor: Runs the activation code, for a caller with a deadline; nil for the threads of Dispatch.
  func activate(_ file: PluginFile, needs: [PluginFile], on executor: (any TaskExecutor)? = nil) async {
    for need in needs where table[need].awaitsActivation {
      for other in discovered().inOrder(need) { await activate(other.file, needs: other.needs, on: executor) }
    }
    guard let running = beginActivation(file, needs: needs) else {
      await table[file].activation?.wait()
      return
    }
    let (loaded, current) = running
    await Activation.$current.withValue(Activation.current + [current]) {
      let warnings = executor == nil ? warnOfLongActivation(file) : nil
      defer {
        warnings?.cancel()
        current.end.signal()
      }
      do {
        crashJournal?.add(.activating, file.files)
        defer { crashJournal?.remove(.activating, file.files) }
        // In a task of its own, since the cancellation of the caller is no fault of the plugin.
        try await Task(executorPreference: executor) { try await loaded.registrations.activate() }.value
        table.apply(.endActivation, to: file)
        crashJournal?.removeStaleEntries(of: file.files)
      } catch {
        let failure = file.diagnosis(.refused, "failed when it was activated: \(error)", "fix it, or remove it")
        giveUp(file, loaded, error as? Diagnosis ?? failure)
      }
    }
  }

  /// Logs that the activation of a plugin takes long, after 10 seconds and whenever that time has doubled, until the task is cancelled. The
  /// host sets no limit, since it cannot stop the code of a plugin.
  private func warnOfLongActivation(_ file: PluginFile) -> Task<Void, Never> {
    Task.detached { [log = options.log, sleep = options.activationTimer] in
      var (last, next) = (Duration.zero, Duration.seconds(10))
      while (try? await sleep(next - last)) != nil {
        log.write(
          .warning, file.id,
          "registered(to:) has not returned for \(next.inSeconds) s, and start, reload and refresh wait for it; find what it waits for, or "
            + "remove \(file.path.onOneLine)")
        (last, next) = (next, next * 2)
      }
    }
  }

  /// Activates the open plugins, and blocks the calling thread until all activations have ended.
  ///
  /// - Returns: False if no plugin has activation code.
  /// - Throws: A `SystemError` if there is no descriptor left.
  @discardableResult
  package func activateBlocking() throws(SystemError) -> Bool {
    let opened = discovered().inOrder { table[$0].loaded != nil }
    guard opened.contains(where: { table[$0.file].loaded?.registrations.hasActivation ?? false }) else { return false }
    try MainQueue.run { executor in
      for (file, needs) in opened { await self.activate(file, needs: needs, on: executor) }
    }
    return true
  }

  /// Begins the activation of a plugin, and ends that of one without activation code, or whose requirements have failed.
  ///
  /// - Returns: The activation that the caller has to run.
  private func beginActivation(_ file: PluginFile, needs: [PluginFile]) -> (LoadedPlugin, Activation)? {
    let current = Activation(host: table.lockGroup, end: TaskEvent())
    guard let loaded = table[file].loaded, table.apply(.beginActivation(current.end), to: file) else { return nil }
    return Activation.$current.withValue(Activation.current + [current]) {
      do throws(Diagnosis) {
        try checkNeeds(of: file, needs)
        if loaded.registrations.hasActivation { return (loaded, current) }
        table.apply(.endActivation, to: file)
      } catch {
        giveUp(file, loaded, error)
      }
      current.end.signal()
      return nil
    }
  }

  /// Activates plugins that a resolve has opened: in a task, since a synchronous factory cannot wait for activation code, but at once what
  /// has and needs none.
  func activateSoon(_ plugins: [PlannedPlugin]) {
    let waiting = plugins.filter { file, needs in
      if table[file].loaded?.registrations.hasActivation ?? false { return true }
      if needs.contains(where: { table[$0].awaitsActivation }) { return true }
      _ = beginActivation(file, needs: needs)
      return false
    }
    guard !waiting.isEmpty else { return }
    Task { for (file, needs) in waiting { await activate(file, needs: needs) } }
  }

  /// Rejects a plugin whose activation has failed, and restores the registrations of the plugin that it was to replace.
  private func giveUp(_ file: PluginFile, _ loaded: LoadedPlugin, _ diagnosis: Diagnosis) {
    let element = table[file]
    if let old = element.replaced, table[old].isInUse {
      let owner = table[old].owner
      container.replace(owner: element.owner, with: loaded.former, owner: owner)
      // A shutdown may have come in between.
      if !table[old].isInUse { container.unregister(owner: owner) }
    }
    table.apply(.failActivation(diagnosis), to: file)
  }
}
