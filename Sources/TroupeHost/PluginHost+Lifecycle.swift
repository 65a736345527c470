internal import Synchronization
internal import TroupeFiles

/// Retiring and replacing plugins while the host works.
///
///     start, reload, refresh   ── updates ──┬── operations: probe, register ──┬── activate ──┬── operations: finish ──┬──►
///     load, retire, a resolve of a changed file ─────── operations ──────────────────────►
///
/// One task at a time starts, reloads or refreshes, activations included. `load` and `retire` block their thread, so they wait for no
/// activation: while new versions are activated, `retire` retires both versions.
///
/// Code that runs within an operation, such as a log handler, gets a `Diagnosis` with the code `.busy` from all of them, and code of an
/// activation from `reload` and `refresh`; `start` logs it. Neither must block on one of them; see `load`.
extension PluginHost {
  /// Unregisters the factories of a plugin. Its instances work until they are released. The host then sends the state `.retired`. The
  /// library stays mapped; see `Options.unloadsImages`.
  ///
  /// `refresh` loads the plugin again once its file has another content, or was missing during an earlier refresh. A copy of the
  /// same file, or another modification time, does not load the plugin again.
  ///
  /// Does nothing for a plugin without registrations: one that was not loaded, was rejected, or is retired.
  ///
  /// - Throws: A `Diagnosis` if there is no such plugin, if another one needs it that has not been retired, or, with the code `.busy`,
  ///   if the call would have to wait for its caller.
  public func retire(_ id: String) throws {
    let busy = Diagnosis.busy(id, "retired")
    try checkNotLoading(busy)
    _ = discovered()
    try exclusively(busy) {
      let plugins = discovered()
      let file = try working(id, plugins)
      if let dependent = plugins.dependents(of: file).first(where: { table[$0].staysInUse }) {
        throw Diagnosis(
          .inUse, file.path, problem: "cannot be retired, since \(dependent.id) needs it", remedy: "retire that first")
      }
      let isRetired: Void? = try? table.lock(of: file).withLock {
        // A later copy of the files is then not a new version.
        if table[file].content == nil, file.isCurrent, let content = file.content() {
          table.update { $0.update(file) { $0.content = content } }
        }
        table.apply(.retire, to: file)
      }
      if isRetired == nil { throw busy }
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
    let file = try await queue.run { try self.working(id, self.discovered()) }
    return try await renew(only: file.path)
  }

  /// Rescans the directories: loads new plugins, replaces changed ones as `reload` does, and retires missing ones. Skips a file that is
  /// still being written until the next call. Rejects a plugin that cannot be used; if it would have replaced a plugin that works, that
  /// plugin stays and the log reports the reason.
  ///
  /// A thread that blocks on the call while the host loads plugins may wait forever: see `load`.
  ///
  /// - Returns: True if a plugin is new, replaced or retired, or if the log has a new reason why one stays.
  @discardableResult
  public func refresh() async -> Bool {
    do {
      return try await renew(only: nil)
    } catch {
      options.log.write(.error, "troupe", "\(error)")
      return false
    }
  }

  private func working(_ id: String, _ plugins: DiscoveredPlugins) throws -> PluginFile {
    let named = plugins.files.filter { $0.manifest?.id == id }
    let best = named.first { table[$0].isInUse } ?? named.first { table[$0].foundDiagnosis == nil } ?? named.first
    guard let best else {
      let ids = plugins.files.compactMap { $0.manifest?.id }
      let others = ids.isEmpty ? "no plugin was found" : "the ids are \(ids.listed(atMost: 5))"
      throw Diagnosis(
        .unknown, id, problem: "is no plugin that was found",
        remedy: nearestName(to: id, in: ids).map { "did you mean \($0)?" } ?? others)
    }
    return best
  }

  // MARK: One operation at a time

  /// Runs an operation on the plugins of the host as a whole. Others wait until it has ended.
  ///
  /// - Throws: `busy` in code that the host runs while it loads, retires or replaces plugins, and if the present operation waits for the
  ///   caller; the error of the body.
  func exclusively<Result>(_ busy: Diagnosis, _ body: () throws -> Result) throws -> Result {
    try checkNotLoading(busy)
    var hasBegun = false
    do {
      return try operations.withLock {
        hasBegun = true
        return try retiringAllAfterShutdown(body)
      }
    } catch  where !hasBegun {
      throw busy
    }
  }

  private func checkNotLoading(_ busy: Diagnosis) throws(Diagnosis) { if isLoadingInCaller { throw busy } }

  /// Throws a `Diagnosis` with the code `.busy` where a thread must not block on `reload` or `refresh`: in code that they would wait for, and
  /// in a task, whose thread they may need.
  package func checkCanBlock(_ subject: String, _ done: String) throws(Diagnosis) {
    if isLoadingInCaller || isActivatingInCaller || withUnsafeCurrentTask(body: { $0 != nil }) { throw .busy(subject, done) }
  }

  /// True in code that the host runs while it loads, retires or replaces plugins, on the same thread: its log, its progress, an entry.
  package var isLoadingInCaller: Bool { TrackedLock.isAnyHeld(ofGroup: table.lockGroup) }

  // MARK: Replacing

  /// - Throws: The fault for which the one examined plugin cannot be replaced.
  private func renew(only path: String?) async throws -> Bool {
    changes.resume()
    let busy = Diagnosis.busy(path ?? "the plugins", path == nil ? "refreshed" : "reloaded")
    if isActivatingInCaller { throw busy }
    return try await updates.withLock {
      let update = try await queue.run {
        _ = self.discovered()
        return try self.exclusively(busy) { try self.replace(only: path) }
      }
      for (file, needs) in update.wanted where isStarted || table[file].replaced != nil { await activate(file, needs: needs) }
      try await queue.run {
        try self.exclusively(busy) {
          self.storeRejections(of: update.wanted.lazy.map(\.file))
          try self.finishReplacement(by: update.new, only: path)
        }
      }
      return update.isChanged
    }
  }

  /// Replaces the pending registrations of a plugin whose file has changed, during a resolve of one of them.
  ///
  /// - Returns: False if the registrations stay pending: the file is missing, the one that replaces it was rejected, or the caller is code
  ///   that the host runs while it loads plugins.
  /// - Throws: The fault for which the new version cannot replace the plugin.
  func replacePending(_ file: PluginFile) throws -> Bool {
    guard file.files.allSatisfy({ FileStamp.of($0.path) != nil }) else { return false }
    let wanted: [PlannedPlugin]
    do {
      wanted = try exclusively(.busy(file.id, "replaced")) {
        // Another thread may have replaced it meanwhile.
        guard hasPending(file) else { return [] }
        let update = try replace(only: file.path)
        try finishReplacement(by: update.new, only: file.path)
        return update.wanted
      }
    } catch let diagnosis as Diagnosis where diagnosis.code == .busy {
      return false
    }
    if isStarted { activateSoon(wanted) }
    return !hasPending(file)
  }

  private struct Update {
    /// The new plugins and those that they need, in the order of loading. The needed ones may belong to the update of another caller.
    var wanted: [PlannedPlugin] = []
    var new: [PluginFile] = []
    /// A plugin is new, replaced or retired, or the log has a new reason why one stays.
    var isChanged: Bool
  }

  /// Registers new plugins and retires missing ones.
  private func replace(only path: String?) throws -> Update {
    let change = try Discovery(options).run(after: table.read { $0 }, only: path)
    table.update { table in
      for (file, states) in change.recognized { table.update(file) { $0.sameFiles = states } }
    }
    if path != nil, let unreplaced = change.unreplaced.first { throw unreplaced.diagnosis }
    if let path, change.unfinished.contains(path) {
      throw Diagnosis(.changed, path, problem: RegularFile.writtenProblem(path), remedy: "reload it once the file is closed")
    }
    let isLogged = logNew(change.unreplaced, isComplete: path == nil)
    guard !change.new.isEmpty || !change.gone.isEmpty else { return Update(isChanged: isLogged) }
    let before = table.read { $0.list }
    list(change.plugins, adding: change.new, replacing: change.replaced)
    for found in change.new { table.apply(.announce, to: found.file) }
    let isNew = Set(change.new.map { ObjectIdentifier($0.file) })
    let wanted = change.plugins.inOrder { isNew.contains(ObjectIdentifier($0)) }
    probe(wanted)
    // In the reverse order of loading, so that no plugin outlives one that it needs.
    let gone = Set(change.gone.map(ObjectIdentifier.init))
    for (file, _) in before?.inOrder(where: { gone.contains(ObjectIdentifier($0)) }).reversed() ?? []
    where gone.contains(ObjectIdentifier(file)) {
      retire(file)
    }
    for (file, needs) in wanted { register(file, needs: needs) }
    return Update(wanted: wanted, new: wanted.map(\.file).filter { isNew.contains(ObjectIdentifier($0)) }, isChanged: true)
  }

  /// Retires a plugin under its lock, so that a resolve that has found a pending registration waits until all are gone. A thread that opens the
  /// plugin has the lock, and retires it at the end.
  private func retire(_ file: PluginFile) {
    if table.lock(of: file).withLockIfAvailable({ table.apply(.retire, to: file) }) == nil { table.apply(.retire, to: file) }
  }

  /// Logs which plugins stay and the reasons, each once for as long as it stays the same.
  ///
  /// - Parameter isComplete: True if all other faults have been fixed.
  /// - Returns: Whether a line was logged.
  @discardableResult
  private func logNew(_ unreplaced: [DiscoveryDiff.UnreplacedPlugin], isComplete: Bool = false) -> Bool {
    var news: [DiscoveryDiff.UnreplacedPlugin] = []
    table.update { news = $0.note(unreplaced, isComplete: isComplete) }
    for plugin in news {
      let version = plugin.file.manifest.map { "\($0.version)" } ?? "the loaded version"
      let reason = plugin.isLogged ? "cannot replace it" : plugin.diagnosis.reason
      options.log.write(.error, plugin.file.id, "\(version) stays, since \(plugin.diagnosis.subject.onOneLine) \(reason)")
    }
    return !news.isEmpty
  }

  /// Retires the replaced plugins, and keeps those whose replacements failed.
  private func finishReplacement(by new: [PluginFile], only path: String?) throws {
    var failure: Diagnosis?
    for file in new {
      guard let old = table[file].replaced else { continue }
      table.update { $0.update(file) { $0.replaced = nil } }
      guard let diagnosis = table[file].diagnosis else {
        retire(old)
        continue
      }
      table.update { $0.restore(old, inPlaceOf: file) }
      // A resolve may have opened the new version and failed. The pending registrations of the old one were replaced before.
      if table[old].pending != nil, container.entries(owner: table[old].owner).isEmpty {
        _ = addPending(old, needs: [], replacing: old)
      }
      // A file that has changed meanwhile is examined again and is no error.
      if diagnosis.code != .changed {
        logNew([DiscoveryDiff.UnreplacedPlugin(file: old, diagnosis: diagnosis, isLogged: true)])
      }
      // Other faults may be fixed without a change of the file.
      if ![.unmetRequirement, .changed, .notProbed, .conflictingLibrary, .busy].contains(diagnosis.code) {
        table.update { $0.update(old) { $0.failedReplacement.files = file.files } }
      }
      if file.path == path { failure = diagnosis }
    }
    if let failure { throw failure }
  }

  // MARK: Following

  /// Starts the host, or refreshes it if it has been started, and then refreshes it after each change in its directories, until the
  /// task is cancelled. ``PluginHost/events`` reports every change. Set `Options.opensCopies` for a host that follows.
  ///
  /// A directory may be created, removed and created again, or be a link that changes its target. A link in it, or an adopted library,
  /// may change its target as well. The host does not detect the arrival of a library that a file adopts by name alone and that is in
  /// none of the loader's directories.
  ///
  /// - Throws: A `Diagnosis` if the system does not allow watching.
  public func follow() async throws {
    let watch: DirectoryWatch
    do {
      watch = try DirectoryWatch()
      try updateWatch(watch)
    } catch {
      throw cannotWatch(error)
    }
    // A plugin found earlier may have changed before the watch began.
    let isOutdated = table.read { $0.list != nil }
    // A second start would also load the plugins that the filter of the first one excluded.
    if !isStarted { await start() }
    // The adopted libraries are known after discovery, and may have changed before the watch on them began.
    if extendWatch(watch) || isOutdated { await refresh() }
    for await _ in watch.changes {
      // Gives a writer time to finish a file that it writes in pieces, or several files.
      try? await Task.sleep(for: .milliseconds(50))
      extendWatch(watch)
      await refresh()
      if extendWatch(watch) { await refresh() }
    }
    withExtendedLifetime(watch) {}
  }

  @discardableResult
  private func updateWatch(_ watch: DirectoryWatch) throws(SystemError) -> Bool {
    let libraries = table.read { $0.list?.files ?? [] }.compactMap(\.outcome.adoptedLibrary)
    return try watch.look(at: options.directories, files: options.files + libraries)
  }

  /// Updates the watch and returns whether it covers more than before. Logs an error if it cannot cover everything.
  @discardableResult
  private func extendWatch(_ watch: DirectoryWatch) -> Bool {
    do throws(SystemError) {
      return try updateWatch(watch)
    } catch {
      let diagnosis = cannotWatch(error)
      options.log.write(.error, diagnosis.subject, diagnosis.reason)
      return false
    }
  }

  private func cannotWatch(_ error: SystemError) -> Diagnosis {
    Diagnosis(
      .unreadable, (options.directories + options.files).first ?? "", problem: "cannot be watched: \(error)",
      remedy: "raise fs.inotify.max_user_watches or max_user_instances, see inotify(7)")
  }
}

extension Diagnosis {
  /// - Parameter done: What code inside a load cannot do, such as `retired`.
  static func busy(_ subject: String, _ done: String) -> Diagnosis {
    Diagnosis(
      .busy, subject,
      problem:
        "cannot be \(done) by code that runs while the host loads, activates, replaces, retires or closes plugins, such as its log, its progress or a plugin's entry",
      remedy: "do it later, on another thread or in a detached task")
  }
}
