@testable import TroupeContainer

/// Registrations that are pending until one of them is resolved, which loads all of them.
final class LazyPlugin: Sendable {
  let owner = Owner(name: "plugin")
  /// Counts the calls of `load()`.
  let loads = Counter()
  private unowned let container: Container
  private let entries: [Entry]
  private let isLoaded = Lock(false)

  /// Registers the registrations of a closure as pending ones with a container.
  init(_ container: Container, _ register: (any Registrar) -> Void) {
    self.container = container
    let model = Container()
    register(model)
    entries = model.allEntries()
    container.add(pending(), owner: owner)
  }

  /// Returns the pending entries. Their types are known only at run time, as in a host that reads them from a file.
  func pending() -> [Entry] {
    entries.map { entry in
      .pending(
        entry.metatype, tags: TagList(entry.key.tagset), lifetime: entry.lifetime, argumentTypes: entry.argumentTypes
      ) { self.load() }
    }
  }

  /// Replaces the pending entries with the registrations in the first call.
  func load() {
    loads.next()
    isLoaded.withLock { isLoaded in
      if !isLoaded { container.replace(owner: owner, with: entries, owner: owner) }
      isLoaded = true
    }
  }
}
