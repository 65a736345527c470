internal import TroupeContainer
internal import TroupeFiles
internal import TroupeSandbox

/// All plugins of a host as one value: for each its file and one state with the data of that state.
///
///              ┌────────────┬──────────────┬────────────┬──► rejected; from the first two also quarantined
///     found ─► admitted ─► opening ─► loaded ─► activating ─► active ─► draining ─► retired
///                 └─── has pending registrations only ───────────────────────────────▲
///
/// `apply` makes one transition, without side effects: it returns what follows, and `PluginStore` does that without its lock, since it runs
/// foreign code. Two states belong to one caller: the one whose event led to `opening` or `activating` sends the event that ends it. A
/// retirement that is requested meanwhile is data of that state, and follows at its end.
///
/// A plugin is identified by its `PluginFile`, so a changed file is another plugin. A replaced plugin is not listed any more, and leaves the
/// table once it is retired.
///
/// A plugin that is to replace another one is listed in its place at once, and takes over its registrations when it registers. The other
/// one stays in use until the new one is active. Then it is retired; if the new one fails, it is listed again. Whoever retires the new one
/// meanwhile retires both.
struct PluginTable {
  /// A state with its data. `PluginState` has the view for others, to which `opening` is `admitted` and `activating` is `loaded`.
  enum State: Sendable {
    case rejected(Diagnosis, Stage)
    case quarantined(Diagnosis, Stage)
    case admitted(Admitted)
    case opening(Admitted, isRetired: Bool)
    case loaded(LoadedPlugin)
    case activating(LoadedPlugin, TaskEvent, isRetired: Bool)
    case active(LoadedPlugin)
    case draining
    case retired
  }

  /// The stage that found the fault of a plugin. Discovery looks at the files alone, also at those of needed plugins; loading includes probes.
  enum Stage: Sendable, Equatable {
    case discovery, loading
  }

  struct Admitted: Sendable {
    /// True if the code may run in this process: it has passed a probe or needs none.
    var mayRun: Bool
    var pending: Pending?
    /// The fault for which an earlier probe or load rejected the files.
    var previousRejection: Diagnosis?
  }

  /// The registrations in place of those of a plugin that is not open. The first resolve of one opens the plugin.
  struct Pending: Sendable {
    /// True if the program does not know the types of some.
    var hasUnknownTypes = false
    /// The keys whose Swift types are the program's own. If the opened plugin registers another type of that name, it has a copy of the type,
    /// and the log says so. Empty once an image with Swift is open, which may have provided the types.
    var programKeys: [AnyKey] = []
  }

  /// Files that could not replace a plugin. The plugin stays.
  struct FailedReplacement: Sendable {
    /// Faults that were logged, so that each is logged once.
    var diagnoses: [Diagnosis] = []
    /// No refresh tries these files again until they change.
    var files: [FileState]?
  }

  /// A plugin. What only one state needs is in `state`; the other members outlive transitions.
  struct Element: Sendable {
    let file: PluginFile
    let owner: Owner
    fileprivate(set) var state: State
    /// The plugin in use that this one is to replace. Nil after the replacement, be it successful or not.
    var replaced: PluginFile?
    /// The registrations and warnings that a probe has reported.
    fileprivate(set) var summary: PluginSummary?
    /// The hash of the examined files, if it was needed, and a later state of the files with that content.
    var content: ContentHash?
    var sameFiles: [FileState]?
    /// Changes of this process by the load, which do no harm and are logged.
    var warnings: [String] = []
    var failedReplacement = FailedReplacement()
    /// The image is still mapped after the release of the last reference.
    fileprivate(set) var isMapped = false
    fileprivate var isAnnounced = false
    fileprivate var isListed = true
    /// Held while the plugin is opened, while a new version takes over its registrations, and while it is retired, but not by a shutdown. Made
    /// at the first use.
    var lock: TrackedLock?

    init(_ file: PluginFile, _ state: State, replacing replaced: PluginFile? = nil) {
      (self.file, self.state, self.replaced) = (file, state, replaced)
      owner = Owner(name: file.id, allowsPartialTags: true)
    }
  }

  enum Event: Sendable {
    /// The host has the plugin, and others may learn of it.
    case announce
    /// The plugin has passed a probe, or need not pass one. The content is that of the probed files.
    case pass(PluginSummary?, ContentHash?)
    case reject(Diagnosis)
    case quarantine(Diagnosis)
    /// An earlier host has rejected the files, or this one has found that they work.
    case recall(previousRejection: Diagnosis?)
    case addPending(Pending)
    case beginOpening
    case endOpening(LoadedPlugin)
    case failOpening(Diagnosis)
    /// The file has changed. The pending registrations stay for a later attempt.
    case postponeOpening
    /// The event is signaled at the end.
    case beginActivation(TaskEvent)
    case endActivation
    case failActivation(Diagnosis)
    /// Unregister the plugin, and the one that it was to replace. Their instances live on.
    case retire
    /// The last reference to the image was released.
    case releaseImage(isMapped: Bool)
  }

  /// What follows a transition. The values hold the data of the state before, so their release may run code of the plugin.
  enum Effect: Sendable {
    /// Sends an event with the plugin after the transition. `previous` is nil for a plugin that was found.
    case send(Element, previous: State?)
    case unregister(Owner)
    /// Ends the log of the plugin, and unregisters it.
    case close(LoadedPlugin)
  }

  /// The plugins of the last scan; nil before the first one.
  private(set) var list: DiscoveredPlugins?
  private var elements: [ObjectIdentifier: Element] = [:]
  /// The plugins with pending registrations of unknown types.
  private(set) var unknown: [ObjectIdentifier: PluginFile] = [:]

  /// The plugins of the last scan, in its order.
  var listed: [Element] { list?.files.map { self[$0] } ?? [] }

  /// False if a retirement of all plugins would change nothing, as at the end of a program that only lists them.
  var hasPluginsInUse: Bool { elements.values.contains { !$0.hasEnded || $0.replaced != nil } }

  /// A plugin that has left the table is retired.
  subscript(file: PluginFile) -> Element { elements[ObjectIdentifier(file)] ?? Element(file, .retired) }

  /// Changes members other than the state. Does nothing if the plugin has left the table.
  mutating func update(_ file: PluginFile, _ body: (inout Element) -> Void) {
    guard let index = elements.index(forKey: ObjectIdentifier(file)) else { return }
    body(&elements.values[index])
  }

  /// Takes over the result of a scan.
  ///
  /// - Parameters:
  ///   - list: The present plugins.
  ///   - new: Those among them that are not in the table, each with the fault for which it cannot be loaded.
  ///   - replaced: The plugins that they are to replace, by the paths of the new ones.
  ///   - isProbed: True if the code of a new plugin may run only after a successful probe.
  mutating func list(
    _ list: DiscoveredPlugins, adding new: [FoundPlugin], replacing replaced: [String: PluginFile] = [:], isProbed: Bool
  ) {
    elements.reserveCapacity(elements.count + new.count)
    for plugin in new {
      let state: State =
        switch plugin.diagnosis {
        case let diagnosis? where plugin.file.outcome.isQuarantined: .quarantined(diagnosis, .discovery)
        case let diagnosis?: .rejected(diagnosis, .discovery)
        case nil: .admitted(Admitted(mayRun: !isProbed))
        }
      elements[ObjectIdentifier(plugin.file)] = Element(plugin.file, state, replacing: replaced[plugin.file.path])
    }
    let present = Set(list.files.map(ObjectIdentifier.init))
    for file in self.list?.files ?? [] where !present.contains(ObjectIdentifier(file)) { unlist(file) }
    self.list = list
  }

  /// Lists a plugin again in place of the one that was to replace it.
  mutating func restore(_ old: PluginFile, inPlaceOf new: PluginFile) {
    update(old) { $0.isListed = true }
    list = list?.replacing(new, with: old)
    unlist(new)
  }

  /// Notes the files that cannot replace plugins.
  ///
  /// - Parameter isComplete: True if all other faults have been fixed.
  /// - Returns: Those that the log does not have yet.
  mutating func note(_ unreplaced: [DiscoveryDiff.UnreplacedPlugin], isComplete: Bool) -> [DiscoveryDiff.UnreplacedPlugin] {
    let news = unreplaced.filter { !self[$0.file].failedReplacement.diagnoses.contains($0.diagnosis) }
    if isComplete {
      for file in list?.files ?? [] { update(file) { $0.failedReplacement.diagnoses = [] } }
    }
    for plugin in unreplaced {
      update(plugin.file) { element in
        element.failedReplacement.diagnoses.removeAll { $0.subject == plugin.diagnosis.subject }
        element.failedReplacement.diagnoses.append(plugin.diagnosis)
      }
    }
    return news
  }

  private mutating func unlist(_ file: PluginFile) {
    update(file) { $0.isListed = false }
    removeIfEnded(file)
  }

  private mutating func removeIfEnded(_ file: PluginFile) {
    guard let index = elements.index(forKey: ObjectIdentifier(file)) else { return }
    if !elements.values[index].isListed, elements.values[index].hasEnded { elements.remove(at: index) }
  }
}

// MARK: Transitions

extension PluginTable {
  /// Makes a transition.
  ///
  /// - Returns: What follows, in order. Nil if the event does not belong to the state, and for a retirement also not to that of the plugin that
  ///   was to be replaced.
  mutating func apply(_ event: Event, to file: PluginFile) -> [Effect]? {
    guard case .retire = event, let replaced = self[file].replaced else { return applyToOne(event, file) }
    update(file) { $0.replaced = nil }
    let effects = (applyToOne(event, file), applyToOne(event, replaced))
    return effects.0 == nil && effects.1 == nil ? nil : (effects.0 ?? []) + (effects.1 ?? [])
  }

  private mutating func applyToOne(_ event: Event, _ file: PluginFile) -> [Effect]? {
    let id = ObjectIdentifier(file)
    // In place, since an element has many references and a start has an event for each plugin.
    guard let index = elements.index(forKey: id) else { return nil }
    let isAnnounced = elements.values[index].isAnnounced
    // A handler of the first event may cause another one, which then follows it.
    let before: Element? = if case .announce = event { nil } else { isAnnounced ? nil : elements.values[index] }
    guard var effects = elements.values[index].apply(event) else { return nil }
    if !isAnnounced, effects.contains(where: { if case .send = $0 { true } else { false } }) {
      elements.values[index].isAnnounced = true
      if let before { effects.insert(.send(before, previous: nil), at: 0) }
    }
    if elements.values[index].pending?.hasUnknownTypes == true {
      unknown[id] = file
    } else if !unknown.isEmpty {
      unknown[id] = nil
    }
    removeIfEnded(file)
    return effects
  }
}

extension PluginTable {
  /// The plugin in use in the place of a listed one: that one or, if it has failed, the one that it was to replace.
  func pluginInUse(_ element: Element) -> PluginFile? {
    if element.isInUse { return element.file }
    return element.replaced.flatMap { self[$0].isInUse ? $0 : nil }
  }
}

extension PluginTable.Element {
  fileprivate mutating func apply(_ event: PluginTable.Event) -> [PluginTable.Effect]? {
    switch (event, state) {
    case (.announce, _):
      return isAnnounced ? nil : [.send(self, previous: nil)]
    case (.pass(let summary, let content), _):
      if case .admitted(var admitted) = state {
        admitted.mayRun = true
        state = .admitted(admitted)
      }
      (self.summary, self.content) = (summary, content)
      return []
    case (.recall(let diagnosis), .admitted(var admitted)):
      admitted.previousRejection = diagnosis
      state = .admitted(admitted)
      return []
    case (.reject(let diagnosis), .admitted):
      return fail(.rejected(diagnosis, .loading))
    case (.quarantine(let diagnosis), .admitted):
      return fail(.quarantined(diagnosis, .loading))
    case (.addPending(let pending), .admitted(var admitted)):
      admitted.pending = pending
      state = .admitted(admitted)
      return []
    case (.beginOpening, .admitted(let admitted)):
      state = .opening(admitted, isRetired: false)
      return []
    case (.endOpening(let loaded), .opening(_, let isRetired)):
      return enter(.loaded(loaded)) + (isRetired ? retire() : [])
    case (.failOpening(let diagnosis), .opening):
      return fail(.rejected(diagnosis, .loading))
    case (.postponeOpening, .opening(let admitted, let isRetired)):
      state = .admitted(admitted)
      return isRetired ? retire() : []
    case (.beginActivation(let end), .loaded(let loaded)):
      state = .activating(loaded, end, isRetired: false)
      return []
    case (.endActivation, .activating(let loaded, _, let isRetired)):
      return enter(.active(loaded.withoutFormer)) + (isRetired ? retire() : [])
    case (.failActivation(let diagnosis), .activating):
      return [.unregister(owner)] + enter(.rejected(diagnosis, .loading))
    case (.retire, .opening(let admitted, _)):
      state = .opening(admitted, isRetired: true)
      return []
    case (.retire, .activating(let loaded, let end, _)):
      state = .activating(loaded, end, isRetired: true)
      // Now, since an activation may never end. Its end makes the transition.
      return [.unregister(owner)]
    case (.retire, _):
      let effects = retire()
      return effects.isEmpty ? nil : effects
    case (.releaseImage(let isMapped), _):
      self.isMapped = isMapped
      guard case .draining = state else { return [] }
      return enter(.retired)
    default:
      return nil
    }
  }

  private mutating func enter(_ next: PluginTable.State) -> [PluginTable.Effect] {
    let previous = state
    state = next
    return [.send(self, previous: previous)]
  }

  private mutating func fail(_ next: PluginTable.State) -> [PluginTable.Effect] {
    (pending == nil ? [] : [.unregister(owner)]) + enter(next)
  }

  private mutating func retire() -> [PluginTable.Effect] {
    if let loaded { return enter(.draining) + [.close(loaded)] }
    guard pending != nil else { return [] }
    return [.unregister(owner)] + enter(.retired)
  }
}

// MARK: Views of a state

extension PluginTable.State {
  /// The state for others.
  var view: PluginState {
    switch self {
    case .rejected(let diagnosis, _): .rejected(diagnosis)
    case .quarantined(let diagnosis, _): .quarantined(diagnosis)
    case .admitted, .opening: .admitted
    case .loaded, .activating: .loaded
    case .active: .active
    case .draining: .draining
    case .retired: .retired
    }
  }
}

extension PluginTable.Element {
  private var admitted: PluginTable.Admitted? {
    switch state {
    case .admitted(let admitted), .opening(let admitted, _): admitted
    default: nil
    }
  }

  /// Nil for a plugin without pending registrations, and for an open one.
  var pending: PluginTable.Pending? { admitted?.pending }

  /// The open plugin, until it is retired.
  var loaded: LoadedPlugin? {
    switch state {
    case .loaded(let loaded), .activating(let loaded, _, _), .active(let loaded): loaded
    default: nil
    }
  }

  /// The plugin is open, and an activation has yet to begin or to end.
  var awaitsActivation: Bool {
    switch state {
    case .loaded, .activating: true
    default: false
    }
  }

  /// The end of the activation that runs.
  var activation: TaskEvent? {
    if case .activating(_, let end, _) = state { end } else { nil }
  }

  /// The host has found the plugin, and has yet to probe or register it.
  var isUnregistered: Bool {
    guard case .admitted(let admitted) = state else { return false }
    return admitted.pending == nil
  }

  /// The plugin has registrations, be they pending.
  var isInUse: Bool { loaded != nil || pending != nil }

  /// The plugin has registrations, and nobody has requested its retirement.
  var staysInUse: Bool {
    switch state {
    case .opening(_, isRetired: true), .activating(_, _, isRetired: true): false
    default: isInUse
    }
  }

  /// The image has been opened, or the plugin retired.
  private var wasUsed: Bool {
    switch state {
    case .loaded, .activating, .active, .draining, .retired: true
    case .rejected, .quarantined, .admitted, .opening: false
    }
  }

  /// No transition follows any more, nor does an instance live, unless the plugin is loaded again.
  fileprivate var hasEnded: Bool {
    switch state {
    case .rejected, .quarantined, .retired: true
    case .admitted(let admitted): admitted.pending == nil
    case .opening, .loaded, .activating, .active, .draining: false
    }
  }

  /// The fault of discovery.
  var foundDiagnosis: Diagnosis? {
    switch state {
    case .rejected(let diagnosis, .discovery), .quarantined(let diagnosis, .discovery): diagnosis
    default: nil
    }
  }

  var diagnosis: Diagnosis? { state.view.diagnosis }

  /// What loading the plugin changes in the process without harm.
  var allWarnings: [String] { (summary?.warnings ?? []) + warnings }

  var mayRun: Bool { admitted?.mayRun ?? false }
  var previousRejection: Diagnosis? { admitted?.previousRejection }

  /// The ID of a plugin that may be loaded after a probe.
  var unprobedID: String? {
    guard case .admitted(let admitted) = state, !admitted.mayRun else { return nil }
    return file.manifest?.id
  }

  /// The registrations of a probe from which pending ones can be made. Nil without a probe, if they are incomplete, and once the plugin is
  /// open.
  var pendingSummary: PluginSummary? {
    guard mayRun, let summary, summary.isComplete, !summary.registrations.isEmpty else { return nil }
    return summary
  }

  /// The registrations that a probe or the adoption file shows, without contracts of Swift types.
  var knownRegistrations: [RegistrationDescription] {
    summary?.registrations ?? file.outcome.adopted?.functions.map(\.description) ?? []
  }

  /// Why the plugin does not work, as the end of a sentence that begins with it. Nil if it works or has not been loaded.
  var failure: String? {
    switch state.view {
    case .rejected(let diagnosis), .quarantined(let diagnosis): diagnosis.problem
    case .draining, .retired: "is retired"
    case .admitted, .loaded, .active: nil
    }
  }

  /// Returns true if these are the examined files. Once the image has been opened, or the plugin retired, copies and touched files with the
  /// same content count as well; those have to be read.
  func has(_ current: [FileState]) -> Bool {
    let files = file.files
    if current == files { return true }
    guard wasUsed, let content else { return false }
    if current == sameFiles { return true }
    return current.map(\.path) == files.map(\.path) && current.size == files.size && ContentHash(of: current) == content
  }
}

extension Plugin {
  /// The view of a plugin in the table.
  init(_ element: PluginTable.Element) {
    let (file, summary) = (element.file, element.summary)
    let adopted = file.outcome.adopted
    self.init(
      path: file.path, library: file.isAdoption ? file.outcome.library?.path : nil, manifest: file.manifest,
      state: element.state.view,
      refusals: element.loaded?.registrations.refusals ?? summary?.refusals ?? adopted?.refusals ?? [],
      warnings: element.allWarnings,
      registrationCount: summary.map { $0.isComplete ? $0.registrations.count : nil } ?? adopted?.functions.count,
      previousRejection: element.previousRejection, staysMapped: element.isMapped)
  }
}
