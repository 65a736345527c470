internal import Troupe
internal import TroupeFiles

/// Registration of plugins in the container, lazily or by opening them.
extension PluginHost {
  /// Makes lazy registrations for plugins or opens them, as the function for one plugin does.
  ///
  /// Of consecutive plugins that are opened and need no others, the host opens all images before the first one registers. For each
  /// library the loader traverses its list of open libraries, which takes twice as long if other data of the host lies between the list's
  /// elements.
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
    if record.isLazy || record.plugin.state.fault != nil { return }
    if !opensAtOnce(record), old?.isOpen != true,
      record.registerLazily(self, needs: needs, replacing: old)
    {
      return
    }
    // A needed plugin may have lazy registrations only, and opening this plugin may require its code.
    for need in needs where !need.isOpen { place(opening: need) }
    open(record, needs: needs, replacing: old)
  }

  /// Returns a new opening for the lazy registrations of a plugin.
  func opening(of record: PluginRecord) -> SharedLoad {
    SharedLoad(owner: record.owner) { [weak self, weak record] in
      if let self, let record { try self.openLazy(record) }
    }
  }

  /// Opens a plugin because one of its lazy registrations is resolved. Waits if another thread is opening it. Does nothing if the plugin
  /// has been retired or replaced.
  ///
  /// - Throws: The `Diagnosis` for which that is not possible, or a `ResolutionError` for a dependency cycle.
  func open(_ record: PluginRecord) throws {
    guard let opening = record.opening else {
      // A retirement under way has yet to unregister the lazy registrations.
      return loading.together {}
    }
    try opening.run(in: container)
  }

  private func openLazy(_ record: PluginRecord) throws {
    if try !record.isUnchanged && renewLazy(record) { return }
    let new = loading.together { place(opening: record) }
    if let fault = record.plugin.state.fault {
      rememberRejections(of: [record])
      throw fault
    }
    if record.isLazy {
      // The file has changed since, or is being written.
      guard try renewLazy(record), !record.isLazy else { throw record.changedFault }
      return
    }
    guard isStarted else { return }
    let waiting = new.filter { !$0.record.activateIfTrivial(self, needs: $0.needs) }
    guard !waiting.isEmpty else { return }
    // A synchronous factory cannot wait for the activation.
    Task { for (record, needs) in waiting { await record.activate(self, needs: needs) } }
  }

  /// Opens a plugin and, before it, the plugins that it needs and that are not open.
  @discardableResult
  private func place(opening wanted: PluginRecord) -> [(record: PluginRecord, needs: [PluginRecord])] {
    discovered().inOrder { $0 === wanted }.filter { open($0.record, needs: $0.needs) }
  }

  @discardableResult
  private func open(
    _ record: PluginRecord, needs: [PluginRecord], replacing old: PluginRecord? = nil, begun: PluginOpening? = nil
  ) -> Bool {
    guard record.load(self, needs: needs, replacing: old, begun: begun) else { return false }
    // The image, or a library that it links, may define types that were unknown before.
    guard hasUnknownTypes else { return true }
    for other in discovered().records where other !== record { other.renewLazyRegistrations(self) }
    return true
  }
}
