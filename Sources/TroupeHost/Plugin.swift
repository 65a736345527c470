/// A plugin as the host sees it at one moment.
public struct Plugin: Sendable {
  /// The file, as it was found.
  public let path: String
  /// For a file that adopts a library, the library's file, without links, if it was found; nil for any other plugin.
  public let library: String?
  /// What the plugin says about itself; nil if that could not be read.
  public let manifest: Manifest?
  /// Where it stands.
  public let state: PluginState
  /// Why the host refused some of its registrations and kept the others: for each a sentence with the function, the fault and the
  /// remedy. For a plugin that was neither probed nor loaded, only what its file shows.
  public let refusals: [String]
  /// The number of its registrations, if its file or a probe shows it.
  package let registrationCount: Int?
  /// The fault for which an earlier probe or load rejected the same file, from the cache directory. Nil without one, and for a plugin
  /// that this host has probed or loaded: then `state` has the fault. The next load tries the plugin again.
  public let previousRejection: PluginFault?
  /// Whether its library is still in memory though it is retired: since it holds Swift, whose runtime never forgets an image,
  /// or since the loader does not give it up.
  public let staysMapped: Bool
}

extension Plugin {
  /// Returns the refusal of the function with a name, or nil.
  package func refusal(of function: String) -> String? {
    let subjects = [AdoptedFunction.subject(function), FactoryDeclaration.subject(function)]
    return refusals.first { refusal in subjects.contains { refusal.hasPrefix($0) } }
  }
}

extension Plugin: CustomStringConvertible {
  /// One line with the id, the version, the language, the state and the file, and the reason if the plugin cannot be used.
  public var description: String {
    let name = manifest.map { "\($0.id) \($0.version) (\($0.language)) " } ?? ""
    return "\(name)\(state.name) \(path.onOneLine)" + (state.fault.map { ": \($0.reason)" } ?? "")
  }
}

/// The state of a plugin. It moves down this list.
public enum PluginState: Sendable, Hashable {
  /// It cannot be used.
  case rejected(PluginFault)
  /// Its code did harm when it was probed, so that none of it runs in this process.
  case quarantined(PluginFault)
  /// It may be loaded; none of its code has run.
  case admitted
  /// Its entry has run, and what it registered is there.
  case loaded
  /// It has been activated.
  case active
  /// What it registered is gone; instances that it made are not.
  case draining
  /// Nobody holds anything of it any more.
  case retired

  /// The state as one word.
  public var name: String {
    switch self {
    case .rejected: "rejected"
    case .quarantined: "quarantined"
    case .admitted: "admitted"
    case .loaded: "loaded"
    case .active: "active"
    case .draining: "draining"
    case .retired: "retired"
    }
  }

  /// Why the plugin is rejected or in quarantine, or nil if it is not.
  public var fault: PluginFault? {
    switch self {
    case .rejected(let fault), .quarantined(let fault): fault
    case .admitted, .loaded, .active, .draining, .retired: nil
    }
  }
}
