internal import Troupe

/// How plugins come into the container: their places at first, or they themselves.
extension PluginHost {
  /// Holds a plugin's places, or opens it where the host loads eagerly or nothing else will do.
  ///
  /// - Parameter old: The plugin that it replaces.
  func place(_ record: PluginRecord, needs: [PluginRecord], replacing old: PluginRecord? = nil) {
    if options.loading == .lazy, record.manifest?.loading != .eager, old?.isOpen != true,
      record.holdPlaces(self, needs: needs, replacing: old)
    {
      return
    }
    // What it needs may only have its place yet, and its code be needed for its own to be opened.
    for need in needs where !need.isOpen { place(opening: need) }
    open(record, needs: needs, replacing: old)
  }

  /// That a plugin whose places were held has been opened: a singleton of `opened`, so that it is done once, that others wait for
  /// it, and that the container sees rings of such waits.
  struct Opened: Sendable {}

  /// Prepares the opening of a plugin whose places are held.
  func prepareOpening(_ record: PluginRecord) {
    let key = Key<Opened>(tags: ObjectIdentifier(record))
    opened.registrar(owner: record.owner).register(key: key, lifetime: .singleton) { [weak self, weak record] _ in
      if let self, let record { try self.openHeld(record) }
      return Opened()
    }
  }

  /// Opens a plugin whose places are held, since one of them is resolved; waits for it if somebody else is about it.
  ///
  /// - Throws: The `PluginFault` for which that is not possible.
  func open(_ record: PluginRecord) throws {
    do {
      _ = try opened.resolve(Opened.self, tags: ObjectIdentifier(record)) as Opened
    } catch let error as ResolutionError {
      switch error.reason {
      case .error(let cause): throw cause
      // It has been retired, or replaced.
      case .notFound: return
      default: throw error
      }
    }
  }

  private func openHeld(_ record: PluginRecord) throws {
    let new = loading.together { place(opening: record) }
    if case .rejected(let fault) = record.plugin.state { throw fault }
    guard isStarted else { return }
    let waiting = new.filter { !$0.record.activateIfTrivial(self, needs: $0.needs) }
    guard !waiting.isEmpty else { return }
    // Nobody can wait for it here: a factory that runs is no asynchronous function.
    Task { for (record, needs) in waiting { await record.activate(self, needs: needs) } }
  }

  /// Opens a plugin and, before it, those that it needs, as far as they are not open.
  @discardableResult
  private func place(opening wanted: PluginRecord) -> [(record: PluginRecord, needs: [PluginRecord])] {
    discovered().inOrder { $0 === wanted }.filter { open($0.record, needs: $0.needs) }
  }

  @discardableResult
  private func open(_ record: PluginRecord, needs: [PluginRecord], replacing old: PluginRecord? = nil) -> Bool {
    guard record.load(self, needs: needs, replacing: old) else { return false }
    // Its image, or one that it links, may have types that nobody knew.
    guard hasUnknownTypes else { return true }
    for other in discovered().records where other !== record { other.renewPlaces(self) }
    return true
  }
}
