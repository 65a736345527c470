internal import Synchronization
internal import TroupeFiles

/// Following changes in the directories.
extension PluginHost {
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
      try look(watch)
    } catch {
      throw cannotWatch(error)
    }
    // A plugin found earlier may have changed before the watch began.
    let isOutdated = state.withLock { $0.plugins != nil }
    // A second start would also load the plugins that the filter of the first one excluded.
    if !isStarted { await start() }
    // The adopted libraries are known after discovery, and may have changed before the watch on them began.
    if lookAgain(watch) || isOutdated { await refresh() }
    for await _ in watch.changes {
      // Gives a writer time to finish a file that it writes in pieces, or several files.
      try? await Task.sleep(for: .milliseconds(50))
      lookAgain(watch)
      await refresh()
      if lookAgain(watch) { await refresh() }
    }
    withExtendedLifetime(watch) {}
  }

  @discardableResult
  private func look(_ watch: DirectoryWatch) throws(SystemError) -> Bool {
    let libraries = state.withLock { $0.plugins?.records ?? [] }.compactMap(\.outcome.adoptedLibrary)
    return try watch.look(at: options.directories, files: options.files + libraries)
  }

  /// Updates the watch and returns whether it covers more than before. Logs an error if it cannot cover everything.
  @discardableResult
  private func lookAgain(_ watch: DirectoryWatch) -> Bool {
    do throws(SystemError) {
      return try look(watch)
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
