internal import TroupeFiles

/// The stage that activates open plugins.
extension PluginHost {
  /// Activates a plugin after the plugins that it needs.
  ///
  /// - Parameters:
  ///   - needs: The needed plugins, which have been activated or have failed.
  ///   - old: The plugin that it has replaced, whose registrations are restored after a failure.
  func activate(_ record: PluginRecord, needs: [PluginRecord], replacing old: PluginRecord? = nil) async {
    if activateIfTrivial(record, needs: needs, replacing: old) { return }
    guard record.begin(.loaded), let loaded = record.loaded else { return }
    do {
      try checkNeeds(of: record, needs)
      crashJournal?.add(.activating, record.files)
      defer { crashJournal?.remove(.activating, record.files) }
      try await loaded.registrations.activate()
      record.finish(.active(loaded.withoutFormer))
      crashJournal?.removeStaleEntries(of: record.files)
    } catch let diagnosis as Diagnosis {
      giveUp(record, loaded, diagnosis, old)
    } catch {
      giveUp(
        record, loaded, record.diagnosis(.refused, "failed when it was activated: \(error)", "fix it, or remove it"), old)
    }
  }

  /// Activates a plugin without activation code. Returns false, and does nothing, for a plugin with activation code.
  private func activateIfTrivial(_ record: PluginRecord, needs: [PluginRecord], replacing old: PluginRecord? = nil) -> Bool {
    guard let loaded = record.loaded else { return true }
    guard !loaded.registrations.hasActivation else { return false }
    guard record.begin(.loaded) else { return true }
    do {
      try checkNeeds(of: record, needs)
      record.finish(.active(loaded.withoutFormer))
    } catch {
      giveUp(record, loaded, error, old)
    }
    return true
  }

  /// Activates plugins that a resolve has opened: those with activation code in a task, since a synchronous factory cannot wait for it.
  func activateSoon(_ plugins: [PlannedPlugin]) {
    let waiting = plugins.filter { !activateIfTrivial($0.record, needs: $0.needs) }
    guard !waiting.isEmpty else { return }
    Task { for (record, needs) in waiting { await activate(record, needs: needs) } }
  }

  /// Rejects a plugin whose activation has failed, and restores the registrations of the plugin that it has replaced.
  private func giveUp(_ record: PluginRecord, _ loaded: LoadedPlugin, _ diagnosis: Diagnosis, _ old: PluginRecord?) {
    if let old, old.isOpen {
      container.replace(owner: record.owner, with: loaded.former, owner: old.owner)
    } else if old.map({ $0.isLazy && registerLazily($0, needs: [], replacing: record) }) != true {
      container.unregister(owner: record.owner)
    }
    record.finish(.rejected(diagnosis))
  }
}
