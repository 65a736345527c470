internal import CTroupe
internal import Glibc
internal import Synchronization
internal import Troupe
internal import TroupeFiles
internal import TroupeManifest

/// The host's side of one plugin: its services, the resolver, and the registrar of its entry, `troupe_registrar` in C. Lives at
/// least as long as the plugin's image.
final class HostBindings: @unchecked Sendable {
  // Sendable because the initializer sets up the registrar, which nothing changes later, and all else is Sendable.
  let registrations: PluginRegistrations
  let resolver: ResolverTable
  private let services: HostTable
  private let table: UnsafeMutablePointer<CRegistrar>
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
    registrations = PluginRegistrations(
      context: context, abiMinor: plugin.abi.minor, owner: owner, factories: factories)
    self.services = HostTable(
      registrations, configuration: configuration, settings: plugin.settings, services: services)
    resolver = ResolverTable(abiMinor: plugin.abi.minor, factories: factories)
    table = .allocate(capacity: 1)
    table.initialize(
      to: CRegistrar(
        struct_size: UInt32(MemoryLayout<CRegistrar>.size), abi_major: UInt16(TROUPE_ABI_MAJOR),
        abi_minor: UInt16(TROUPE_ABI_MINOR), context: table, host: self.services.pointer, resolver: resolver.pointer,
        register_factory: { registrar, factory in
          guard let registrar else { return troupe_status(TROUPE_INVALID_ARGUMENT) }
          return Unmanaged<HostBindings>.fromOpaque(registrar.pointee.context).takeUnretainedValue().register(factory)
        }))
    table.pointee.context = Unmanaged.passUnretained(self).toOpaque()
  }

  deinit { table.deallocate() }

  /// The pointer for the entry; valid for as long as this object.
  var registrar: UnsafePointer<CRegistrar> { UnsafePointer(table) }

  private func register(_ factory: UnsafePointer<CFactory>?) -> troupe_status {
    do {
      let (description, code) = try FactoryCode.reading(
        factory, plugin: registrations.context.id, abiMinor: registrations.abiMinor)
      try registrations.add(description, code, resolver: resolver)
      return troupe_status(TROUPE_OK)
    } catch {
      registrations.refuse(error)
      return error.code.status
    }
  }

  /// Reports that the last reference to the image was released, and whether the image is still mapped.
  func imageEnded(isMapped: Bool) {
    completeLog()
    ended.withLock { $0.take() }?(isMapped)
  }

  /// Logs how often the last line was repeated.
  func completeLog() { lines.flush() }

  var keepsImage: Bool { keeps.load(ordering: .acquiring) }

  /// Keeps the image open for the rest of the process.
  func keepImage() { keeps.store(true, ordering: .releasing) }
}

// MARK: The services

/// The host's services to one plugin, `troupe_host` in C.
final class HostTable: @unchecked Sendable {
  // Sendable because the initializer sets up all members and nothing changes them later.
  private let context: PluginContext
  /// The values of the configuration as C text, owned by this object.
  private let values: [String: UnsafeMutablePointer<CChar>]
  private let settings: [Setting]
  private let services: [HostService]
  private let assemblies: AssemblyReceiver
  private let table: UnsafeMutablePointer<CHost>

  init(
    _ registrations: PluginRegistrations, configuration: [String: String], settings: [Setting], services: [HostService]
  ) {
    (context, self.settings, self.services) = (registrations.context, settings, services)
    values = configuration.mapValues(CString.copy)
    assemblies = AssemblyReceiver { registrations.receive($0) }
    table = .allocate(capacity: 1)
    table.initialize(
      to: CHost(
        struct_size: UInt32(MemoryLayout<CHost>.size), abi_major: UInt16(TROUPE_ABI_MAJOR),
        abi_minor: UInt16(TROUPE_ABI_MINOR), context: table,
        log: { HostTable.from($0)?.log($1, $2) },
        // Not max(size, 1): Swift imports size_t as a signed type, and a huge size would become 1.
        allocate: { _, size in malloc(size == 0 ? 1 : size) },
        free: { _, memory in free(memory) },
        configuration: { host, key in
          guard let table = HostTable.from(host), let key else { return nil }
          return table.values[String(cString: key)].map { UnsafePointer($0) }
        },
        service: { host, id in
          guard let table = HostTable.from(host), let id else { return nil }
          return table.service(String(cString: id))
        },
        fail: { _, message in ThreadLocalCString.failure.set(message.map { String(cString: $0).limited }) },
        setting: { host, key, value in
          guard let table = HostTable.from(host), let key, let value else { return troupe_status(TROUPE_INVALID_ARGUMENT) }
          guard let setting = table.setting(String(cString: key)) else { return troupe_status(TROUPE_NOT_FOUND) }
          value.pointee = setting
          return troupe_status(TROUPE_OK)
        }))
    table.pointee.context = Unmanaged.passUnretained(self).toOpaque()
  }

  deinit {
    values.values.forEach { $0.deallocate() }
    table.deallocate()
  }

  /// The pointer for the plugin; valid for as long as this object.
  var pointer: UnsafePointer<CHost> { UnsafePointer(table) }

  private static func from(_ host: UnsafePointer<CHost>?) -> HostTable? {
    host.map { Unmanaged<HostTable>.fromOpaque($0.pointee.context).takeUnretainedValue() }
  }

  /// Returns the value of a declared setting in its type, or nil if the plugin does not declare it.
  private func setting(_ key: String) -> CValue? {
    guard let setting = settings.first(where: { $0.key == key }), let text = values[key] else { return nil }
    var value = CValue()
    switch setting.valueType {
    case .text, .choice:
      value.kind = troupe_value_kind(TROUPE_VALUE_STRING)
      value.as.string = UnsafePointer(text)
    case .integer:
      value.kind = troupe_value_kind(TROUPE_VALUE_INT64)
      value.as.int64 = Int64(String(cString: text)) ?? 0
    case .number:
      value.kind = troupe_value_kind(TROUPE_VALUE_DOUBLE)
      value.as.float64 = Double(String(cString: text)) ?? 0
    case .boolean:
      value.kind = troupe_value_kind(TROUPE_VALUE_BOOL)
      value.as.int64 = String(cString: text) == "true" ? 1 : 0
    }
    return value
  }

  /// Returns the service with an id: the assembly receiver of entries in Swift, or the first service of the host with this id.
  private func service(_ id: String) -> UnsafeRawPointer? {
    if id == AssemblyReceiver.service { return UnsafeRawPointer(Unmanaged.passUnretained(assemblies).toOpaque()) }
    return services.first { $0.id == id }?.pointer
  }

  private func log(_ level: troupe_log_level, _ message: UnsafePointer<CChar>?) {
    guard let message else { return }
    // A level of a later ABI counts as the highest known level.
    context.log(LogLevel(rawValue: level) ?? .error, String(cString: message))
  }
}
