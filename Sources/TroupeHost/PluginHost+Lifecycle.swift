internal import Glibc
internal import Synchronization

/// How plugins go, and how others take their places while the host works.
///
/// Each of these waits for the others and for `load`, and must not be called from what runs within them, such as the log: see
/// there.
extension PluginHost {
  /// Takes back what a plugin registered. Nothing new is made of it; what it has made works until it is released, and then its
  /// library is closed, which the state `.retired` tells. A library that holds Swift stays in memory; see `Plugin.staysMapped`.
  ///
  /// `refresh` loads the plugin again once its file has another content, or was missing during an earlier refresh. A copy of the same
  /// file in its place, or another modification time, does not bring the plugin back.
  ///
  /// - Throws: A `PluginFault` if there is no such plugin, if another one needs it that has not been retired, or, with the code
  ///   `.busy`, if this would have to wait for its caller.
  public func retire(_ id: String) throws {
    try checkIdle(id, "retired")
    _ = discovered()
    try loading.alone {
      let plugins = discovered()
      let record = try working(id, plugins)
      if let dependent = plugins.dependents(of: record).first(where: \.isInUse) {
        throw PluginFault(
          path: record.path, code: .inUse,
          problem: "cannot be retired, since \(dependent.manifest?.id ?? dependent.path) needs it",
          remedy: "retire that first")
      }
      record.learnContent()
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
  /// - Throws: A `PluginFault` if there is no such plugin, if the file cannot take its place, or, with the code `.busy`, if
  ///   this would have to wait for its caller.
  @discardableResult
  public func reload(_ id: String) async throws -> Bool {
    try checkIdle(id, "reloaded")
    let record = try working(id, discovered())
    return try await renew(only: record.path)
  }

  /// Looks at the directories again: loads what is new, replaces what is another file now, as `reload` does, and retires what
  /// is not there any more. A file that somebody is still writing is left for the next time. What cannot be used is rejected;
  /// where it would have replaced a plugin that works, that one stays, and the log says why.
  ///
  /// The process ends with a message if this would have to wait for its caller: see `load`.
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

  /// Throws a fault where the calling thread is one that loads, retires or replaces plugins.
  private func checkIdle(_ id: String, _ what: String) throws(PluginFault) {
    guard loading.isHeldByThisThread else { return }
    throw PluginFault(
      path: id, code: .busy,
      problem:
        "cannot be \(what) by what runs while the host loads, retires or replaces plugins, such as its log, its progress or a plugin's entry",
      remedy: "do it later, or in another task")
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
    changes.resume()
    _ = discovered()
    let (steps, isChanged) = try loading.alone { try replace(only: path) }
    for step in steps where isStarted || step.old != nil {
      await step.record.activate(self, needs: step.needs, replacing: step.old)
    }
    return try loading.alone {
      rememberRejections(of: steps.lazy.map(\.record))
      try conclude(steps, only: path)
      return isChanged
    }
  }

  /// Holds the places of a plugin for the file that is there now, since it is another one than when they were first held, and
  /// one of them is resolved.
  ///
  /// - Returns: Whether that was done: not if there is no file any more, or if others are at work that may be waiting for this.
  /// - Throws: Why the file cannot take the places.
  func renewHeld(_ record: PluginRecord) throws -> Bool {
    guard record.files.allSatisfy({ PluginFile.Identity.of($0.path) != nil }) else { return false }
    let steps = try loading.aloneIfPossible {
      let (steps, _) = try replace(only: record.path)
      try conclude(steps, only: record.path)
      return steps
    }
    guard let steps else { return false }
    let waiting = steps.filter { isStarted && !$0.record.activateIfTrivial(self, needs: $0.needs) }
    if !waiting.isEmpty { Task { for step in waiting { await step.record.activate(self, needs: step.needs) } } }
    return true
  }

  /// Has new plugins take their places, and those that went give them up.
  private func replace(only path: String?) throws -> (steps: [Step], isChanged: Bool) {
    let previous = discovered()
    let change = Discovery(options, events: changes).run(
      after: previous, only: path, failed: failed.withLock { $0 })
    if let refusal = path.flatMap({ _ in change.refused.first }) { throw refusal.fault }
    if let path, change.unfinished.contains(path) {
      throw PluginFault(
        path: path, code: .changed, problem: PluginFile.writtenProblem(path), remedy: "reload it once the file is closed")
    }
    let isTold = tell(change.refused, all: path == nil)
    guard !change.new.isEmpty || !change.gone.isEmpty else { return ([], isTold) }
    found.withLock { $0 = change.plugins }
    for record in change.new { record.tellFound() }
    let isNew = Set(change.new.map(ObjectIdentifier.init))
    let wanted = change.plugins.inOrder { isNew.contains(ObjectIdentifier($0)) }
    probe(wanted)
    // The last one first, so that nobody is there longer than what it needs.
    for record in change.gone.reversed() { record.retire(factories) }
    for (record, needs) in wanted { place(record, needs: needs, replacing: change.replaced[record.path]) }
    return (wanted.map { ($0.record, $0.needs, change.replaced[$0.record.path]) }, true)
  }

  /// Says in the log which plugins stay, and why, each once for as long as it is for the same reason.
  ///
  /// - Parameter all: Whether these are all that stay now, so that what is not among them has been mended.
  /// - Returns: Whether there was something to say.
  @discardableResult
  private func tell(_ refusals: [Rediscovery.Refusal], all: Bool = false) -> Bool {
    let new = refused.withLock { refused in
      let known = refused
      if all { refused = [:] }
      for refusal in refusals { refused[refusal.fault.path] = refusal.fault }
      return refusals.filter { known[$0.fault.path] != $0.fault }
    }
    for refusal in new {
      let version = refusal.record.manifest.map { "\($0.version)" } ?? "what is loaded"
      options.log.write(
        .error, refusal.record.manifest?.id ?? refusal.record.path,
        "\(version) stays, since \(refusal.fault.path.onOneLine) \(refusal.fault.reason)")
    }
    return !new.isEmpty
  }

  /// Retires those that have been replaced, and has those stay whose replacements failed.
  private func conclude(_ steps: [Step], only path: String?) throws {
    var failure: PluginFault?
    for case (let record, _, let old?) in steps {
      if let fault = record.plugin.state.fault {
        found.withLock { $0 = $0?.putting(old, inPlaceOf: record) }
        // One that somebody has changed meanwhile is looked at again, which is nothing to complain about.
        if fault.code != .changed { tell([Rediscovery.Refusal(record: old, fault: fault)]) }
        // What is not its own fault may be mended without it.
        if ![.unmetRequirement, .changed, .notProbed].contains(fault.code) {
          failed.withLock { $0[record.path] = record.files }
        }
        if record.path == path { failure = fault }
      } else {
        old.retire(isReplaced: true)
        opened.unregister(owner: old.owner)
      }
    }
    if let failure { throw failure }
  }
}
