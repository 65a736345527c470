internal import Troupe
internal import TroupeFiles

/// The registrar of a Swift plugin's assembly. Registers on behalf of the plugin.
final class SwiftRegistrar: PluginRegistrar {
  private let registrations: PluginRegistrations

  init(_ registrations: PluginRegistrations) {
    self.registrations = registrations
  }

  var plugin: PluginContext { registrations.context }

  subscript(key: AnyKey) -> Entry? {
    get { registrations.entry(for: key) }
    set { registrations.set(newValue, for: key) }
  }

  func add(_ entry: Entry) { registrations.set(entry, for: entry.key) }

  func register(assembly: any Assembly) {
    registrations.add(assembly, registrar: self)
  }

  func fail(_ reason: String) {
    registrations.refuse(Diagnosis(.refused, problem: reason))
  }
}
