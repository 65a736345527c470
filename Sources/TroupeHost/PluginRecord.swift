internal import CTroupe
internal import Synchronization
internal import Troupe

/// One plugin's way through the host: admitted, loaded, active, retired. Thread-safe; each step is made by one caller.
final class PluginRecord: Sendable {
  private struct Progress {
    var state: PluginState
    /// What came of loading it, from then to retirement.
    var loaded: Loaded?
    /// Whether somebody is making the next step.
    var isBusy = false
    /// Whether the plugin is to be retired as soon as that step is done.
    var endsRetired = false
  }

  private struct Loaded {
    let registrations: PluginRegistrations
    /// Held here because a plugin that registers nothing may have threads or handlers of its own.
    let image: PluginImage
  }

  private let path: String
  private let manifest: Manifest?
  private let holdsSwift: Bool?
  private let library: (path: String, identity: PluginFile.Identity)?
  private let isAdoption: Bool
  private let adopted: [AdoptedFunction]?
  private let progress: Mutex<Progress>
  private let events: PluginEvents
  private let log: Log

  init(path: String, outcome: Admission.Outcome, events: PluginEvents, log: Log) {
    self.path = path
    self.events = events
    self.log = log
    manifest = outcome.manifest
    library = outcome.library
    isAdoption = AdoptionFile.isName(path)
    adopted = outcome.adopted
    holdsSwift = outcome.holdsSwift
    progress = Mutex(Progress(state: outcome.fault.map { .rejected($0) } ?? .admitted))
    tell(PluginEvent(plugin: plugin, previous: nil))
  }

  /// The plugin as it is now.
  var plugin: Plugin { plugin(in: progress.withLock { $0.state }) }

  private func plugin(in state: PluginState) -> Plugin {
    Plugin(path: path, library: isAdoption ? library?.path : nil, manifest: manifest, state: state)
  }

  /// Tells of a change. Not under the lock, since a log is anybody's code; each step is made by one caller, so that the order is
  /// right all the same.
  private func tell(_ event: @autoclosure () -> PluginEvent) {
    events.send(event())
    log.write(.debug, manifest?.id ?? path, event().description)
  }

  /// Opens the image and runs the entry, unless that has been done.
  ///
  /// - Parameter needs: The plugins that it needs, which have been loaded or failed to.
  func load(_ host: PluginHost, needs: [PluginRecord]) {
    guard let manifest, begin(.admitted) else { return }
    do {
      try checkNeeds(manifest, needs, host)
      finish(.loaded, try open(manifest, host))
    } catch let fault as PluginFault {
      finish(.rejected(fault), nil)
    } catch {
      finish(.rejected(fault(.refused, "failed: \(error)", "ask its author")), nil)
    }
  }

  /// Activates the plugin after all have been loaded.
  ///
  /// - Parameter needs: The plugins that it needs, which have been activated or failed to.
  func activate(_ host: PluginHost, needs: [PluginRecord]) async {
    guard let manifest, begin(.loaded), let loaded = progress.withLock({ $0.loaded }) else { return }
    do {
      try checkNeeds(manifest, needs, host)
      try await loaded.registrations.activate()
      finish(.active, loaded)
    } catch let fault as PluginFault {
      loaded.registrations.retract()
      finish(.rejected(fault), nil)
    } catch {
      loaded.registrations.retract()
      finish(.rejected(fault(.refused, "failed when it was activated: \(error)", "mend it or remove it")), nil)
    }
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
    case .rejected(let fault): fault.problem
    case .retired: "is retired"
    case .admitted, .loaded, .active: nil
    }
  }

  /// Takes back what the plugin registered, at once or when the step is done that somebody is making.
  func retire() {
    // What is taken out ends outside the lock: the end of an image runs code of the plugin.
    let retired = progress.withLock { progress -> (loaded: Loaded?, previous: PluginState)? in
      if progress.isBusy {
        progress.endsRetired = true
        return nil
      }
      guard progress.state == .loaded || progress.state == .active else { return nil }
      defer { progress = Progress(state: .retired) }
      return (progress.loaded, progress.state)
    }
    guard let retired else { return }
    retired.loaded?.registrations.retract()
    tell(PluginEvent(plugin: plugin(in: .retired), previous: retired.previous))
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
    let previous = progress.withLock { progress in
      defer {
        progress.state = state
        progress.loaded = loaded
      }
      return progress.state
    }
    tell(PluginEvent(plugin: plugin(in: state), previous: previous))
    let endsRetired = progress.withLock { progress in
      defer { (progress.isBusy, progress.endsRetired) = (false, false) }
      return progress.endsRetired
    }
    if endsRetired { retire() }
  }

  private func open(_ manifest: Manifest, _ host: PluginHost) throws -> Loaded {
    let interface = PluginInterface(
      plugin: manifest, configuration: host.options.configuration[manifest.id] ?? [:], services: host.options.services,
      log: host.options.log, owner: Owner(name: manifest.id), factories: host.factories)
    let image = try openImage(interface, host)
    if let adopted {
      try adopt(adopted, image, interface)
    } else {
      try runEntry(image, interface)
    }
    if let other = interface.registrations.publish() {
      interface.keepImage()
      throw fault(
        .refused, "has a UUID that \"\(other.name)\" of \(other.plugin) took while this was loaded", "make another with uuidgen"
      )
    }
    return Loaded(registrations: interface.registrations, image: image)
  }

  private func openImage(_ interface: PluginInterface, _ host: PluginHost) throws -> PluginImage {
    guard let library, let file = try? PluginFile(path: library.path), file.identity == library.identity else {
      let what = isAdoption ? "adopts a library that has" : "has"
      throw fault(.untrusted, "\(what) changed since it was examined", "look again, once whoever changes it is done")
    }
    let stays = try host.options.keepsImages || holdsSwift ?? self.holdsSwift(file)
    do {
      return try PluginImage(path: library.path, interface: interface, stays: stays)
    } catch {
      let what = isAdoption ? "adopts a library that cannot" : "cannot"
      throw fault(.notLoadable, "\(what) be loaded: \(error.message)", "install what it needs, or build it anew")
    }
  }

  /// Whether an image holds Swift, whatever its manifest says.
  private func holdsSwift(_ file: PluginFile) throws(PluginFault) -> Bool {
    do {
      return try ELFFile(file.bytes).holdsSwift()
    } catch {
      throw fault(.notALibrary, error.description, "build it anew, or remove it")
    }
  }

  /// Lets a plugin register through its entry.
  private func runEntry(_ image: PluginImage, _ interface: PluginInterface) throws {
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
