internal import Synchronization

/// How a host keeps up with its directories.
extension PluginHost {
  /// Starts the host, or refreshes it if it has been started, and then refreshes it after each change in its directories, until the
  /// task is cancelled. ``PluginHost/events`` reports every change. Set `Options.opensCopies` for a host that follows.
  ///
  /// A directory may come, go and come back, or be a link that is switched; a link in it, or a library that is adopted, may
  /// come to lead to another file. A library that a file adopts by its name alone and that is in none of the loader's
  /// directories is not waited for.
  ///
  /// - Throws: A `PluginFault` if the system does not allow to watch.
  public func follow() async throws {
    let watch: DirectoryWatch
    do {
      watch = try DirectoryWatch()
      try look(watch)
    } catch {
      throw cannotWatch(error)
    }
    // What was found before may have changed before it was watched.
    let isOutdated = found.withLock { $0 != nil }
    // A second start would also load the plugins that the filter of the first one excluded.
    if !isStarted { await start() }
    // The adopted libraries are known once plugins have been found, and may have changed before they were watched, too.
    if lookAgain(watch) || isOutdated { await refresh() }
    for await _ in watch.changes {
      // Whoever writes a file by pieces, or several files, is given the time to come to an end.
      try? await Task.sleep(for: .milliseconds(50))
      lookAgain(watch)
      await refresh()
      if lookAgain(watch) { await refresh() }
    }
    withExtendedLifetime(watch) {}
  }

  @discardableResult
  private func look(_ watch: DirectoryWatch) throws(SystemError) -> Bool {
    let libraries = found.withLock { $0?.records ?? [] }.compactMap(\.outcome.adoptedLibrary)
    return try watch.look(at: options.directories, files: options.files + libraries)
  }

  /// Finds out what has to be watched now, and gives whether that is more than before. If not all of it can be, the log says so.
  @discardableResult
  private func lookAgain(_ watch: DirectoryWatch) -> Bool {
    do throws(SystemError) {
      return try look(watch)
    } catch {
      let fault = cannotWatch(error)
      options.log.write(.error, fault.path, fault.reason)
      return false
    }
  }

  private func cannotWatch(_ error: SystemError) -> PluginFault {
    PluginFault(
      path: (options.directories + options.files).first ?? "", code: .unreadable, problem: "cannot be watched: \(error)",
      remedy: "raise fs.inotify.max_user_watches or max_user_instances, see inotify(7)")
  }
}
