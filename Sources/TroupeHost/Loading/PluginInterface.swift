internal import CTroupe
internal import Synchronization
internal import Troupe

/// Everything that one plugin is given: the host's services, the registrar and the resolver. It lives as long as the
/// plugin's image.
final class PluginInterface: Sendable {
  let services: ServiceTable
  let resolver: ResolverTable
  let registrar: RegistrarTable
  private let lines: RepeatedLines
  /// Set when the plugin's code may be running somewhere nobody knows of, so that its image must not be closed.
  private let keeps = Atomic<Bool>(false)
  private let ended: @Sendable (_ isMapped: Bool) -> Void

  /// - Parameter ended: Is told, on whatever thread that happens, that nobody holds the image any more.
  init(
    plugin: Manifest, configuration: [String: String], services: [HostService], log: Log, owner: Owner,
    factories: FactoryCatalog, ended: @escaping @Sendable (_ isMapped: Bool) -> Void
  ) {
    self.ended = ended
    let configuration = plugin.values(configuration)
    lines = RepeatedLines { level, text in log.write(level, plugin.id, text) }
    let context = PluginContext(id: plugin.id, configuration: configuration) { [lines] level, text in lines.log(level, text) }
    let registrations = PluginRegistrations(context: context, owner: owner, factories: factories)
    self.services = ServiceTable(
      context: context, configuration: configuration, settings: plugin.settings, services: services,
      registrations: registrations)
    resolver = ResolverTable(context: context, factories: factories)
    registrar = RegistrarTable(services: self.services, resolver: resolver, registrations: registrations)
  }

  /// What the plugin registers.
  var registrations: PluginRegistrations { registrar.registrations }

  /// Tells that nobody holds the image any more, and whether it is still mapped.
  func imageEnded(isMapped: Bool) {
    completeLog()
    ended(isMapped)
  }

  /// Logs how often the last line was repeated.
  func completeLog() { lines.flush() }

  /// Whether the image has to stay open.
  var keepsImage: Bool { keeps.load(ordering: .acquiring) }

  /// Keeps the image open for good.
  func keepImage() { keeps.store(true, ordering: .releasing) }
}
