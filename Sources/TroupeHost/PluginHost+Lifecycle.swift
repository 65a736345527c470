internal import Synchronization
internal import TroupeFiles

/// Retiring and replacing plugins while the host works.
///
/// Each of these functions waits for the others and for `load`. Code that runs within them, such as a log handler, must not call them;
/// see `load`.
extension PluginHost {
  /// Unregisters the factories of a plugin. Its instances work until they are released. The host then sends the state `.retired`. The
  /// library stays mapped; see `Options.unloadsImages`.
  ///
  /// `refresh` loads the plugin again once its file has another content, or was missing during an earlier refresh. A copy of the
  /// same file, or another modification time, does not load the plugin again.
  ///
  /// - Throws: A `Diagnosis` if there is no such plugin, if another one needs it that has not been retired, or, with the code `.busy`,
  ///   if the call would have to wait for its caller.
  public func retire(_ id: String) throws {
    guard !loading.isHeldByThisThread else {
      throw Diagnosis(
        .busy, id,
        problem:
          "cannot be retired by code that runs while the host loads, retires or replaces plugins, such as its log, its progress or a plugin's entry",
        remedy: "do it later, or in another task")
    }
    _ = discovered()
    try loading.alone {
      let plugins = discovered()
      let record = try working(id, plugins)
      if let dependent = plugins.dependents(of: record).first(where: \.isInUse) {
        throw Diagnosis(
          .inUse, record.path, problem: "cannot be retired, since \(dependent.manifest?.id ?? dependent.path) needs it",
          remedy: "retire that first")
      }
      record.learnContent()
      record.retire()
    }
  }

  /// Replaces a plugin by the current version of its file. A concurrent resolve returns an instance of either version, and never fails
  /// because of the replacement. Instances of the old version work until they are released.
  ///
  /// The host examines, probes and loads the new version like any other plugin, and keeps the old version if that fails. Unless
  /// `Options.opensCopies` is set, the new version has to be another file, renamed to the name of the old one: writing over the file of
  /// an open library changes the code of the process.
  ///
  /// - Returns: Whether the file has changed. If not, the host does nothing.
  /// - Throws: A `Diagnosis` if there is no such plugin, or if the new version cannot replace it.
  @discardableResult
  public func reload(_ id: String) async throws -> Bool {
    let record = try await queue.run { try self.working(id, self.discovered()) }
    return try await renew(only: record.path)
  }

  /// Rescans the directories: loads new plugins, replaces changed ones as `reload` does, and retires missing ones. Skips a file that is
  /// still being written until the next call. Rejects a plugin that cannot be used; if it would have replaced a plugin that works, that
  /// plugin stays and the log reports the reason.
  ///
  /// A thread that blocks on the call while the host loads plugins may wait forever: see `load`.
  ///
  /// - Returns: Whether anything has changed.
  @discardableResult
  public func refresh() async -> Bool {
    do {
      return try await renew(only: nil)
    } catch {
      options.log.write(.error, "troupe", "\(error)")
      return false
    }
  }

  private func working(_ id: String, _ plugins: DiscoveredPlugins) throws -> PluginRecord {
    let named = plugins.records.filter { $0.manifest?.id == id }
    guard let record = named.first(where: \.isInUse) ?? named.first(where: { $0.diagnosis == nil }) ?? named.first else {
      let ids = plugins.records.compactMap { $0.manifest?.id }
      throw Diagnosis(.unknown, id, problem: "is no plugin that was found", remedy: "the ids are \(knownNames(ids, for: id))")
    }
    return record
  }

  /// A new plugin to activate, and the plugin that it replaced.
  private typealias Step = (record: PluginRecord, needs: [PluginRecord], old: PluginRecord?)

  /// - Throws: The fault for which the one examined plugin cannot be replaced.
  private func renew(only path: String?) async throws -> Bool {
    changes.resume()
    let (steps, isChanged) = try await queue.run {
      _ = self.discovered()
      return try self.loading.alone { try self.replace(only: path) }
    }
    for step in steps where isStarted || step.old != nil {
      await activate(step.record, needs: step.needs, replacing: step.old)
    }
    try await queue.run {
      try self.loading.alone {
        self.storeRejections(of: steps.lazy.map(\.record))
        try self.conclude(steps, only: path)
      }
    }
    return isChanged
  }

  /// Replaces the lazy registrations of a plugin whose file has changed, during a resolve of one of them.
  ///
  /// - Returns: Whether that was done: false if the file is missing, or if another thread holds the lock and may be waiting for this one.
  /// - Throws: The fault for which the new version cannot replace the plugin.
  func renewLazy(_ record: PluginRecord) throws -> Bool {
    guard record.files.allSatisfy({ FileStamp.of($0.path) != nil }) else { return false }
    let steps = try loading.aloneIfPossible {
      let (steps, _) = try replace(only: record.path)
      try conclude(steps, only: record.path)
      return steps
    }
    guard let steps else { return false }
    if isStarted { activateSoon(steps.map { ($0.record, $0.needs) }) }
    return true
  }

  /// Registers new plugins and retires missing ones.
  private func replace(only path: String?) throws -> (steps: [Step], isChanged: Bool) {
    let previous = discovered()
    let change = try Discovery(options, events: changes, container: container).run(
      after: previous, only: path, failed: state.withLock { $0.failed })
    if let refusal = path.flatMap({ _ in change.refused.first }) { throw refusal.diagnosis }
    if let path, change.unfinished.contains(path) {
      throw Diagnosis(.changed, path, problem: RegularFile.writtenProblem(path), remedy: "reload it once the file is closed")
    }
    let isTold = tell(change.refused, all: path == nil)
    guard !change.new.isEmpty || !change.gone.isEmpty else { return ([], isTold) }
    state.withLock { $0.plugins = change.plugins }
    for record in change.new { record.tellFound() }
    let isNew = Set(change.new.map(ObjectIdentifier.init))
    let wanted = change.plugins.inOrder { isNew.contains(ObjectIdentifier($0)) }
    probe(wanted)
    // In reverse order, so that no plugin outlives one that it needs.
    for record in change.gone.reversed() { record.retire() }
    for (record, needs) in wanted { register(record, needs: needs, replacing: change.replaced[record.path]) }
    return (wanted.map { ($0.record, $0.needs, change.replaced[$0.record.path]) }, true)
  }

  /// Logs which plugins stay and the reasons, each once for as long as it stays the same.
  ///
  /// - Parameter all: Whether `refusals` is complete, so that all other faults have been fixed.
  /// - Returns: Whether a line was logged.
  @discardableResult
  private func tell(_ refusals: [Rediscovery.UnreplacedPlugin], all: Bool = false) -> Bool {
    let new = state.withLock { state in
      let known = state.refused
      if all { state.refused = [:] }
      for refusal in refusals { state.refused[refusal.diagnosis.subject] = refusal.diagnosis }
      return refusals.filter { known[$0.diagnosis.subject] != $0.diagnosis }
    }
    for refusal in new {
      let version = refusal.record.manifest.map { "\($0.version)" } ?? "the loaded version"
      options.log.write(
        .error, refusal.record.manifest?.id ?? refusal.record.path,
        "\(version) stays, since \(refusal.diagnosis.subject.onOneLine) \(refusal.diagnosis.reason)")
    }
    return !new.isEmpty
  }

  /// Retires the replaced plugins, and keeps those whose replacements failed.
  private func conclude(_ steps: [Step], only path: String?) throws {
    var failure: Diagnosis?
    for case (let record, _, let old?) in steps {
      if let diagnosis = record.plugin.state.diagnosis {
        state.withLock { $0.plugins = $0.plugins?.putting(old, inPlaceOf: record) }
        // A file that has changed meanwhile is examined again and is no error.
        if diagnosis.code != .changed { tell([Rediscovery.UnreplacedPlugin(record: old, diagnosis: diagnosis)]) }
        // Other faults may be fixed without a change of the file.
        if ![.unmetRequirement, .changed, .notProbed, .conflictingLibrary].contains(diagnosis.code) {
          state.withLock { $0.failed[record.path] = record.files }
        }
        if record.path == path { failure = diagnosis }
      } else {
        old.retire(isReplaced: true)
      }
    }
    if let failure { throw failure }
  }
}
