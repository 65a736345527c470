internal import Synchronization
internal import TroupeContainer
internal import TroupeFiles

/// The table of a host's plugins behind its lock, and the shell that performs the effects of transitions.
///
/// Effects run code of handlers, of the container and of plugins, so they are performed after the lock is released, in the order in which
/// the table returns them. Two threads may send the events of one plugin in the other order than its transitions, as when a plugin is retired
/// while its activation ends; each event has the state after its own transition.
///
/// Outlives its host: the images of retired plugins report their end here.
final class PluginStore: Sendable {
  private let table = Mutex(PluginTable())
  private let events: PluginEvents
  private let container: Container

  init(events: PluginEvents, container: Container) { (self.events, self.container) = (events, container) }

  /// A copy; see `PluginTable.subscript`.
  subscript(file: PluginFile) -> PluginTable.Element { table.withLock { $0[file] } }

  func read<Result>(_ body: (PluginTable) -> sending Result) -> sending Result { table.withLock { body($0) } }

  /// Like `read`, but returns nil if another thread has the lock, which may be the thread that crashed.
  func readWithoutWaiting<Result>(_ body: (PluginTable) -> sending Result) -> sending Result? {
    table.withLockIfAvailable { body($0) }
  }

  /// Changes the table without a transition.
  func update(_ body: (inout PluginTable) -> Void) { table.withLock { body(&$0) } }

  /// Makes a transition and performs its effects.
  ///
  /// - Returns: False, and does nothing, if the event does not belong to the state.
  @discardableResult
  func apply(_ event: PluginTable.Event, to file: PluginFile) -> Bool {
    guard let effects = table.withLock({ $0.apply(event, to: file) }) else { return false }
    for effect in effects {
      switch effect {
      case .send(let element, let previous):
        events.send(
          PluginEvent(plugin: Plugin(element), previous: previous?.view), of: file.id, in: element.state.view, path: file.path)
      case .unregister(let owner):
        container.unregister(owner: owner)
      case .close(let loaded):
        loaded.bindings.completeLog()
        loaded.registrations.retract()
      }
    }
    return true
  }

  /// The group of the locks of the plugins and of the host; see `TrackedLock.isAnyHeld`.
  var lockGroup: ObjectIdentifier { ObjectIdentifier(self) }

  /// The lock that is held while a plugin is opened, replaced or retired.
  func lock(of file: PluginFile) -> TrackedLock {
    table.withLock { table in
      if let lock = table[file].lock { return lock }
      let lock = TrackedLock(owner: table[file].owner, group: lockGroup)
      table.update(file) { $0.lock = lock }
      return lock
    }
  }
}
