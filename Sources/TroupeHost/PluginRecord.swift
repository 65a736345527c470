internal import Synchronization
internal import Troupe

/// One plugin's way through the host: admitted, loaded, active, draining, retired. A file that has changed is another plugin.
/// Thread-safe; each step is made by one caller.
final class PluginRecord: Sendable {
  private struct Progress {
    var state: PluginState
    /// Whether nobody has been told yet that it was found.
    var isUntold = true
    /// Whether its code may run in this process, as far as a probe can tell.
    var mayRun: Bool
    /// What it registers, if a probe has told.
    var summary: PluginSummary?
    /// What its files contained when they were examined, if a probe had to know, and a later state of them with that content.
    var content: ContentHash?
    var sameFiles: [RegistryFile.FileState]?
    /// Why an earlier probe or load rejected the files.
    var previousRejection: PluginFault?
    /// Whether the container has lazy registrations for it, and whether some could not be made.
    var holdsPlaces = false
    var hasUnknownTypes = false
    /// What came of loading it, from then to retirement.
    var loaded: LoadedPlugin?
    /// Whether its image is still mapped though it is retired.
    var isMapped = false
    /// Whether somebody is making the next step.
    var isBusy = false
    /// Whether the plugin is to be retired as soon as that step is done, and whether somebody else has taken back what it
    /// registered.
    var endsRetired = false
    var isReplaced = false
  }

  let path: String
  /// What the examination of the file has shown.
  let outcome: Admission.Outcome
  /// Why it could not be loaded when it was found, be it for what it is or for what it needs; nil if it could.
  let fault: PluginFault?
  /// The plugin's file and, if that adopts a library, the library, as they were examined.
  var files: [RegistryFile.FileState] { outcome.files(path) }
  /// On whose behalf it registers.
  let owner: Owner
  private let progress: Mutex<Progress>
  private let events: PluginEvents

  /// Makes the record of a plugin that was found, which is told by `tellFound`.
  ///
  /// - Parameters:
  ///   - fault: Why it cannot be loaded, be it for what it is or for what it needs; nil if it can.
  ///   - isProbed: Whether its code may run only after a successful probe.
  init(path: String, outcome: Admission.Outcome, fault: PluginFault?, isProbed: Bool, events: PluginEvents) {
    self.path = path
    self.outcome = outcome
    self.fault = fault
    self.events = events
    owner = Owner(name: outcome.manifest?.id ?? path, allowsPartialTags: true)
    progress = Mutex(Progress(state: Self.stateWhenFound(outcome, fault), mayRun: !isProbed))
  }

  private static func stateWhenFound(_ outcome: Admission.Outcome, _ fault: PluginFault?) -> PluginState {
    fault.map { outcome.isQuarantined ? .quarantined($0) : .rejected($0) } ?? .admitted
  }

  /// What it says about itself.
  var manifest: Manifest? { outcome.manifest }
  /// Whether its file adopts a library.
  var isAdoption: Bool { AdoptionFile.isName(path) }

  /// The plugin as it is now.
  var plugin: Plugin {
    let (state, isMapped) = progress.withLock { ($0.state, $0.isMapped) }
    return plugin(in: state, isMapped: isMapped)
  }

  /// Why registrations were refused: found by loading, else by a probe, else in the file.
  private var refusals: [String] {
    let (loaded, summary) = progress.withLock { ($0.loaded, $0.summary) }
    return loaded?.registrations.notes ?? summary?.refusals ?? outcome.adopted?.refusals ?? []
  }

  /// The number of registrations: found by a probe, else in the file; nil if neither shows it.
  private var registrationCount: Int? {
    progress.withLock { $0.summary }.map { $0.isComplete ? $0.factories.count : nil } ?? outcome.adopted?.functions.count
  }

  private func plugin(in state: PluginState, isMapped: Bool) -> Plugin {
    Plugin(
      path: path, library: isAdoption ? outcome.library?.path : nil, manifest: manifest, state: state, refusals: refusals,
      registrationCount: registrationCount,
      previousRejection: state == .admitted ? previousRejection : nil, staysMapped: isMapped)
  }

  /// Why an earlier probe or load rejected the files; nil once the plugin works.
  var previousRejection: PluginFault? {
    get { progress.withLock { $0.previousRejection } }
    set { progress.withLock { $0.previousRejection = newValue } }
  }

  /// Tells that it was found, unless that has been done. Whoever makes a record does so once it is among the host's, and under
  /// no lock that others may want: a log is anybody's code.
  func tellFound() {
    let isUntold = progress.withLock { progress in
      defer { progress.isUntold = false }
      return progress.isUntold
    }
    if isUntold { send(Self.stateWhenFound(outcome, fault), previous: nil) }
  }

  /// Tells of a change. Not under the lock, since a log is anybody's code; each step is made by one caller, so that the order is
  /// right all the same.
  private func tell(_ state: PluginState, previous: PluginState?, isMapped: Bool = false) {
    // What is told that others were found may have led to this.
    tellFound()
    send(state, previous: previous, isMapped: isMapped)
  }

  private func send(_ state: PluginState, previous: PluginState?, isMapped: Bool = false) {
    func event() -> PluginEvent { PluginEvent(plugin: plugin(in: state, isMapped: isMapped), previous: previous) }
    events.send(event(), of: manifest?.id ?? path, in: state, path: path)
  }
}

// MARK: Before it is loaded

extension PluginRecord {
  /// The id of a plugin that may be loaded once somebody has probed it, or nil.
  var unprobedIdentifier: String? {
    progress.withLock { $0.state == .admitted && !$0.mayRun } ? manifest?.id : nil
  }

  /// Notes that a probe went well, what it told, and what the files contain.
  func pass(_ summary: PluginSummary?, content: ContentHash?) {
    progress.withLock { ($0.mayRun, $0.summary, $0.content) = (true, summary, content) }
  }

  /// Ends the way of a plugin that has not been loaded.
  func reject(_ fault: PluginFault) {
    if begin(.admitted) { finish(.rejected(fault), nil) }
  }

  /// Ends the way of a plugin that has not been loaded and must never be.
  func quarantine(_ fault: PluginFault) {
    if begin(.admitted) { finish(.quarantined(fault), nil) }
  }

  /// What the files contain, or nil if they cannot be read any more.
  func content() -> ContentHash? { ContentHash(of: files) }

  /// Whether the files are still those that were examined.
  var isUnchanged: Bool { files.allSatisfy { PluginFile.Identity.of($0.path) == $0.identity } }

  /// Whether the current files are the examined ones. Once the plugin's image has been opened, or the plugin retired, copies and
  /// touched files with the same content count as well.
  func has(_ current: [RegistryFile.FileState]) -> Bool {
    if current == files { return true }
    let (content, sameFiles, wasUsed) = progress.withLock { ($0.content, $0.sameFiles, $0.state.isUsed) }
    guard wasUsed, let content else { return false }
    if current == sameFiles { return true }
    guard current.map(\.path) == files.map(\.path), current.size == files.size, ContentHash(of: current) == content else {
      return false
    }
    progress.withLock { $0.sameFiles = current }
    return true
  }

  /// That they are not.
  var changedFault: PluginFault {
    fault(
      .changed, "\(isAdoption ? "adopts a library that has" : "has") changed since it was examined",
      "retry after the change")
  }

  /// Holds the plugin's places in the container until one of them is resolved.
  ///
  /// - Parameter old: The plugin whose places they were.
  /// - Returns: Whether that is possible; otherwise the plugin has to be opened.
  func holdPlaces(_ host: PluginHost, needs: [PluginRecord], replacing old: PluginRecord? = nil) -> Bool {
    guard let manifest, let summary = progress.withLock({ $0.state == .admitted && $0.mayRun ? $0.summary : nil }),
      summary.isComplete, !summary.factories.isEmpty
    else { return false }
    guard (try? checkNeeds(manifest, needs, host)) != nil else { return false }
    let places = HeldPlaces(summary, plugin: manifest.id, factories: host.factories) { [weak host, weak self] in
      guard let host, let self else { return }
      try host.open(self)
    }
    guard let places else { return false }
    // Before anybody can see its places.
    if old !== self { host.prepareOpening(self) }
    if let clash = host.factories.add(places.registrations, entries: places.entries, owner: owner, replacing: old?.owner) {
      host.opened.unregister(owner: owner)
      reject(takenFault(clash))
      return true
    }
    progress.withLock { ($0.holdsPlaces, $0.hasUnknownTypes) = (true, places.hasUnknownTypes) }
    if places.hasUnknownTypes { host.noteUnknownTypes() }
    return true
  }

  /// Looks again for types that nobody knew when the places were held, after another image has been opened.
  func renewPlaces(_ host: PluginHost) {
    if progress.withLock({ $0.state == .admitted && $0.holdsPlaces && $0.hasUnknownTypes }) {
      _ = holdPlaces(host, needs: [], replacing: self)
    }
  }
}

// MARK: Loading

extension PluginRecord {
  /// Whether the plugin needs none to be loaded before it, so that its image can be opened before others have registered.
  var isIndependent: Bool { manifest?.requires.isEmpty ?? false }

  /// Begins to load the plugin, which `load` ends, unless somebody has begun.
  func beginLoading(_ host: PluginHost) -> PluginOpening? {
    guard let manifest, begin(.admitted) else { return nil }
    return PluginOpening(self, manifest, host)
  }

  /// Whether its code may run in this process, as far as a probe can tell.
  var mayRun: Bool { progress.withLock { $0.mayRun } }

  /// Opens the image and runs the entry, unless that has been done.
  ///
  /// - Parameters:
  ///   - needs: The plugins that it needs, which have been loaded or failed to.
  ///   - old: The plugin whose registrations go when its own come.
  ///   - begun: What `beginLoading` gave, if somebody has called it.
  /// - Returns: Whether the image has been opened by this.
  @discardableResult
  func load(
    _ host: PluginHost, needs: [PluginRecord], replacing old: PluginRecord? = nil, begun: PluginOpening? = nil
  ) -> Bool {
    guard let manifest, let opening = begun ?? beginLoading(host) else { return false }
    do {
      try checkNeeds(manifest, needs, host)
      guard mayRun else { throw fault(.notProbed, "has not been probed", "retry") }
      let loaded = try opening.register(replacing: old?.owner ?? (isHeld ? owner : nil))
      progress.withLock { $0.holdsPlaces = false }
      finish(.loaded, loaded)
      host.markers?.removeLeftovers(of: files, through: .entering)
      return true
    } catch let fault as PluginFault where fault.code == .changed && isHeld {
      // It keeps its places: whoever resolves one of them next looks at the file again.
      finish(.admitted, nil)
    } catch let fault as PluginFault {
      fail(fault, host)
    } catch {
      fail(fault(.refused, "failed: \(error)", "ask its author"), host)
    }
    return false
  }

  private func fail(_ fault: PluginFault, _ host: PluginHost) {
    if isHeld { host.factories.removeAll(of: owner) }
    finish(.rejected(fault), nil)
  }

  /// Activates the plugin after those that it needs.
  ///
  /// - Parameters:
  ///   - needs: The plugins that it needs, which have been activated or failed to.
  ///   - old: The plugin that it has replaced, whose registrations come back if that fails.
  func activate(_ host: PluginHost, needs: [PluginRecord], replacing old: PluginRecord? = nil) async {
    if activateIfTrivial(host, needs: needs, replacing: old) { return }
    guard let manifest, begin(.loaded), let loaded = progress.withLock({ $0.loaded }) else { return }
    do {
      try checkNeeds(manifest, needs, host)
      host.markers?.add(.activating, files)
      defer { host.markers?.remove(.activating, files) }
      try await loaded.registrations.activate()
      finish(.active, loaded)
      host.markers?.removeLeftovers(of: files)
    } catch let fault as PluginFault {
      giveUp(loaded, fault, old, host)
    } catch {
      giveUp(loaded, fault(.refused, "failed when it was activated: \(error)", "fix it, or remove it"), old, host)
    }
  }

  /// Activates a plugin that has nothing to do then, and gives whether it is one.
  func activateIfTrivial(_ host: PluginHost, needs: [PluginRecord], replacing old: PluginRecord? = nil) -> Bool {
    guard let loaded = progress.withLock({ $0.loaded }) else { return true }
    guard !loaded.registrations.hasActivation else { return false }
    guard let manifest, begin(.loaded) else { return true }
    do {
      try checkNeeds(manifest, needs, host)
      finish(.active, loaded)
    } catch {
      giveUp(loaded, error, old, host)
    }
    return true
  }

  /// Ends the way of a plugin that could not be activated, and gives the one that it has replaced its places back.
  private func giveUp(_ loaded: LoadedPlugin, _ fault: PluginFault, _ old: PluginRecord?, _ host: PluginHost) {
    if let restored = old?.progress.withLock({ $0.loaded }) {
      restored.registrations.restore(replacing: owner)
      loaded.registrations.forget()
    } else if let old, old.holdPlaces(host, needs: [], replacing: self) {
      loaded.registrations.forget()
    } else {
      loaded.registrations.retract()
    }
    finish(.rejected(fault), nil)
  }

  /// Throws a fault if what the plugin needs has failed to load or to be activated.
  private func checkNeeds(_ manifest: Manifest, _ needs: [PluginRecord], _ host: PluginHost) throws(PluginFault) {
    var problems: [(problem: String, remedy: String)] = []
    for requirement in manifest.requires {
      switch requirement {
      case .plugin(let id, _):
        guard let other = needs.first(where: { $0.manifest?.id == id }), let failure = other.failure else { continue }
        problems.append(("needs \(requirement), and \(id) \(failure)", "fix \(other.path) first"))
      case .contract(let name):
        let isOffered = host.factories.all.contains { $0.contract == name }
        if isOffered || manifest.provides.contains(name) { continue }
        let failed = needs.first { $0.failure != nil && $0.manifest?.provides.contains(name) == true }
        let why =
          failed.map { " (\($0.manifest?.id ?? $0.path) \($0.failure ?? ""))" } ?? ", although a manifest declares it"
        problems.append(
          ("needs the contract \(name), which no plugin registered\(why)", "fix the plugin that provides it"))
      }
    }
    guard let first = problems.first else { return }
    throw fault(
      .unmetRequirement, problems.map(\.problem).joined(separator: "; "),
      problems.count == 1 ? first.remedy : "fix each of them")
  }

  /// Why the plugin does not work, as the end of a sentence that begins with it, or nil if it does or has not been asked to.
  private var failure: String? {
    switch progress.withLock({ $0.state }) {
    case .rejected(let fault), .quarantined(let fault): fault.problem
    case .draining, .retired: "is retired"
    case .admitted, .loaded, .active: nil
    }
  }

  /// Begins a step from a state, unless the plugin is in another or somebody is making the step.
  private func begin(_ state: PluginState) -> Bool {
    progress.withLock { progress in
      guard progress.state == state, !progress.isBusy else { return false }
      progress.isBusy = true
      return true
    }
  }

  /// Ends a step, and the plugin's time if it was to be retired meanwhile.
  private func finish(_ state: PluginState, _ loaded: LoadedPlugin?) {
    // What is dropped ends outside the lock: the end of an image runs code of the plugin.
    let (previous, dropped) = progress.withLock { progress in
      defer { (progress.state, progress.loaded) = (state, loaded) }
      return (progress.state, loaded == nil ? progress.loaded : nil)
    }
    withExtendedLifetime(dropped) {}
    if state != previous { tell(state, previous: previous) }
    let (endsRetired, isReplaced) = progress.withLock { progress in
      defer { (progress.isBusy, progress.endsRetired) = (false, false) }
      return (progress.endsRetired, progress.isReplaced)
    }
    if endsRetired { retire(isReplaced: isReplaced) }
  }
}

// MARK: Retirement

extension PluginRecord {
  /// Whether it registers something, or holds its places.
  var isInUse: Bool {
    progress.withLock { $0.state == .loaded || $0.state == .active || $0.state == .admitted && $0.holdsPlaces }
  }

  /// Whether it holds its places, and is opened when one of them is resolved.
  var isHeld: Bool { progress.withLock { $0.holdsPlaces } }

  /// Hashes the files, unless their hash is known or they have changed. A later copy of them is then not a new version.
  func learnContent() {
    guard progress.withLock({ $0.content == nil }), isUnchanged, let content = content() else { return }
    progress.withLock { $0.content = content }
  }

  /// Whether its image has been opened.
  var isOpen: Bool { progress.withLock { $0.state == .loaded || $0.state == .active } }

  /// Takes back what the plugin registered, at once or when the step is done that somebody is making. Its instances live on;
  /// when the last of them is gone, its image is closed, if that can be, and it is retired.
  ///
  /// - Parameters:
  ///   - factories: Where its places are, if it only holds them.
  ///   - isReplaced: Whether somebody else has taken back what it registered.
  func retire(_ factories: FactoryCatalog? = nil, isReplaced: Bool = false) {
    let step = progress.withLock { progress -> (loaded: LoadedPlugin?, previous: PluginState)? in
      if progress.isBusy {
        (progress.endsRetired, progress.isReplaced) = (true, isReplaced)
        return nil
      }
      let previous = progress.state
      guard progress.loaded != nil || previous == .admitted && progress.holdsPlaces else { return nil }
      defer {
        (progress.state, progress.loaded, progress.holdsPlaces) = (progress.loaded == nil ? .retired : .draining, nil, false)
      }
      return (progress.loaded, previous)
    }
    guard let step else { return }
    guard let loaded = step.loaded else {
      if !isReplaced { factories?.removeAll(of: owner) }
      return tell(.retired, previous: step.previous)
    }
    tell(.draining, previous: step.previous)
    loaded.image.interface.completeLog()
    if isReplaced { loaded.registrations.forget() } else { loaded.registrations.retract() }
    // From here on its instances alone hold the image.
  }

  /// Notes that nobody holds the image any more.
  func imageEnded(isMapped: Bool) {
    let wasDraining = progress.withLock { progress in
      progress.isMapped = isMapped
      guard progress.state == .draining else { return false }
      progress.state = .retired
      return true
    }
    guard wasDraining else { return }
    tell(.retired, previous: .draining, isMapped: isMapped)
  }
}

extension PluginState {
  /// Whether the plugin's image has been opened, or the plugin retired.
  fileprivate var isUsed: Bool {
    switch self {
    case .loaded, .active, .draining, .retired: true
    case .rejected, .quarantined, .admitted: false
    }
  }
}

// MARK: Faults

extension PluginRecord {
  /// That another plugin has a UUID that this one registers.
  func takenFault(_ clash: UUIDClash) -> PluginFault {
    fault(.refused, "was refused: \(clash.problem)", UUIDClash.remedy)
  }

  /// A fault of this plugin.
  func fault(_ code: PluginFault.Code, _ problem: String, _ remedy: String) -> PluginFault {
    PluginFault(path: path, code: code, problem: problem, remedy: remedy)
  }
}
