internal import FoundationEssentials
internal import Synchronization
internal import Troupe
internal import TroupeFiles
internal import TroupeSandbox

/// The state of one plugin in the host, from admission to retirement. A changed file is another plugin. The stages of the host make
/// the transitions. Thread-safe; one caller makes each transition.
final class PluginRecord: Sendable {
  /// The facts about the plugin besides its state.
  private struct Facts {
    var progress: PluginProgress<LoadedPlugin>
    /// Whether the `found` event is still to be sent.
    var isUntold = true
    /// Whether its code may run in this process: it has passed a probe or needs none.
    var mayRun: Bool
    /// Its registrations, if a probe has reported them.
    var summary: PluginSummary?
    /// What loading it in this process has changed without harm.
    var warnings: [String] = []
    /// The content hash of the examined files, if a probe required it, and a later state of the files with that content.
    var content: ContentHash?
    var sameFiles: [FileState]?
    /// The fault for which an earlier probe or load rejected the files.
    var previousRejection: Diagnosis?
    /// Whether its image is still mapped after the release of the last reference.
    var isMapped = false

    /// The warnings of its probe.
    var knownWarnings: [String] { summary?.warnings ?? [] }
  }

  let path: String
  /// The result of the examination of the file.
  let outcome: Admission.Outcome
  /// The fault with which it was found, of its own or of its requirements; nil if it could be loaded.
  let diagnosis: Diagnosis?
  /// The plugin's file and, for an adopting file, the library, as they were examined.
  var files: [FileState] { outcome.files(path) }
  /// The owner of its registrations.
  let owner: Owner
  /// The container of its registrations.
  private let container: Container
  private let initial: PluginProgress<LoadedPlugin>.Phase
  private let facts: Mutex<Facts>
  private let events: PluginEvents

  /// Creates the record of a plugin that was found. `tellFound` sends the event.
  ///
  /// - Parameters:
  ///   - diagnosis: The fault for which it cannot be loaded, of its own or of its requirements; nil if it can.
  ///   - isProbed: Whether its code may run only after a successful probe.
  init(
    path: String, outcome: Admission.Outcome, diagnosis: Diagnosis?, isProbed: Bool, events: PluginEvents, container: Container
  ) {
    self.path = path
    self.outcome = outcome
    self.diagnosis = diagnosis
    self.events = events
    self.container = container
    owner = Owner(name: outcome.manifest?.id ?? path, allowsPartialTags: true)
    initial = diagnosis.map { outcome.isQuarantined ? .quarantined($0) : .rejected($0) } ?? .admitted(nil)
    facts = Mutex(Facts(progress: PluginProgress(initial), mayRun: !isProbed))
  }

  /// Its manifest.
  var manifest: Manifest? { outcome.manifest }
  /// Whether the file adopts a library.
  var isAdoption: Bool { PluginFileName.isAdoption(path) }

  /// The current snapshot of the plugin.
  var plugin: Plugin {
    let (state, isMapped) = facts.withLock { ($0.progress.state, $0.isMapped) }
    return plugin(in: state, isMapped: isMapped)
  }

  /// The reasons for refused registrations: found by loading, else by a probe, else in the file.
  private var refusals: [Diagnosis] {
    let (loaded, summary) = facts.withLock { ($0.progress.loaded, $0.summary) }
    return loaded?.registrations.refusals ?? summary?.refusals ?? outcome.adopted?.refusals ?? []
  }

  /// The number of registrations: found by a probe, else in the file; nil if neither shows it.
  private var registrationCount: Int? {
    facts.withLock { $0.summary }.map { $0.isComplete ? $0.registrations.count : nil } ?? outcome.adopted?.functions.count
  }

  private func plugin(in state: PluginState, isMapped: Bool) -> Plugin {
    Plugin(
      path: path, library: isAdoption ? outcome.library?.path : nil, manifest: manifest, state: state, refusals: refusals,
      warnings: facts.withLock { $0.knownWarnings + $0.warnings }, registrationCount: registrationCount,
      previousRejection: state == .admitted ? previousRejection : nil, staysMapped: isMapped)
  }

  /// Notes what loading it has changed in the process without harm. Returns false if its probe has shown that.
  func warn(_ warning: String) -> Bool {
    facts.withLock { facts in
      guard !(facts.knownWarnings + facts.warnings).contains(warning) else { return false }
      facts.warnings.append(warning)
      return true
    }
  }

  /// The opening that its lazy registrations share; nil if there are none.
  var opening: LoadOnce? { facts.withLock { $0.progress.lazy?.opening } }

  /// The fault for which an earlier probe or load rejected the files; nil once the plugin works.
  var previousRejection: Diagnosis? {
    get { facts.withLock { $0.previousRejection } }
    set { facts.withLock { $0.previousRejection = newValue } }
  }

  /// Sends the `found` event, unless it has been sent. The creator of a record calls this once the host has the record, and without a
  /// lock that log handlers may need.
  func tellFound() {
    let isUntold = facts.withLock { facts in
      defer { facts.isUntold = false }
      return facts.isUntold
    }
    if isUntold { send(PluginProgress(initial).state, previous: nil) }
  }

  /// Sends a state change without the lock, since log handlers may call the host. The order is right because one caller makes each
  /// transition.
  private func tell(_ state: PluginState, previous: PluginState?, isMapped: Bool = false) {
    // A handler of the `found` event may have caused this transition.
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
  /// The id of a plugin that may be loaded after a probe, or nil.
  var unprobedIdentifier: String? {
    facts.withLock { $0.progress.state == .admitted && !$0.mayRun } ? manifest?.id : nil
  }

  /// The registrations that a probe or the adoption file shows, without contracts of Swift types.
  var knownRegistrations: [RegistrationDescription] {
    facts.withLock { $0.summary?.registrations } ?? outcome.adopted?.functions.map(\.description) ?? []
  }

  /// Records a successful probe with its registrations and the content of the files.
  func pass(_ summary: PluginSummary?, content: ContentHash?) {
    facts.withLock { ($0.mayRun, $0.summary, $0.content) = (true, summary, content) }
  }

  /// Rejects a plugin that has not been loaded.
  func reject(_ diagnosis: Diagnosis) {
    if begin(.admitted) { fail(.rejected(diagnosis)) }
  }

  /// Quarantines a plugin that has not been loaded.
  func quarantine(_ diagnosis: Diagnosis) {
    if begin(.admitted) { fail(.quarantined(diagnosis)) }
  }

  /// Returns the content hash of the files, or nil if they cannot be read any more.
  func content() -> ContentHash? { ContentHash(of: files) }

  /// Whether the files are unchanged since the examination.
  var isUnchanged: Bool { files.allSatisfy(\.isUnchanged) }

  /// Whether the current files are the examined ones. Once the plugin's image has been opened, or the plugin retired, copies and
  /// touched files with the same content count as well.
  func has(_ current: [FileState]) -> Bool {
    if current == files { return true }
    let (content, sameFiles, wasUsed) = facts.withLock { ($0.content, $0.sameFiles, $0.progress.wasUsed) }
    guard wasUsed, let content else { return false }
    if current == sameFiles { return true }
    guard current.map(\.path) == files.map(\.path), current.size == files.size, ContentHash(of: current) == content else {
      return false
    }
    facts.withLock { $0.sameFiles = current }
    return true
  }

  /// The fault of changed files.
  var changedDiagnosis: Diagnosis {
    diagnosis(
      .changed, "\(isAdoption ? "adopts a library that has" : "has") changed since it was examined",
      "retry after the change")
  }

  /// The complete registrations that a probe has reported, if the plugin may be loaded; otherwise nil.
  var lazySummary: PluginSummary? {
    let summary = facts.withLock { $0.progress.state == .admitted && $0.mayRun ? $0.summary : nil }
    return summary?.isComplete == true && summary?.registrations.isEmpty == false ? summary : nil
  }

  /// Sets the lazy registrations. Returns false if the plugin is not admitted any more.
  func setLazy(_ lazy: PluginProgress<LoadedPlugin>.Lazy) -> Bool { facts.withLock { $0.progress.setLazy(lazy) } }

  /// Whether lazy registrations have unknown types.
  var hasUnknownTypes: Bool { facts.withLock { $0.progress.lazy?.hasUnknownTypes == true } }

  /// Whether the plugin requires no others, so that its image can be opened before others have registered.
  var isIndependent: Bool { manifest?.requires.isEmpty ?? false }

  /// Whether its code may run in this process: it has passed a probe or needs none.
  var mayRun: Bool { facts.withLock { $0.mayRun } }
}

// MARK: Transitions

extension PluginRecord {
  /// Begins a transition from a state. Returns false if the plugin is in another state, or another caller has begun one.
  func begin(_ state: PluginState) -> Bool { facts.withLock { $0.progress.begin(from: state) } }

  /// Enters the phase in which a transition ends, and retires the plugin if that was requested meanwhile.
  func finish(_ phase: PluginProgress<LoadedPlugin>.Phase) {
    // Released outside the lock: unmapping the image runs code of the plugin.
    let previous = facts.withLock { $0.progress.enter(phase) }
    tell(PluginProgress(phase).state, previous: PluginProgress(previous).state)
    endTransition()
  }

  /// Ends the transition of a plugin that has not been loaded, and unregisters its lazy registrations.
  func fail(_ phase: PluginProgress<LoadedPlugin>.Phase) {
    if isLazy { container.unregister(owner: owner) }
    finish(phase)
  }

  /// Ends a transition without a change of the state, and retires the plugin if that was requested meanwhile.
  func endTransition() {
    let (isRetired, isReplaced) = facts.withLock { $0.progress.end() }
    if isRetired { retire(isReplaced: isReplaced) }
  }

  /// Whether it has registrations, lazy ones included.
  var isInUse: Bool { facts.withLock { $0.progress.isInUse } }

  /// Whether its registrations are lazy.
  var isLazy: Bool { facts.withLock { $0.progress.lazy != nil } }

  /// The keys of its lazy registrations whose Swift types the program has.
  var programKeys: [AnyKey] { facts.withLock { $0.progress.lazy?.programKeys ?? [] } }

  /// The open plugin, from loading to retirement.
  var loaded: LoadedPlugin? { facts.withLock { $0.progress.loaded } }

  /// Whether its image has been opened.
  var isOpen: Bool { loaded != nil }

  /// Hashes the files, unless their hash is known or they have changed. A later copy of them is then not a new version.
  func learnContent() {
    guard facts.withLock({ $0.content == nil }), isUnchanged, let content = content() else { return }
    facts.withLock { $0.content = content }
  }

  /// Unregisters the plugin's factories, at once or at the end of a current transition. Its instances live on. After the release of the
  /// last one the plugin is retired.
  ///
  /// - Parameter isReplaced: Whether another plugin has replaced its registrations.
  func retire(isReplaced: Bool = false) {
    let (previous, work) = facts.withLock { ($0.progress.state, $0.progress.retire(isReplaced: isReplaced)) }
    switch work {
    case nil: return
    case .lazy?:
      if !isReplaced { container.unregister(owner: owner) }
      tell(.retired, previous: previous)
    case .open(let loaded)?:
      tell(.draining, previous: previous)
      loaded.bindings.completeLog()
      if !isReplaced { loaded.registrations.retract() }
    // From here on only its instances hold the image.
    }
  }

  /// Records that the last reference to the image was released.
  func imageEnded(isMapped: Bool) {
    let wasDraining = facts.withLock { facts in
      facts.isMapped = isMapped
      return facts.progress.closeImage()
    }
    guard wasDraining else { return }
    tell(.retired, previous: .draining, isMapped: isMapped)
  }
}

// MARK: Faults

extension PluginRecord {
  /// Returns the fault of a plugin with a registration that cannot be published.
  func refusal(_ diagnosis: Diagnosis) -> Diagnosis {
    self.diagnosis(.refused, "was refused: \(diagnosis.statement)", diagnosis.remedy)
  }

  /// The reason for which the plugin does not work, as the end of a sentence that begins with it; nil if it works or has not been loaded.
  var failure: String? {
    switch facts.withLock({ $0.progress.state }) {
    case .rejected(let diagnosis), .quarantined(let diagnosis): diagnosis.problem
    case .draining, .retired: "is retired"
    case .admitted, .loaded, .active: nil
    }
  }

  /// Creates a fault of this plugin.
  func diagnosis(_ code: Diagnosis.Code, _ problem: String, _ remedy: String) -> Diagnosis {
    Diagnosis(code, path, problem: problem, remedy: remedy)
  }
}
