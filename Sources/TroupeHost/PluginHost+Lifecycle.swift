internal import Glibc
internal import Synchronization

/// How plugins go, and how others take their places while the host works.
extension PluginHost {
  /// Takes back what a plugin registered. Nothing new is made of it; what it has made works until it is released, and then its library
  /// is closed, which the state `.retired` tells. A library that holds Swift stays in memory; see `Plugin.staysMapped`.
  ///
  /// - Throws: A `PluginFault` if there is no such plugin, or if another one needs it that has not been retired.
  public func retire(_ id: String) throws {
    try loading.alone {
      let plugins = discovered()
      let record = try working(id, plugins)
      if let dependent = plugins.dependents(of: record).first(where: \.isInUse) {
        throw PluginFault(
          path: record.path, code: .inUse,
          problem: "cannot be retired, since \(dependent.manifest?.id ?? dependent.path) needs it",
          remedy: "retire that first")
      }
      record.retire(factories)
    }
  }

  /// Puts what a plugin's file is now in place of what was loaded. What resolves meanwhile gets an instance of either, and never
  /// fails for it; instances of the old version work until they are released.
  ///
  /// The new version is examined, probed and loaded as any other; if something is wrong with it, the old one stays. Unless
  /// `Options.opensCopies` is set, the new version has to be another file, renamed to the name of the old one: what is written over
  /// the file of a library that is open changes the code of the process.
  ///
  /// - Returns: Whether the file is another one. If not, nothing has been done.
  /// - Throws: A `PluginFault` if there is no such plugin, or the file cannot take its place.
  @discardableResult
  public func reload(_ id: String) async throws -> Bool {
    let record = try working(id, discovered())
    return try await renew(only: record.path)
  }

  /// Looks at the directories again: loads what is new, replaces what is another file now, as `reload` does, and retires what is not
  /// there any more. A file that somebody is still writing is left for the next time. What cannot be used is rejected; where it would
  /// have replaced a plugin that works, that one stays, and the log says why.
  ///
  /// - Returns: Whether anything has changed.
  @discardableResult
  public func refresh() async -> Bool {
    do {
      return try await renew(only: nil)
    } catch {
      options.log.write(.error, "troupe", "\(error)")
      return true
    }
  }

  private func working(_ id: String, _ plugins: DiscoveredPlugins) throws -> PluginRecord {
    let named = plugins.records.filter { $0.manifest?.id == id }
    guard let record = named.first(where: \.isInUse) ?? named.first(where: { $0.fault == nil }) ?? named.first else {
      throw PluginFault(
        path: id, code: .unknown, problem: "is no plugin that was found", remedy: "look at the ids of host.plugins")
    }
    return record
  }

  /// One plugin that took the place of another, and is to be activated.
  private typealias Step = (record: PluginRecord, needs: [PluginRecord], old: PluginRecord?)

  /// - Throws: Why the one plugin that is looked at cannot be replaced.
  private func renew(only path: String?) async throws -> Bool {
    let (steps, isChanged) = try loading.alone { try replace(only: path) }
    for step in steps where isStarted || step.old != nil {
      await step.record.activate(self, needs: step.needs, replacing: step.old)
    }
    return try loading.alone {
      try conclude(steps, only: path)
      return isChanged
    }
  }

  /// Has new plugins take their places, and those that went give them up.
  private func replace(only path: String?) throws -> (steps: [Step], isChanged: Bool) {
    let previous = discovered()
    let change = Discovery(options, events: changes).run(after: previous, only: path)
    if let fault = path.flatMap({ _ in change.refused.first }) { throw fault }
    if let path, change.unfinished.contains(path) {
      throw PluginFault(
        path: path, code: .untrusted, problem: "is still being written", remedy: "reload it once whoever writes it is done")
    }
    for fault in change.refused { options.log.write(.error, fault.path, fault.reason) }
    guard !change.new.isEmpty || !change.gone.isEmpty else { return ([], !change.refused.isEmpty) }
    found.withLock { $0 = change.plugins }
    let isNew = Set(change.new.map(ObjectIdentifier.init))
    let wanted = change.plugins.inOrder { isNew.contains(ObjectIdentifier($0)) }
    probe(wanted)
    // The last one first, so that nobody is there longer than what it needs.
    for record in change.gone.reversed() { record.retire(factories) }
    for (record, needs) in wanted { place(record, needs: needs, replacing: change.replaced[record.path]) }
    return (wanted.map { ($0.record, $0.needs, change.replaced[$0.record.path]) }, true)
  }

  /// Retires those that have been replaced, and has those stay whose replacements failed.
  private func conclude(_ steps: [Step], only path: String?) throws {
    var failure: PluginFault?
    for case (let record, _, let old?) in steps {
      if let fault = record.plugin.state.fault {
        found.withLock { $0 = $0?.putting(old, inPlaceOf: record) }
        options.log.write(.error, record.manifest?.id ?? record.path, "cannot replace what is loaded: \(fault.reason)")
        if record.path == path { failure = fault }
      } else {
        old.retire(isReplaced: true)
      }
    }
    if let failure { throw failure }
  }
}

/// How a host keeps up with its directories.
extension PluginHost {
  /// Starts the host, and refreshes it whenever something changes in its directories, until the task is cancelled. What happens is told
  /// by `events`. A host that does this wants `Options.opensCopies`.
  ///
  /// - Throws: A `PluginFault` if the system does not allow to watch.
  public func follow() async throws {
    let directories = options.directories + Set(options.files.map(Path.directory(of:))).sorted()
    let watch: DirectoryWatch
    do {
      watch = try DirectoryWatch(directories)
    } catch {
      throw PluginFault(
        path: directories.first ?? "", code: .unreadable, problem: "cannot be watched: \(error)",
        remedy: "raise fs.inotify.max_user_watches or max_user_instances, see inotify(7)")
    }
    await start()
    for await _ in watch.changes {
      // Whoever writes a file by pieces, or several files, is given the time to come to an end.
      try? await Task.sleep(for: .milliseconds(50))
      await refresh()
    }
    withExtendedLifetime(watch) {}
  }
}
