internal import CTroupe
internal import Synchronization
internal import Troupe
internal import TroupeFiles

/// The host's side of one plugin: its services, the registrar and the resolver. Lives as long as the plugin's image.
final class HostBindings: Sendable {
  let services: HostTable
  let resolver: ResolverTable
  let registrar: RegistrarTable
  private let lines: LogDeduplicator
  /// Set if the plugin's code may run in unknown threads or handlers, so that its image must not be closed.
  private let keeps = Atomic<Bool>(false)
  /// Nil after the end of the image: the bindings may stay, but what the closure captures must not.
  private let ended: Mutex<(@Sendable (_ isMapped: Bool) -> Void)?>

  /// - Parameter ended: Called on any thread after the last release of the image.
  init(
    plugin: Manifest, configuration: [String: String], services: [HostService], log: Log, owner: Owner,
    factories: PluginRegistry, ended: @escaping @Sendable (_ isMapped: Bool) -> Void
  ) {
    self.ended = Mutex(ended)
    let configuration = plugin.values(configuration)
    lines = LogDeduplicator { level, text in log.write(level, plugin.id, text) }
    let context = PluginContext(id: plugin.id, configuration: configuration) { [lines] level, text in lines.log(level, text) }
    let registrations = PluginRegistrations(
      context: context, abiMinor: plugin.abi.minor, owner: owner, factories: factories)
    self.services = HostTable(
      context: context, configuration: configuration, settings: plugin.settings, services: services,
      registrations: registrations)
    resolver = ResolverTable(context: context, abiMinor: plugin.abi.minor, factories: factories)
    registrar = RegistrarTable(services: self.services, resolver: resolver, registrations: registrations)
  }

  /// The registrations of the plugin.
  var registrations: PluginRegistrations { registrar.registrations }

  /// Reports that the last reference to the image was released, and whether the image is still mapped.
  func imageEnded(isMapped: Bool) {
    completeLog()
    ended.withLock { $0.take() }?(isMapped)
  }

  /// Logs how often the last line was repeated.
  func completeLog() { lines.flush() }

  /// Whether the image must stay open.
  var keepsImage: Bool { keeps.load(ordering: .acquiring) }

  /// Keeps the image open for the rest of the process.
  func keepImage() { keeps.store(true, ordering: .releasing) }
}
