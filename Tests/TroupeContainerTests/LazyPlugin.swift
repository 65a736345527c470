@testable import TroupeContainer

/// Registrations that are pending until one of them is resolved, and then made all at once.
final class LazyPlugin: Sendable {
  let owner = Owner(name: "plugin")
  /// How often it was asked to load.
  let asked = Counter()
  private unowned let container: Container
  private let entries: [Entry]
  private let isLoaded = Lock(false)

  /// Registers in a container, pending, what a closure registers.
  init(_ container: Container, _ register: (any Registrar) -> Void) {
    self.container = container
    let model = Container()
    register(model)
    entries = model.allEntries { _ in true }.sorted { $0.sequence < $1.sequence }
    container.add(pending(), owner: owner)
  }

  /// Entries that stand for what it registers. Their types are known at run time only, as in a host that reads them from a file.
  func pending() -> [Entry] {
    entries.map { entry in
      .pending(
        entry.metatype, tags: TagList(entry.key.tagset), lifetime: entry.lifetime, argumentTypes: entry.argumentTypes
      ) { self.load() }
    }
  }

  /// Registers everything in the place of what is pending, the first time.
  func load() {
    asked.next()
    isLoaded.withLock { isLoaded in
      if !isLoaded { container.replace(owner: owner, with: entries, owner: owner) }
      isLoaded = true
    }
  }
}
