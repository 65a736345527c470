internal import TroupeContainer
internal import TroupeFiles

/// The state of one plugin with the data of that state, and the transitions between states. A value: a transition has no side effects and
/// returns the work that follows.
///
/// A caller that works on a plugin begins a transition and completes it; another caller cannot begin one meanwhile. A retirement that is
/// requested meanwhile follows at the end of the transition.
struct PluginProgress<Loaded: Sendable>: Sendable {
  /// A state with its data; see `PluginState`.
  enum Phase: Sendable {
    case rejected(Diagnosis)
    case quarantined(Diagnosis)
    case admitted(Lazy?)
    case loaded(Loaded)
    case active(Loaded)
    case draining
    case retired
  }

  /// The lazy registrations of an admitted plugin.
  struct Lazy: Sendable {
    /// The opening that they share.
    let opening: LoadOnce
    /// Whether some have unknown types.
    let hasUnknownTypes: Bool
    /// The keys of those whose Swift types the program has; empty if a type may be that of a plugin that was opened before.
    var programKeys: [AnyKey] = []
  }

  /// The work of a retirement.
  enum Retirement: Sendable {
    /// The lazy registrations are to be unregistered.
    case lazy
    /// The registrations of an open plugin are to be unregistered. Its instances keep the image.
    case open(Loaded)
  }

  private(set) var phase: Phase
  private var transition: Transition?

  private enum Transition: Sendable {
    case running
    case endsRetired(isReplaced: Bool)
  }

  init(_ phase: Phase) { self.phase = phase }

  /// The state without its data.
  var state: PluginState {
    switch phase {
    case .rejected(let diagnosis): .rejected(diagnosis)
    case .quarantined(let diagnosis): .quarantined(diagnosis)
    case .admitted: .admitted
    case .loaded: .loaded
    case .active: .active
    case .draining: .draining
    case .retired: .retired
    }
  }

  /// The lazy registrations; nil if there are none.
  var lazy: Lazy? { if case .admitted(let lazy) = phase { lazy } else { nil } }

  /// The open plugin, from loading to retirement.
  var loaded: Loaded? {
    switch phase {
    case .loaded(let loaded), .active(let loaded): loaded
    case .rejected, .quarantined, .admitted, .draining, .retired: nil
    }
  }

  /// Whether the plugin has registrations, lazy ones included.
  var isInUse: Bool { loaded != nil || lazy != nil }

  /// Whether the image has been opened, or the plugin retired.
  var wasUsed: Bool {
    switch phase {
    case .loaded, .active, .draining, .retired: true
    case .rejected, .quarantined, .admitted: false
    }
  }

  // MARK: Transitions

  /// Sets the lazy registrations of an admitted plugin. Returns false in another state.
  mutating func setLazy(_ lazy: Lazy) -> Bool {
    guard case .admitted = phase else { return false }
    phase = .admitted(lazy)
    return true
  }

  /// Begins a transition from a state. Returns false if the plugin is in another state or in a transition.
  mutating func begin(from state: PluginState) -> Bool {
    guard self.state == state, transition == nil else { return false }
    transition = .running
    return true
  }

  /// Enters the phase in which a transition ends. Returns the phase before, whose data the caller releases outside its lock.
  mutating func enter(_ next: Phase) -> Phase {
    defer { phase = next }
    return phase
  }

  /// Ends a transition. Returns whether the plugin is to be retired now, and whether another plugin has replaced its registrations.
  mutating func end() -> (isRetired: Bool, isReplaced: Bool) {
    defer { transition = nil }
    if case .endsRetired(let isReplaced) = transition { return (true, isReplaced) }
    return (false, false)
  }

  /// Retires a plugin that has registrations, at once or at the end of a transition.
  ///
  /// - Returns: The work that follows at once; nil for none.
  mutating func retire(isReplaced: Bool) -> Retirement? {
    guard transition == nil else {
      transition = .endsRetired(isReplaced: isReplaced)
      return nil
    }
    if let loaded {
      phase = .draining
      return .open(loaded)
    }
    guard lazy != nil else { return nil }
    phase = .retired
    return .lazy
  }

  /// Retires a draining plugin after the last reference to its image was released. Returns false in another state.
  mutating func closeImage() -> Bool {
    guard case .draining = phase else { return false }
    phase = .retired
    return true
  }
}
