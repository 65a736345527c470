internal import CTroupe
internal import Synchronization
internal import Troupe

/// One plugin's way through the host: admitted, loaded, active, draining, retired. A file that has changed is another plugin.
/// Thread-safe; each step is made by one caller.
final class PluginRecord: Sendable {
  private struct Progress {
    var state: PluginState
    /// Whether its code may run in this process, as far as a probe can tell.
    var mayRun: Bool
    /// What it registers, if a probe has told.
    var summary: PluginSummary?
    /// Whether its places in the container are held, and whether some could not be.
    var holdsPlaces = false
    var hasUnknownTypes = false
    /// What came of loading it, from then to retirement.
    var loaded: Loaded?
    /// Whether its image is still mapped though it is retired.
    var isMapped = false
    /// Whether somebody is making the next step.
    var isBusy = false
    /// Whether the plugin is to be retired as soon as that step is done.
    var endsRetired = false
  }

  struct Loaded {
    let registrations: PluginRegistrations
    /// Held here because a plugin that registers nothing may have threads or handlers of its own.
    let image: PluginImage
  }

  let path: String
  /// What the examination of the file has shown.
  let outcome: Admission.Outcome
  /// Why it could not be loaded when it was found, be it for what it is or for what it needs; nil if it could.
  let fault: PluginFault?
  /// The plugin's file and, if that adopts a library, the library, as they were examined.
  let files: [RegistryFile.FileState]
  /// On whose behalf it registers.
  let owner: Owner
  private let progress: Mutex<Progress>
  private let events: PluginEvents
  private let log: Log

  /// - Parameters:
  ///   - fault: Why it cannot be loaded, be it for what it is or for what it needs; nil if it can.
  ///   - isProbed: Whether its code may run only after a probe has shown that it can.
  init(path: String, outcome: Admission.Outcome, fault: PluginFault?, isProbed: Bool, events: PluginEvents, log: Log) {
    self.path = path
    self.outcome = outcome
    self.fault = fault
    self.events = events
    self.log = log
    files = outcome.files(path)
    owner = Owner(name: outcome.manifest?.id ?? path)
    let state: PluginState =
      fault.map { outcome.isQuarantined ? .quarantined($0) : .rejected($0) } ?? .admitted
    progress = Mutex(Progress(state: state, mayRun: !isProbed))
    tell(state, previous: nil)
  }

  /// What it says about itself.
  var manifest: Manifest? { outcome.manifest }
  private var library: (path: String, identity: PluginFile.Identity)? { outcome.library }
  private var adopted: [AdoptedFunction]? { outcome.adopted }
  private var isAdoption: Bool { AdoptionFile.isName(path) }

  /// The plugin as it is now.
  var plugin: Plugin {
    let (state, isMapped) = progress.withLock { ($0.state, $0.isMapped) }
    return plugin(in: state, isMapped: isMapped)
  }

  private func plugin(in state: PluginState, isMapped: Bool) -> Plugin {
    Plugin(path: path, library: isAdoption ? library?.path : nil, manifest: manifest, state: state, staysMapped: isMapped)
  }

  /// Tells of a change. Not under the lock, since a log is anybody's code; each step is made by one caller, so that the order is
  /// right all the same.
  private func tell(_ state: PluginState, previous: PluginState?, isMapped: Bool = false) {
    func event() -> PluginEvent { PluginEvent(plugin: plugin(in: state, isMapped: isMapped), previous: previous) }
    events.send(event())
    log.write(.debug, manifest?.id ?? path, event().description)
  }
}

// MARK: Before it is loaded

extension PluginRecord {
  /// The id of a plugin that may be loaded once somebody has probed it, or nil.
  var unprobedIdentifier: String? {
    progress.withLock { $0.state == .admitted && !$0.mayRun } ? manifest?.id : nil
  }

  /// Notes that a probe went well, and what it told.
  func pass(_ summary: PluginSummary?) {
    progress.withLock { ($0.mayRun, $0.summary) = (true, summary) }
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

  /// That they are not.
  var changedFault: PluginFault {
    fault(
      .untrusted, "\(isAdoption ? "adopts a library that has" : "has") changed since it was examined",
      "look again, once whoever changes it is done")
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
    if let clash = host.factories.add(places.registrations, entries: places.entries, owner: owner, replacing: old?.owner) {
      reject(takenFault(clash))
      return true
    }
    progress.withLock { ($0.holdsPlaces, $0.hasUnknownTypes) = (true, places.hasUnknownTypes) }
    if places.hasUnknownTypes { host.noteUnknownTypes() }
    if old !== self { host.prepareOpening(self) }
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
  /// Opens the image and runs the entry, unless that has been done.
  ///
  /// - Parameters:
  ///   - needs: The plugins that it needs, which have been loaded or failed to.
  ///   - old: The plugin whose registrations go when its own come.
  /// - Returns: Whether the image has been opened by this.
  @discardableResult
  func load(_ host: PluginHost, needs: [PluginRecord], replacing old: PluginRecord? = nil) -> Bool {
    guard let manifest, begin(.admitted) else { return false }
    do {
      try checkNeeds(manifest, needs, host)
      guard progress.withLock({ $0.mayRun }) else { throw fault(.notProbed, "has not been probed", "look again") }
      let places = progress.withLock { $0.holdsPlaces } ? owner : nil
      let loaded = try open(manifest, host, replacing: old?.owner ?? places)
      progress.withLock { $0.holdsPlaces = false }
      finish(.loaded, loaded)
      return true
    } catch let fault as PluginFault {
      fail(fault, host)
    } catch {
      fail(fault(.refused, "failed: \(error)", "ask its author"), host)
    }
    return false
  }

  private func fail(_ fault: PluginFault, _ host: PluginHost) {
    if progress.withLock({ $0.holdsPlaces }) { host.factories.removeAll(of: owner) }
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
      try await loaded.registrations.activate()
      finish(.active, loaded)
    } catch let fault as PluginFault {
      giveUp(loaded, fault, old)
    } catch {
      giveUp(loaded, fault(.refused, "failed when it was activated: \(error)", "mend it or remove it"), old)
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
      giveUp(loaded, error, old)
    }
    return true
  }

  private func giveUp(_ loaded: Loaded, _ fault: PluginFault, _ old: PluginRecord?) {
    if let restored = old?.progress.withLock({ $0.loaded }) {
      restored.registrations.restore(replacing: owner)
      loaded.registrations.forget()
    } else {
      loaded.registrations.retract()
    }
    finish(.rejected(fault), nil)
  }

  /// Throws a fault if what the plugin needs has failed to load or to be activated.
  private func checkNeeds(_ manifest: Manifest, _ needs: [PluginRecord], _ host: PluginHost) throws(PluginFault) {
    for requirement in manifest.requires {
      switch requirement {
      case .plugin(let id, _):
        guard let other = needs.first(where: { $0.manifest?.id == id }), let failure = other.failure else { continue }
        throw fault(.unmetRequirement, "needs \(requirement), and \(id) \(failure)", "mend \(other.path) first")
      case .contract(let name):
        let isOffered = host.factories.all.contains { $0.contract == name }
        if isOffered || manifest.provides.contains(name) { continue }
        let failed = needs.first { $0.failure != nil && $0.manifest?.provides.contains(name) == true }
        let why =
          failed.map { " (\($0.manifest?.id ?? $0.path) \($0.failure ?? ""))" } ?? ", whatever their manifests say"
        throw fault(
          .unmetRequirement, "needs the contract \(name), which no plugin registered\(why)", "mend the plugin that provides it")
      }
    }
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
  private func finish(_ state: PluginState, _ loaded: Loaded?) {
    // What is dropped ends outside the lock: the end of an image runs code of the plugin.
    let (previous, dropped) = progress.withLock { progress in
      defer { (progress.state, progress.loaded) = (state, loaded) }
      return (progress.state, loaded == nil ? progress.loaded : nil)
    }
    withExtendedLifetime(dropped) {}
    tell(state, previous: previous)
    let endsRetired = progress.withLock { progress in
      defer { (progress.isBusy, progress.endsRetired) = (false, false) }
      return progress.endsRetired
    }
    if endsRetired { retire() }
  }
}

// MARK: Retirement

extension PluginRecord {
  /// Whether it registers something, or holds its places.
  var isInUse: Bool {
    progress.withLock { $0.state == .loaded || $0.state == .active || $0.state == .admitted && $0.holdsPlaces }
  }

  /// Whether its image has been opened.
  var isOpen: Bool { progress.withLock { $0.state == .loaded || $0.state == .active } }

  /// Takes back what the plugin registered, at once or when the step is done that somebody is making. Its instances live on; when the
  /// last of them is gone, its image is closed, if that can be, and it is retired.
  ///
  /// - Parameters:
  ///   - factories: Where its places are, if it only holds them.
  ///   - isReplaced: Whether somebody else has taken back what it registered.
  func retire(_ factories: FactoryCatalog? = nil, isReplaced: Bool = false) {
    let step = progress.withLock { progress -> (loaded: Loaded?, previous: PluginState)? in
      if progress.isBusy {
        progress.endsRetired = true
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
    if isReplaced { loaded.registrations.forget() } else { loaded.registrations.retract() }
    // From here on its instances alone hold the image.
  }

  /// Notes that nobody holds the image any more.
  private func imageEnded(isMapped: Bool) {
    let wasDraining = progress.withLock { progress in
      progress.isMapped = isMapped
      guard progress.state == .draining else { return false }
      progress.state = .retired
      return true
    }
    if wasDraining { tell(.retired, previous: .draining, isMapped: isMapped) }
  }
}

// MARK: Opening

extension PluginRecord {
  private func open(_ manifest: Manifest, _ host: PluginHost, replacing old: Owner?) throws -> Loaded {
    let interface = PluginInterface(
      plugin: manifest, configuration: host.options.configuration[manifest.id] ?? [:], services: host.options.services,
      log: host.options.log, owner: owner, factories: host.factories, ended: { self.imageEnded(isMapped: $0) })
    if let file = files.first(where: { PluginFile.isBeingWritten($0.path) }) {
      throw fault(
        .untrusted, file.path == path ? "is still being written" : "adopts \(file.path), which is still being written",
        "look again, once whoever writes it is done")
    }
    let image = try openImage(interface, host)
    if let adopted {
      try adopt(adopted, image, interface)
    } else {
      try runEntry(image, interface, host)
    }
    if let clash = interface.registrations.publish(replacing: old) {
      interface.keepImage()
      throw takenFault(clash)
    }
    return Loaded(registrations: interface.registrations, image: image)
  }

  private func openImage(_ interface: PluginInterface, _ host: PluginHost) throws -> PluginImage {
    let subject = isAdoption ? "adopts a library that " : ""
    guard let library, let file = try? PluginFile(path: library.path), file.identity == library.identity else {
      throw changedFault
    }
    let stays = try host.options.keepsImages || outcome.holdsSwift ?? self.holdsSwift(file)
    host.options.stepObserver?(ProbeStep(.opening, manifest?.id ?? ""))
    let options = host.options
    do {
      let source =
        options.opensCopies || options.pins != nil
        ? try ImageSource(copyOf: library, id: manifest?.id ?? path, pins: options.pins, isAdopted: isAdoption)
        : ImageSource(library)
      return try PluginImage(source, interface: interface, stays: stays)
    } catch let failure as ImageSource.Failure {
      throw fault(failure.code, subject + failure.problem, failure.remedy)
    } catch let failure as PluginImage.Failure {
      throw fault(.notLoadable, subject + "cannot be loaded: \(failure.message)", "install what it needs, or build it anew")
    }
  }

  /// Whether an image holds Swift, whatever its manifest says. One that may not be opened for what it links is refused.
  private func holdsSwift(_ file: PluginFile) throws -> Bool {
    do {
      return try Admission().checkLinking(path, ELFFile(file.bytes), nil)
    } catch let error as ELFError {
      throw fault(.notALibrary, error.description, "build it anew, or remove it")
    }
  }

  /// Lets a plugin register through its entry.
  private func runEntry(_ image: PluginImage, _ interface: PluginInterface, _ host: PluginHost) throws {
    host.options.stepObserver?(ProbeStep(.entering, manifest?.id ?? ""))
    guard let entry = image.entry else {
      throw fault(.noEntry, "has no function troupe_plugin_main", "define it and mark it TROUPE_EXPORT")
    }
    ThreadText.failure.set(nil)
    let status = interface.registrations.run(image) { entry(interface.registrar.pointer) }
    let message = ThreadText.failure.take()
    guard status != TROUPE_OK else { return }
    interface.registrations.discard()
    // A plugin that gave up half way may have left threads or handlers behind.
    interface.keepImage()
    let notes = interface.registrations.notes
    let reason = message ?? (notes.isEmpty ? nil : notes.joined(separator: "; "))
    throw fault(
      .refused, "was refused by its own entry, which returned \(statusName(status))" + (reason.map { ": " + $0 } ?? ""),
      "mend it or remove it")
  }

  /// Registers the functions of a library that has no entry.
  private func adopt(_ functions: [AdoptedFunction], _ image: PluginImage, _ interface: PluginInterface) throws {
    do {
      try AdoptedLibrary(image: image, interface: interface).register(functions)
    } catch {
      interface.registrations.discard()
      throw fault(error.code, error.problem, error.remedy)
    }
  }

  private func takenFault(_ clash: UUIDClash) -> PluginFault {
    fault(.refused, "was refused: \(clash.problem)", UUIDClash.remedy)
  }

  private func fault(_ code: PluginFault.Code, _ problem: String, _ remedy: String) -> PluginFault {
    PluginFault(path: path, code: code, problem: problem, remedy: remedy)
  }

  /// A status by its name in the header.
  private func statusName(_ status: troupe_status) -> String {
    let names = [
      "TROUPE_OK", "TROUPE_FAILED", "TROUPE_INVALID_ARGUMENT", "TROUPE_INVALID_SIGNATURE", "TROUPE_DUPLICATE",
      "TROUPE_INVALID_CONTRACT", "TROUPE_TOO_LATE", "TROUPE_WRONG_THREAD", "TROUPE_NOT_FOUND", "TROUPE_AMBIGUOUS",
      "TROUPE_OUT_OF_MEMORY",
    ]
    return names.indices.contains(Int(status)) ? names[Int(status)] : "the status \(status)"
  }
}
