internal import Troupe

/// How plugins come into the container: their places at first, or they themselves.
extension PluginHost {
  /// Holds the places of plugins, or opens them, as the other does for one.
  ///
  /// Of neighbours that are opened and need no others, all images are opened before the first of them registers. Each time the
  /// loader opens a library it goes through all that it has opened, which takes twice as long if what else the host keeps of a
  /// plugin lies between them.
  func place(_ wanted: [(record: PluginRecord, needs: [PluginRecord])]) {
    var rest = wanted[...]
    while let first = rest.first {
      let group = rest.prefix { opensAtOnce($0.record) && $0.record.isIndependent && $0.record.mayRun }
      if group.isEmpty { place(first.record, needs: first.needs) }
      let begun = group.map { (record: $0.record, opening: $0.record.beginLoading(self)) }
      for (_, opening) in begun { opening?.open() }
      for case (let record, let opening?) in begun { open(record, needs: [], begun: opening) }
      rest = rest.dropFirst(max(group.count, 1))
    }
  }

  /// Whether a plugin is opened as soon as the host loads its plugins.
  private func opensAtOnce(_ record: PluginRecord) -> Bool { options.loading == .eager || record.manifest?.loading == .eager }

  /// Makes lazy registrations for a plugin, or opens it if the host loads eagerly or lazy registrations are impossible. Does nothing
  /// for a plugin that has lazy registrations.
  ///
  /// - Parameter old: The plugin that it replaces.
  func place(_ record: PluginRecord, needs: [PluginRecord], replacing old: PluginRecord? = nil) {
    if record.isHeld { return }
    if !opensAtOnce(record), old?.isOpen != true,
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
      // It has been retired, or replaced.
      if case .notFound = error.reason { return }
      throw error
    }
  }

  private func openHeld(_ record: PluginRecord) throws {
    if try !record.isUnchanged && renewHeld(record) { return }
    let new = loading.together { place(opening: record) }
    if let fault = record.plugin.state.fault {
      rememberRejections(of: [record])
      throw fault
    }
    if record.isHeld {
      // Its file has become another one in between, or is being written to.
      guard try renewHeld(record), !record.isHeld else { throw record.changedFault }
      return
    }
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
  private func open(
    _ record: PluginRecord, needs: [PluginRecord], replacing old: PluginRecord? = nil, begun: PluginOpening? = nil
  ) -> Bool {
    guard record.load(self, needs: needs, replacing: old, begun: begun) else { return false }
    // Its image, or one that it links, may have types that nobody knew.
    guard hasUnknownTypes else { return true }
    for other in discovered().records where other !== record { other.renewPlaces(self) }
    return true
  }
}
