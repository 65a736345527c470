internal import Troupe
internal import TroupeFiles
internal import TroupeSandbox

/// The stage that opens plugins: at once, or at the first resolve of a lazy registration.
extension PluginHost {
  /// Begins to open a plugin; `open` completes it. Returns nil if another caller has begun.
  func beginOpening(_ record: PluginRecord) -> PluginLoader? {
    guard let manifest = record.manifest, record.begin(.admitted) else { return nil }
    return PluginLoader(record, manifest, self)
  }

  /// Opens the image of a plugin and runs the entry, unless the plugin has been loaded.
  ///
  /// - Parameters:
  ///   - needs: The needed plugins, which have been loaded or have failed.
  ///   - old: The plugin whose registrations it replaces.
  ///   - begun: The result of `beginOpening`, if the caller has called it.
  /// - Returns: Whether this call has loaded the plugin.
  @discardableResult
  func open(
    _ record: PluginRecord, needs: [PluginRecord], replacing old: PluginRecord? = nil, begun: PluginLoader? = nil
  ) -> Bool {
    guard let opening = begun ?? beginOpening(record) else { return false }
    let expected = record.isLazy ? record.lazySummary : nil
    do {
      try checkNeeds(of: record, needs)
      guard record.mayRun else { throw record.diagnosis(.notProbed, "has not been probed", "retry") }
      let replaced = old?.owner ?? (record.isLazy ? record.owner : nil)
      let policy = record.manifest.flatMap { options.isolation(of: $0.id).policy }
      let loaded = try policy.map { try opening.isolate($0, replacing: replaced) } ?? opening.register(replacing: replaced)
      record.finish(.loaded(loaded))
      // A load in a worker shows nothing about the loads of other processes that ended.
      if policy == nil { crashJournal?.removeStaleEntries(of: record.files, through: .entering) }
      if let expected { check(record, against: expected) }
      renewLazyRegistrations(after: record)
      return true
    } catch let diagnosis as Diagnosis where diagnosis.code == .changed && record.isLazy {
      // The lazy registrations stay: the next resolve of one examines the file again.
      record.endTransition()
    } catch let diagnosis as Diagnosis {
      record.fail(.rejected(diagnosis))
    } catch {
      record.fail(.rejected(record.diagnosis(.refused, "failed: \(error)", "ask its author")))
    }
    return false
  }

  /// Opens a plugin and, before it, the plugins that it needs and that are not open. Returns the plugins that this call has loaded.
  @discardableResult
  func openWithNeeds(_ wanted: PluginRecord) -> [PlannedPlugin] {
    discovered().inOrder { $0 === wanted }.filter { open($0.record, needs: $0.needs) }
  }

  /// Returns a new opening for the lazy registrations of a plugin.
  func newOpening(of record: PluginRecord) -> LoadOnce {
    LoadOnce(owner: record.owner) { [weak self, weak record] in
      if let self, let record { try self.loadLazy(record) }
    }
  }

  /// Opens a plugin because one of its lazy registrations is resolved. Waits if another thread is opening it. Does nothing if the plugin
  /// has been retired or replaced.
  ///
  /// - Throws: The `Diagnosis` for which that is not possible, or a `ResolutionError` for a dependency cycle.
  func openLazily(_ record: PluginRecord) throws {
    guard let opening = record.opening else {
      // A retirement under way has yet to unregister the lazy registrations.
      return loading.together {}
    }
    try opening.run(in: container)
  }

  private func loadLazy(_ record: PluginRecord) throws {
    if try !record.isUnchanged && renewLazy(record) { return }
    let new = loading.together { openWithNeeds(record) }
    if let diagnosis = record.plugin.state.diagnosis {
      storeRejections(of: [record])
      throw diagnosis
    }
    if record.isLazy {
      // The file has changed since, or is being written.
      guard try renewLazy(record), !record.isLazy else { throw record.changedDiagnosis }
      return
    }
    if isStarted { activateSoon(new) }
  }
}
