internal import Synchronization
internal import Troupe

/// The registrar of a Swift plugin's assembly. Registers on behalf of the plugin.
final class SwiftRegistrar: PluginRegistrar {
  private let registrations: PluginRegistrations
  private let descriptions = Mutex<[AnyKey: (name: String, metadata: [String: String])]>([:])

  init(_ registrations: PluginRegistrations) {
    self.registrations = registrations
  }

  var plugin: PluginContext { registrations.context }

  subscript(key: AnyKey) -> Entry? {
    get { registrations.entry(for: key) }
    set { set(newValue?.copied(to: key), for: key) }
  }

  func add(_ entry: Entry) {
    set(entry, for: entry.key)
  }

  private func set(_ entry: Entry?, for key: AnyKey) {
    let description = descriptions.withLock { $0[key] }
    registrations.set(entry, for: key, name: description?.name, metadata: description?.metadata ?? [:])
  }

  func register(assembly: any Assembly) {
    registrations.add(assembly, registrar: self)
  }

  func describe(_ key: AnyKey, name: String, metadata: [String: String]) {
    descriptions.withLock { $0[key] = (name, metadata) }
  }

  func refuse(_ reason: String) {
    registrations.note(reason)
  }
}
