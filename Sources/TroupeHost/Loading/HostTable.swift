internal import CTroupe
internal import Glibc
internal import Troupe
internal import TroupeFiles
internal import TroupeManifest

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
    context: PluginContext, configuration: [String: String], settings: [Setting], services: [HostService],
    registrations: PluginRegistrations
  ) {
    self.context = context
    values = configuration.mapValues(CString.copy)
    assemblies = AssemblyReceiver { registrations.receive($0) }
    self.settings = settings
    self.services = services
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
