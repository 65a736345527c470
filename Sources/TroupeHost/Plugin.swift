public import TroupeFiles

/// A snapshot of a plugin in its host.
public struct Plugin: Sendable {
  /// The path of the file, as it was found.
  public let path: String
  /// For a file that adopts a library, the library's file, without links, if it was found; nil for any other plugin.
  public let library: String?
  /// The manifest; nil if it could not be read.
  public let manifest: Manifest?
  /// The state.
  public let state: PluginState
  /// The faults for which the host refused some of its registrations and kept the others. The subject of each is the factory or function,
  /// if it is known. For a plugin that was neither probed nor loaded, only the faults that its file shows.
  public let refusals: [Diagnosis]
  /// What loading it changes in the process without harm, such as an environment variable; each is the end of a sentence that begins with the
  /// plugin. Found by its probe and by loading it.
  public let warnings: [String]
  /// The number of its registrations, if its file or a probe shows it.
  package let registrationCount: Int?
  /// The fault for which an earlier probe or load rejected the same file, from the cache directory. Nil without one, and for a plugin
  /// that this host has probed or loaded: then `state` has the fault. The next load tries the plugin again.
  public let previousRejection: Diagnosis?
  /// Whether its library is still mapped although all of its instances are released. False before, and with
  /// `PluginHost.Options.unloadsImages` for a library that was unmapped.
  public let staysMapped: Bool
}

extension Plugin {
  /// Returns the refusal of the function with a name, or nil.
  package func refusal(of function: String) -> Diagnosis? {
    let subjects = [AdoptedFunction.subject(function), RegistrationDescription.subject(function)]
    return refusals.first { subjects.contains($0.subject) }
  }
}

extension Plugin: CustomStringConvertible {
  /// One line with the id, the version, the language, the state and the file, and the reason if the plugin cannot be used.
  public var description: String {
    let name = manifest.map { "\($0.id) \($0.version) (\($0.language)) " } ?? ""
    return "\(name)\(state.name) \(path.onOneLine)" + (state.diagnosis.map { ": \($0.reason)" } ?? "")
  }
}

/// The state of a plugin. A plugin moves from `admitted` down this list, or to `rejected` or `quarantined`.
public enum PluginState: Sendable, Hashable {
  /// The plugin cannot be used.
  case rejected(Diagnosis)
  /// The code of the plugin did harm in its probe, and the host does not run it.
  case quarantined(Diagnosis)
  /// The plugin may be loaded; its code has not run in this process. From `load` or `start` on, its factories are registered.
  case admitted
  /// Its entry has run, and its factories are registered.
  case loaded
  /// The plugin has been activated.
  case active
  /// Its factories are unregistered; some of its instances still exist.
  case draining
  /// Its factories are unregistered, and all of its instances are released.
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

  /// The fault of a rejected or quarantined plugin; nil in other states.
  public var diagnosis: Diagnosis? {
    switch self {
    case .rejected(let diagnosis), .quarantined(let diagnosis): diagnosis
    case .admitted, .loaded, .active, .draining, .retired: nil
    }
  }
}

extension Plugin {
  /// The files of the plugin: its own file and, if it adopts one, the library.
  public var files: [String] { [path] + (library.map { [$0] } ?? []) }

  /// Returns the entries that pin the plugin's present files, in the order of `files`. Cost: reads all of them, about 4 ms per
  /// megabyte. Throws a `Diagnosis` if the plugin has no id or a file cannot be read.
  public func pins() throws(Diagnosis) -> [Pins.Entry] {
    guard let id = manifest?.id else {
      throw state.diagnosis ?? Diagnosis(.invalidManifest, path, problem: "has no id", remedy: "give it one")
    }
    var entries: [Pins.Entry] = []
    for file in files {
      do {
        if let entry = Pins.Entry(try ContentHash(of: RegularFile(path: file).bytes), plugin: id) { entries.append(entry) }
      } catch let diagnosis as Diagnosis {
        throw diagnosis
      } catch {
        throw Diagnosis(.unreadable, file, problem: "\(error)", remedy: "retry after the file is complete")
      }
    }
    return entries
  }
}
